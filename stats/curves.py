"""Curves over a grid: cue sweeps and occlusion (Core-100, secs. 2 and 3, App. A).

A decision score is ``s = log p(heuristic) - log p(constraint-heavy)``: below 0 the model prefers
the constraint-heavy action. Scores are deterministic; what varies is the phrasing, so intervals
resample phrasings, each condition within its own pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from core.estimate import Estimate
from stats import checks
from stats.draws import Draws, FloatArray
from stats.errors import StatisticsInputError
from stats.resample import bootstrap, iid, items_in_lists, replicate


@dataclass(frozen=True, slots=True)
class Crossing:
    """The first grid value at which a curve passes a threshold.

    Attributes
    ----------
    at
        The grid value; ``None`` when the curve never passes within the grid.
    low, high
        95 % interval over the same grid: ``None`` in `high` means "or never". Both are ``None``
        together with `why_no_interval`.
    """

    at: float | None
    low: float | None
    high: float | None
    replicates: int = 0
    why_no_interval: str | None = None

    def text(self) -> str:
        """Return the value for a table, "never" in words.

        Examples
        --------
        >>> Crossing(None, 3000.0, None, 2000).text()
        'never [3000, never]'
        """
        words = ["never" if v is None else f"{v:g}" for v in (self.at, self.low, self.high)]
        return words[0] if self.why_no_interval else f"{words[0]} [{words[1]}, {words[2]}]"


@dataclass(frozen=True, slots=True)
class SweepContrast:
    """A conflict curve against its control curve.

    Attributes
    ----------
    correlation
        Pearson r of the two mean curves over the grid; undefined when either is flat.
    shift
        Mean of conflict minus control over the grid, in the unit of the scores (log-odds).
    respecting
        Share of grid values at which the conflict score is below 0.
    conflict_crossing, control_crossing
        First grid value with a score below 0.
    """

    correlation: Estimate
    shift: Estimate
    respecting: Estimate
    conflict_crossing: Crossing
    control_crossing: Crossing


def sweep_contrast(
    grid: ArrayLike,
    conflict: ArrayLike,
    control: ArrayLike,
    *,
    replicates: int = 2_000,
    seed: int,
) -> SweepContrast:
    """Compare a conflict sweep with its control sweep (Core-100, sec. 2, Tables 3-5).

    If the constraint gates the decision, the conflict curve is flat and below 0; if it is one more
    input, the curves share their shape (high r) and differ by a shift.

    Parameters
    ----------
    grid
        Shape ``(points,)``, strictly increasing: distance in metres, price, ...
    conflict, control
        Shape ``(phrasings, points)`` or ``(points,)``: decision scores. The two may have different
        numbers of phrasings.

    Examples
    --------
    A control that falls by 1 per step and a conflict curve 2 below it:

    >>> found = sweep_contrast([10, 100, 1000], [[1, 0, -1]], [[3, 2, 1]], seed=1)
    >>> round(found.correlation.value, 6), found.shift.value, found.conflict_crossing.at
    (1.0, -2.0, 1000.0)
    >>> found.control_crossing.text()
    'never'
    """
    points = _increasing(grid)
    one, two = _curves("conflict", conflict, len(points)), _curves("control", control, len(points))
    k = len(one)
    lists = ["conflict"] * k + ["control"] * len(two)
    draws = items_in_lists(lists, replicates=replicates, seed=seed, unit="phrasing")

    def curves(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        return weights[:, :k] @ one / k, weights[:, k:] @ two / len(two)

    def metrics(weights: FloatArray) -> FloatArray:
        a, b = curves(weights)
        return np.column_stack([_pearson(a, b), (a - b).mean(axis=1), (a < 0).mean(axis=1)])

    why = "a curve is flat: the correlation is undefined"
    correlation, shift, respecting = bootstrap(metrics, draws, why=why)
    drawn = replicate(lambda w: np.hstack(curves(w)), draws) if draws.resampled > 1 else None
    return SweepContrast(
        correlation,
        shift,
        respecting,
        first_below(points, one.mean(axis=0), _half(drawn, 0, len(points)), draws),
        first_below(points, two.mean(axis=0), _half(drawn, 1, len(points)), draws),
    )


def first_below(
    grid: FloatArray,
    curve: FloatArray,
    replicates: FloatArray | None,
    draws: Draws,
    *,
    threshold: float = 0.0,
    rule: Literal["below", "at or below"] = "below",
) -> Crossing:
    """Return the first grid value at which a curve is below (or at) a threshold.

    Parameters
    ----------
    grid, curve
        Shape ``(points,)``.
    replicates
        The curve in all replicates, shape ``(points, replicates)``; ``None``: no interval.
    """
    at = _first(grid, curve[:, None], threshold, rule)[0]
    value = None if np.isinf(at) else float(at)
    if replicates is None:
        return Crossing(value, None, None, 0, f"only one {draws.unit}: nothing to resample")
    found = np.sort(_first(grid, replicates, threshold, rule))
    tail = round(0.025 * (len(found) - 1), 9)
    ends = found[int(np.floor(tail))], found[len(found) - 1 - int(np.floor(tail))]
    low, high = (None if np.isinf(end) else float(end) for end in ends)
    if low is None:
        return Crossing(value, None, None, len(found), "never in 97.5 % of resamples")
    return Crossing(value, low, high, len(found))


def occlusion_ratio(
    base: ArrayLike,
    cue_occluded: ArrayLike,
    goal_occluded: ArrayLike,
    *,
    replicates: int = 2_000,
    seed: int,
) -> Estimate:
    """Return the cue-to-goal effect ratio of occlusion (Core-100, App. A.1, Table 3).

    The effect of occluding a span z is ``A(z) = s(occ(x, z)) - s(x)``; the ratio is
    ``|mean A(cue)| / |mean A(goal)|`` over phrasings, for one replacement operator. Operators are
    not commensurate: never average over them.

    Parameters
    ----------
    base, cue_occluded, goal_occluded
        Shape ``(phrasings,)``: decision scores as they are, with the cue (distance) replaced, and
        with the goal replaced.

    Examples
    --------
    The cue moves the score by -4 on average, the goal by +1:

    >>> occlusion_ratio([5, 5], [2, 0], [6, 6], seed=1).value
    4.0
    """
    names = ("base", "cue_occluded", "goal_occluded")
    given = (base, cue_occluded, goal_occluded)
    table = {
        n: checks.numbers(n, v, ndim=1, missing=False) for n, v in zip(names, given, strict=True)
    }
    checks.same_shape(**table)
    scores = np.column_stack(list(table.values()))
    if len(scores) == 0:
        raise StatisticsInputError("base is empty: give at least one phrasing")
    effects = scores[:, 1:] - scores[:, :1]

    def ratio(weights: FloatArray) -> FloatArray:
        mean = np.abs(weights @ effects)
        return np.asarray(mean[:, 0] / mean[:, 1], np.float64)

    draws = iid(len(scores), replicates=replicates, seed=seed, unit="phrasing")
    return bootstrap(ratio, draws, why="occluding the goal has no mean effect: division by zero")[0]


def _increasing(grid: ArrayLike) -> FloatArray:
    points = checks.numbers("grid", grid, ndim=1, missing=False)
    if len(points) < 2 or (np.diff(points) <= 0).any():
        raise StatisticsInputError("grid must hold at least two strictly increasing values")
    return points


def _curves(name: str, values: ArrayLike, points: int) -> FloatArray:
    given = checks.numbers(name, values, missing=False)
    table = checks.numbers(name, given[None, :] if given.ndim == 1 else given, ndim=2)
    if table.shape[1] != points or len(table) == 0:
        raise StatisticsInputError(
            f"{name} must have one column per grid value ({points}), has shape {table.shape}"
        )
    return table


def _pearson(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return Pearson's r line by line; NaN where a line is flat."""
    x, y = one - one.mean(axis=1, keepdims=True), other - other.mean(axis=1, keepdims=True)
    for centred, raw in ((x, one), (y, other)):
        flat = np.abs(centred).max(axis=1) <= 1e-12 * np.abs(raw).max(axis=1)
        centred[flat] = 0.0
    norm = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.asarray((x * y).sum(axis=1) / norm, np.float64)


def _first(grid: FloatArray, curves: FloatArray, threshold: float, rule: str) -> FloatArray:
    """Return the first grid value past the threshold for each column; infinity for never."""
    past = curves < threshold if rule == "below" else curves <= threshold + 1e-12
    return np.where(past.any(axis=0), grid[past.argmax(axis=0)], np.inf)


def _half(drawn: FloatArray | None, which: int, points: int) -> FloatArray | None:
    return None if drawn is None else drawn[which * points : (which + 1) * points]
