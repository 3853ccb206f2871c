"""Curves over a cue that scenarios carry as a fact: a conflict condition against a control."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from core.errors import InputError, NotFound
from core.resampling import Resampling
from core.study import WaveItem
from core.tables import Cell, Column, Table
from evals.choices.contrast import EXACT, S, decision
from evals.choices.standing import Standing
from stats.curves import SweepContrast, sweep_contrast
from stats.errors import StatisticsInputError

Curve = dict[str, dict[float, float]]  # by phrasing, then by cue


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is swept: a cue that scenarios carry as a fact, in a conflict condition and a control.

    `phrasing` is the fact that tells wordings apart; empty where there is one wording.
    """

    cue: str
    conflict: str
    control: str
    phrasing: str = ""


def curve_tables(standing: Standing, sweep: Sweep, how: Resampling) -> tuple[Table, Table]:
    """Return the curves point by point, and what they come to.

    Raises
    ------
    NotFound
        When no item carries the cue.
    InputError
        When a cue is no number, or a curve is not complete.
    """
    grid, curves = _curves(standing, sweep)
    conflict, control = (
        [[curve[name][point] for point in grid] for name in sorted(curve)] for curve in curves
    )
    try:
        found = sweep_contrast(grid, conflict, control, **how.again)
    except StatisticsInputError as error:
        raise InputError(f"the sweep over “{sweep.cue}” cannot be read: {error}") from error
    count = f"{len(conflict)} of {sweep.conflict}, {len(control)} of {sweep.control}"
    drawn = f"{how.over('phrasings')}; n is their number: {count}."
    points = _points(standing, sweep, grid, (_means(conflict), _means(control)))
    return points, _contrast(standing, sweep, found, drawn)


def _curves(standing: Standing, sweep: Sweep) -> tuple[list[float], tuple[Curve, Curve]]:
    """Return the grid, and the conflict and control curves, whole."""
    carried = [item for item in standing.items if item.document.get("facts", {}).get(sweep.cue)]
    if not carried:
        known = sorted({name for i in standing.items for name in i.document.get("facts", {})})
        raise NotFound(
            f"no item of setup {standing.setup.id} carries the fact “{sweep.cue}”; facts are: "
            f"{', '.join(known) or 'none'}"
        )
    curves = tuple(
        _curve(standing, sweep, [item for item in carried if item.condition == condition])
        for condition in (sweep.conflict, sweep.control)
    )
    grid = sorted({point for curve in curves for each in curve.values() for point in each})
    for condition, curve in zip((sweep.conflict, sweep.control), curves, strict=True):
        if not curve:
            raise NotFound(f"no item with the fact “{sweep.cue}” is {condition}")
        for wording, each in curve.items():
            if lacking := [point for point in grid if point not in each]:
                named = f"{condition}, {wording}" if wording else condition
                raise InputError(f"{named} has no score at {sweep.cue} {lacking[0]:g}")
    return grid, (curves[0], curves[1])


def _curve(standing: Standing, sweep: Sweep, items: Sequence[WaveItem]) -> Curve:
    found: Curve = defaultdict(dict)
    for item in items:
        score = decision(standing.scores.get(item.id))
        if score is None:
            raise InputError(f"{item.name} has no decision score, so its curve has a hole")
        point, wording = _cue(item, sweep.cue), _wording(item, sweep.phrasing)
        if point in found[wording]:
            raise InputError(
                f"{item.name}: there are two scores at {sweep.cue} {point:g}; name the fact that "
                "tells wordings apart: --phrasing"
            )
        found[wording][point] = score
    return found


def _means(curves: Sequence[Sequence[float]]) -> list[float]:
    return [fsum(column) / len(column) for column in zip(*curves, strict=True)]


def _cue(item: WaveItem, cue: str) -> float:
    text = str(item.document["facts"][cue])
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{item.name}: the {cue} “{text}” is no number") from None


def _wording(item: WaveItem, phrasing: str) -> str:
    if not phrasing:
        return ""
    found = item.document["facts"].get(phrasing)
    if not found:
        raise NotFound(f"{item.name} does not carry the fact “{phrasing}”")
    return str(found)


def _points(
    standing: Standing, sweep: Sweep, grid: list[float], means: tuple[list[float], list[float]]
) -> Table:
    columns = (
        Column("cue", sweep.cue),
        Column("conflict", f"mean s {sweep.conflict}", "signed"),
        Column("control", f"mean s {sweep.control}", "signed"),
    )
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"cue": f"{point:g}", "conflict": one, "control": two}
        for point, one, two in zip(grid, *means, strict=True)
    )
    title = standing.titled(f"Decision scores over {sweep.cue}")
    return Table(f"points {standing.setup.id}", title, columns, rows, (S, EXACT))


def _contrast(standing: Standing, sweep: Sweep, found: SweepContrast, drawn: str) -> Table:
    cells: tuple[dict[str, Cell], ...] = (
        {"what": "correlation r", "value": found.correlation},
        {"what": "mean shift", "value": found.shift},
        {"what": "share of the grid below 0", "value": found.respecting},
        {"what": f"{sweep.conflict} first below 0", "value": found.conflict_crossing.text()},
        {"what": f"{sweep.control} first below 0", "value": found.control_crossing.text()},
    )
    return Table(
        f"curves {standing.setup.id}",
        standing.titled(f"{sweep.conflict} against {sweep.control} over {sweep.cue}"),
        (Column("what", "What"), Column("value", "Value", "signed")),
        cells,
        (drawn, S, EXACT),
    )
