"""Instruction against induction: instruction-following (IF) rates of one model over a grid of N.

A trial followed the instruction (1), followed the pattern (0), or did neither (NaN: unknown).
Unknown trials are left out of rates and reported beside them. A cell is one condition at one N;
its rate is over its known trials, and a model's rate is the plain mean over its cells.

What is resampled is a choice, and each answers another question: ``cell`` draws cells (the widths
printed in the paper's Table 2 fit this one), ``condition`` draws conditions with all their N,
``seed`` draws question sets with all cells, which measures only how much the questions matter.

Source: "Do as I Say, Not as I Do", secs. 2 and 3, Apps. F, J and K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.estimate import Estimate, undefined
from stats import checks
from stats.curves import Crossing, first_below
from stats.draws import Draws, FloatArray
from stats.errors import StatisticsInputError
from stats.means import nan_mean
from stats.resample import Statistic, bootstrap, cluster, estimates, iid, items_in_lists, replicate

Scheme = Literal["cell", "condition", "seed"]
_NO_CELL = "no cell has a trial that followed either the instruction or the pattern"


@dataclass(frozen=True, slots=True)
class IfRate:
    """A model's average IF rate.

    Attributes
    ----------
    rate
        Plain mean over cells.
    n_trials, n_unknown, unknown_rate
        Trials that were run, those that did neither, and their share (``None`` without a trial).
    n_empty_cells
        Cells left out because no trial is known.
    """

    rate: Estimate
    n_trials: int
    n_unknown: int
    unknown_rate: float | None
    n_empty_cells: int


@dataclass(frozen=True, slots=True)
class IfCurve:
    """IF rate at every N (mean over conditions) and the first N at which it is at most one half."""

    n_turns: tuple[float, ...]
    rates: tuple[Estimate, ...]
    n50: Crossing


@dataclass(frozen=True, slots=True)
class IfContrast:
    """One set of cells against another, paired cell by cell.

    Attributes
    ----------
    difference
        Mean difference over the cells that both have, with p against 0.
    one, other
        The two means over those cells; ``None`` without any.
    n_cells, n_dropped
        Cells used, and cells where either has no known trial.
    """

    difference: Estimate
    one: float | None
    other: float | None
    n_cells: int
    n_dropped: int


def if_rate(
    followed: ArrayLike,
    *,
    ran: ArrayLike | None = None,
    scheme: Scheme = "cell",
    replicates: int = 2_000,
    seed: int,
) -> IfRate:
    """Return the average IF rate of one model (sec. 2.4, Table 2).

    Parameters
    ----------
    followed
        Shape ``(conditions, points, trials)``: 1, 0, or NaN for unknown.
    ran
        Same shape, true where a trial was run; left out: all were. What was not run is no unknown.

    Examples
    --------
    One condition, two values of N, two trials, one of them unknown:

    >>> found = if_rate([[[1, 1], [0, np.nan]]], seed=1)
    >>> found.rate.value, found.n_unknown, found.unknown_rate
    (0.5, 1, 0.25)
    """
    trials = _trials("followed", followed)
    there = _ran(ran, trials)
    cells = _Cells(trials)
    known = ~np.isnan(trials)
    if (known & ~there).any():
        raise StatisticsInputError("ran says that a trial was not run, but followed has its result")
    n_trials, n_unknown = int(there.sum()), int((there & ~known).sum())
    share = n_unknown / n_trials if n_trials else None
    empty = int(np.isnan(cells.rates).sum())
    everywhere = np.ones((1, len(cells.rates)))
    rate = _estimate(cells, None, everywhere, scheme, replicates=replicates, seed=seed)[0]
    return IfRate(rate, n_trials, n_unknown, share, empty)


def if_curve(
    followed: ArrayLike,
    n_turns: Sequence[float],
    *,
    scheme: Scheme = "cell",
    replicates: int = 2_000,
    seed: int,
) -> IfCurve:
    """Return the IF rate at every N, and N50: the first N with a mean rate of at most one half.

    Parameters
    ----------
    followed
        Shape ``(conditions, points, trials)``.
    n_turns
        The grid of N, strictly increasing, one per point. Under the ``cell`` scheme the conditions
        of each N are drawn within that N.

    Examples
    --------
    >>> curve = if_curve([[[1, 1], [1, 0], [0, 0]]], [1, 2, 3], scheme="seed", seed=1)
    >>> [rate.value for rate in curve.rates], curve.n50.at
    ([1.0, 0.5, 0.0], 2.0)
    """
    trials = _trials("followed", followed)
    grid = checks.numbers("n_turns", n_turns, ndim=1, missing=False)
    if len(grid) != trials.shape[1] or (np.diff(grid) <= 0).any():
        raise StatisticsInputError(
            f"n_turns must hold {trials.shape[1]} strictly increasing values, one per point"
        )
    cells = _Cells(trials).defined()
    if len(cells.rates) == 0:
        _check_scheme(scheme)
        none = tuple(undefined(_NO_CELL) for _ in grid)
        return IfCurve(tuple(grid.tolist()), none, Crossing(None, None, None, 0, _NO_CELL))
    points = (cells.point == np.arange(len(grid))[:, None]).astype(np.float64)
    if scheme == "cell":
        lists = cells.point.tolist()
        draws = items_in_lists(lists, replicates=replicates, seed=seed, unit="cell")
    else:
        draws = _draws(cells, scheme, replicates, seed)
    statistic = _statistic(cells, None, points, scheme)
    values, drawn = _evaluated(statistic, draws)
    at_n = points.sum(axis=1).astype(int).tolist()
    units = [cells.shape[2] if scheme == "seed" else n for n in at_n]
    rates = [
        estimates(values[k : k + 1], _line(drawn, k), draws, why=_NO_CELL, n=n)
        for k, n in enumerate(units)
    ]
    known = np.isfinite(values)
    within = None if drawn is None else np.nan_to_num(drawn[known], nan=1.0)
    n50 = first_below(grid[known], values[known], within, draws, threshold=0.5, rule="at or below")
    return IfCurve(tuple(grid.tolist()), tuple(rate for (rate,) in rates), n50)


def if_contrast(
    one: ArrayLike,
    other: ArrayLike,
    *,
    scheme: Scheme = "cell",
    replicates: int = 2_000,
    seed: int,
) -> IfContrast:
    """Return the mean difference of two IF rates, paired by cell.

    The alignment gap is aligned minus misaligned conditions (mirror pairs in the same place), the
    hint gain is hint minus no hint, a run-against-run contrast is reasoning against none, one
    checkpoint or one temperature against another.

    Parameters
    ----------
    one, other
        Shape ``(conditions, points, trials)``. The numbers of trials may differ, except under the
        ``seed`` scheme, which pairs trials.

    Examples
    --------
    >>> found = if_contrast([[[1, 1], [1, 0]]], [[[1, 0], [0, 0]]], seed=1)
    >>> found.difference.value, found.one, found.other
    (0.5, 0.75, 0.25)
    """
    first, second = _Cells(_trials("one", one)), _Cells(_trials("other", other))
    if first.shape[:2] != second.shape[:2] or (scheme == "seed" and first.shape != second.shape):
        raise StatisticsInputError(
            f"other has shape {second.shape} and one {first.shape}: give both the same conditions "
            "and points (and trials, under the seed scheme)"
        )
    both = np.isfinite(first.rates) & np.isfinite(second.rates)
    everywhere = np.ones((1, len(both)))
    how = {"replicates": replicates, "seed": seed}
    difference = _estimate(first, second, everywhere, scheme, null=0.0, **how)[0]
    return IfContrast(
        difference,
        _mean(first.rates[both]),
        _mean(second.rates[both]),
        int(both.sum()),
        int((~both).sum()),
    )


def seed_residuals(
    followed: ArrayLike, *, zone: tuple[float, float] = (0.1, 0.9)
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return each question set's IF centred at every N of the transition zone (App. J).

    Their one-way intraclass correlation (seeds x points) says whether some questions are followed
    systematically. The paper does not define the zone; here it is the points whose mean IF lies
    strictly within `zone`.

    Parameters
    ----------
    followed
        Shape ``(conditions, points, trials)``, trials in the order of their seeds.

    Returns
    -------
    residuals
        Shape ``(trials, points in the zone)``; NaN where a seed has no known trial at a point.
    points
        Which points are in the zone.

    Examples
    --------
    >>> residuals, points = seed_residuals([[[1, 1], [1, 0], [0, 0]]])
    >>> residuals.tolist(), points.tolist()
    ([[0.5], [-0.5]], [False, True, False])
    """
    trials = _trials("followed", followed)
    by_seed = nan_mean(trials, axis=0)
    at_point = nan_mean(by_seed, axis=1)
    inside = np.isfinite(at_point) & (at_point > zone[0]) & (at_point < zone[1])
    return (by_seed - at_point[:, None])[inside].T, inside


