"""Figures as plain values: suites say what is drawn, ``exports`` draws it, on paper or in text.

Every figure draws its intervals, can be read without colour, and says in its title what it rests
on, like a table. `metrics` are the columns of tables that it draws, as TABLE.COLUMN.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Interval:
    """One labelled estimate."""

    label: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class IntervalFigure:
    """Estimates with intervals, one row each, optionally with a reference line.

    Used for selectivity by model and for compliance by form. `bounds` is the range of the axis.
    """

    name: str
    title: str
    axis: str
    points: tuple[Interval, ...]
    bounds: tuple[float, float]
    reference: Interval | None = None
    notes: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """One labelled pair of estimates."""

    label: str
    x: Estimate
    y: Estimate


@dataclass(frozen=True, slots=True)
class PlaneFigure:
    """Pairs of shares in the unit square, with an interval in both directions.

    Used for p_A against p_R. `corner` names what the upper left corner means.
    """

    name: str
    title: str
    x_axis: str
    y_axis: str
    points: tuple[PlanePoint, ...]
    corner: str = ""
    notes: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RankLine:
    """One system's ranks, in the order of the figure's columns; ties have mid-ranks."""

    label: str
    ranks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RankFigure:
    """How a ranking changes from one column to the next. Rank 1 is drawn on top."""

    name: str
    title: str
    columns: tuple[str, ...]
    lines: tuple[RankLine, ...]
    notes: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


Figure = IntervalFigure | PlaneFigure | RankFigure
