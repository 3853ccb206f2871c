"""Figures as plain values: suites say what is drawn, ``exports`` draws it, on paper or in text.

Every figure draws its intervals, can be read without colour, and says in its title what it rests
on, like a table. `metrics` are the columns of tables that it draws, as TABLE.COLUMN.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Captioned:
    """What stands around every drawing."""

    name: str
    title: str
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    metrics: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Interval:
    """One labelled estimate."""

    label: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class IntervalFigure(Captioned):
    """Estimates with intervals, one row each, optionally with a reference line.

    Used for selectivity by model and for compliance by form. `bounds` is the range of the axis.
    """

    axis: str
    points: tuple[Interval, ...]
    bounds: tuple[float, float]
    reference: Interval | None = None


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """One labelled pair of estimates."""

    label: str
    x: Estimate
    y: Estimate


@dataclass(frozen=True, slots=True)
class PlaneFigure(Captioned):
    """Pairs of shares in the unit square, with an interval in both directions.

    Used for p_A against p_R. `corner` names what the upper left corner means.
    """

    x_axis: str
    y_axis: str
    points: tuple[PlanePoint, ...]
    corner: str = ""


@dataclass(frozen=True, slots=True)
class RankLine:
    """One system's ranks, in the order of the figure's columns; ties have mid-ranks."""

    label: str
    ranks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RankFigure(Captioned):
    """How a ranking changes from one column to the next. Rank 1 is drawn on top."""

    columns: tuple[str, ...]
    lines: tuple[RankLine, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """One system's way from one estimate to another; `note` says what the second one is."""

    label: str
    start: Estimate
    end: Estimate
    note: str = ""


@dataclass(frozen=True, slots=True)
class GapFigure(Captioned):
    """Two marks per row and the way between them; `start` and `end` name the marks."""

    axis: str
    start: str
    end: str
    gaps: tuple[Gap, ...]
    bounds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """One distribution: its quartiles, and how far its whiskers reach."""

    label: str
    low: float
    lower: float
    median: float
    upper: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class BoxFigure(Captioned):
    """Distributions, one row each; a line stands at zero. Outliers are not drawn."""

    axis: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class ShareRow:
    """Shares of one whole, in the order of the figure's parts."""

    label: str
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ShareFigure(Captioned):
    """One bar per row, cut into named parts that make up a whole; intervals stand in a table."""

    parts: tuple[str, ...]
    rows: tuple[ShareRow, ...]


Figure = IntervalFigure | PlaneFigure | RankFigure | GapFigure | BoxFigure | ShareFigure