class _Cells:
    """Trials by cell: condition by condition, N by N."""

    def __init__(self, trials: FloatArray) -> None:
        conditions, points, _ = self.shape = trials.shape
        self.trials = trials.reshape(conditions * points, -1)
        self.condition = np.repeat(np.arange(conditions), points)
        self.point = np.tile(np.arange(points), conditions)
        self.rates = nan_mean(self.trials, axis=1)

    def keep(self, which: NDArray[np.bool_]) -> _Cells:
        """Return a copy with these cells only."""
        kept = _Cells.__new__(_Cells)
        kept.shape, kept.trials, kept.rates = self.shape, self.trials[which], self.rates[which]
        kept.condition, kept.point = self.condition[which], self.point[which]
        return kept

    def defined(self) -> _Cells:
        """Return the cells that have a known trial."""
        return self.keep(np.isfinite(self.rates))

    def drawn_rates(self, weights: FloatArray) -> FloatArray:
        """Return every cell's rate under weights of trials, shape ``(lines, cells)``."""
        known = np.isfinite(self.trials)
        filled = np.where(known, self.trials, 0.0)
        return np.asarray((weights @ filled.T) / (weights @ known.T.astype(np.float64)))


def _estimate(
    one: _Cells,
    other: _Cells | None,
    members: FloatArray,
    scheme: Scheme,
    *,
    null: float | None = None,
    replicates: int,
    seed: int,
) -> tuple[Estimate, ...]:
    """Return the means over the cells of each line of `members`."""
    usable = np.isfinite(one.rates) & (True if other is None else np.isfinite(other.rates))
    one, other = one.keep(usable), None if other is None else other.keep(usable)
    if not usable.any():
        _check_scheme(scheme)
        return tuple(undefined(_NO_CELL) for _ in members)
    draws = _draws(one, scheme, replicates, seed)
    statistic = _statistic(one, other, members[:, usable], scheme)
    return bootstrap(statistic, draws, null=null, why=_NO_CELL)


def _statistic(one: _Cells, other: _Cells | None, members: FloatArray, scheme: Scheme) -> Statistic:
    """Return means of cells: the cells' weights vary, or under ``seed`` the trials' weights."""
    if scheme != "seed":
        rates = one.rates if other is None else one.rates - other.rates
        return lambda weights: (weights @ (members * rates).T) / (weights @ members.T)

    def over_seeds(weights: FloatArray) -> FloatArray:
        rates = one.drawn_rates(weights)
        if other is not None:
            rates = rates - other.drawn_rates(weights)
        there = np.isfinite(rates)
        sums = np.where(there, rates, 0.0) @ members.T
        return np.asarray(sums / (there.astype(np.float64) @ members.T))

    return over_seeds


def _draws(cells: _Cells, scheme: Scheme, replicates: int, seed: int) -> Draws:
    _check_scheme(scheme)
    how = {"replicates": replicates, "seed": seed}
    if scheme == "seed":
        trials = cells.shape[2]
        return iid(trials, scheme="question sets", unit="question set", **how)
    if scheme == "condition":
        return cluster(cells.condition.tolist(), unit="condition", **how)
    return iid(len(cells.rates), scheme="cells", unit="cell", **how)


def _check_scheme(scheme: str) -> None:
    if scheme not in get_args(Scheme):
        raise StatisticsInputError(f"scheme must be one of {get_args(Scheme)}, is {scheme!r}")


def _evaluated(statistic: Statistic, draws: Draws) -> tuple[FloatArray, FloatArray | None]:
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(statistic(np.ones((1, draws.width))))[0]
    return values, replicate(statistic, draws) if draws.resampled > 1 else None


def _mean(rates: FloatArray) -> float | None:
    return float(rates.mean()) if len(rates) else None


def _line(drawn: FloatArray | None, k: int) -> FloatArray | None:
    return None if drawn is None else drawn[k : k + 1]


def _trials(name: str, values: ArrayLike) -> FloatArray:
    trials = checks.shares(name, values, ndim=3)
    if 0 in trials.shape:
        raise StatisticsInputError(f"{name} is empty: its shape is {trials.shape}")
    if ((trials > 0) & (trials < 1)).any():
        raise StatisticsInputError(f"{name} must hold 1, 0, or NaN for unknown")
    return trials


def _ran(ran: ArrayLike | None, trials: FloatArray) -> NDArray[np.bool_]:
    there = np.ones(trials.shape, bool) if ran is None else np.asarray(ran)
    if there.dtype != np.bool_ or there.shape != trials.shape:
        raise StatisticsInputError(f"ran must be truth values of shape {trials.shape}")
    return there
