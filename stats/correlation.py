"""Pearson, Spearman and Kendall correlations of pairs, with p-values and what makes them void."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from scipy import stats as scipy_stats

from core.estimate import Estimate, undefined
from stats import checks, resample
from stats.errors import StatisticsInputError
from stats.item_sums import Bootstrap
from stats.pairs import ROUNDING, complete_pairs, is_constant
from stats.ratings import Column, Floats

CorrelationKind = Literal["pearson", "spearman", "kendall"]

_TESTS: dict[CorrelationKind, Callable[[Floats, Floats], Any]] = {
    "pearson": scipy_stats.pearsonr,
    "spearman": scipy_stats.spearmanr,
    "kendall": scipy_stats.kendalltau,
}
_NAMES: dict[CorrelationKind, str] = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau-b",
}


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation with its p-value, its interval if one was asked for, and the dropped pairs."""

    estimate: Estimate
    estimator: str
    n_pairs_dropped: int
    notes: tuple[str, ...] = ()

    @property
    def value(self) -> float | None:
        """The coefficient, ``None`` when it is undefined."""
        return self.estimate.value


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs of units two rankings order alike, and the coefficients made of them.

    Attributes
    ----------
    concordant, discordant
        Pairs that both order alike, and that they order differently.
    tied_first, tied_second, tied_both
        Pairs tied in the first only, in the second only, and in both.
    n, levels
        Units, and the smaller number of different values.
    """

    concordant: int
    discordant: int
    tied_first: int
    tied_second: int
    tied_both: int
    n: int
    levels: int

    @property
    def tau_a(self) -> float | None:
        """Difference over all pairs; ties count against it."""
        return _ratio(self._difference, self.n * (self.n - 1) / 2)

    @property
    def tau_b(self) -> float | None:
        """Difference over the geometric mean of the pairs untied in each."""
        untied = self.concordant + self.discordant
        product = (untied + self.tied_first) * (untied + self.tied_second)
        return _ratio(self._difference, float(np.sqrt(product)))

    @property
    def tau_c(self) -> float | None:
        """Stuart's coefficient, for tables that are not square."""
        if self.levels < 2:
            return None
        return _ratio(2 * self._difference, self.n**2 * (self.levels - 1) / self.levels)

    @property
    def gamma(self) -> float | None:
        """Goodman and Kruskal's coefficient: ties left out."""
        return _ratio(self._difference, self.concordant + self.discordant)

    @property
    def _difference(self) -> int:
        return self.concordant - self.discordant


def correlation(
    first: Column,
    second: Column,
    kind: CorrelationKind,
    *,
    seed: int | None = None,
    replicates: int = 0,
    level: float = 0.95,
) -> Correlation:
    """Correlate two lists of numbers, unit by unit.

    Parameters
    ----------
    first, second
        One number per unit each; a unit that lacks one is dropped and counted.
    kind
        ``"pearson"`` (p from t on n - 2 degrees of freedom), ``"spearman"`` (mid-ranks; p from t)
        or ``"kendall"`` (tau-b; p exact without ties in small samples, else normal with ties
        corrected). All two-sided, by scipy.
    seed, replicates, level
        Percentile bootstrap over units; none by default.

    Returns
    -------
    Correlation
        Undefined, with the reason, when a list is constant, and with two pairs, where it is +1
        or -1 by construction.

    Raises
    ------
    StatisticsInputError
        Fewer than two complete pairs, or lists of different length.

    Examples
    --------
    Anscombe (1973), set I: r = 0.816.

    >>> x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    >>> y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    >>> round(correlation(x, y, "pearson").value, 3)
    0.816
    """
    if kind not in get_args(CorrelationKind):
        raise StatisticsInputError(f"kind: choose one of {', '.join(_TESTS)}, not {kind!r}")
    bootstrap = Bootstrap(seed, replicates, level)
    x, y, notes = complete_pairs(first, second)
    if len(x) < 2:
        raise StatisticsInputError(f"first and second: need at least 3 pairs, have {len(x)}")
    reason = _why_undefined(x, y)
    if reason is not None:
        estimate = undefined(reason, len(x))
    else:
        order = np.lexsort((y, x))
        estimate = _estimate(x[order], y[order], kind, bootstrap)
    dropped = len(first) - len(x)
    return Correlation(estimate, _NAMES[kind], dropped, notes)


def pair_counts_of_rankings(first: Column, second: Column) -> PairCounts:
    """Count concordant, discordant and tied pairs of units.

    Parameters
    ----------
    first, second
        One number per unit each; a unit that lacks one is dropped.

    Examples
    --------
    scipy's documentation, tau-b = -0.4714:

    >>> counts = pair_counts_of_rankings([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
    >>> counts.concordant, counts.discordant, counts.tied_first, counts.tied_both
    (2, 6, 1, 1)
    >>> round(counts.tau_b, 4), counts.tau_a, counts.gamma
    (-0.4714, -0.4, -0.5)
    """
    x, y, _ = complete_pairs(first, second)
    above = np.triu_indices(len(x), 1)
    sx, sy = (np.sign(np.subtract.outer(each, each))[above] for each in (x, y))
    return PairCounts(
        concordant=int((sx * sy > 0).sum()),
        discordant=int((sx * sy < 0).sum()),
        tied_first=int(((sx == 0) & (sy != 0)).sum()),
        tied_second=int(((sx != 0) & (sy == 0)).sum()),
        tied_both=int(((sx == 0) & (sy == 0)).sum()),
        n=len(x),
        levels=min(len(np.unique(x)), len(np.unique(y))),
    )


def p_of_pearson(r: float, n: float) -> float:
    """Return the two-sided p-value of Pearson's r of n pairs, from t on n - 2 degrees of freedom.

    For numbers that come from a table instead of the data.

    Examples
    --------
    A correlation of .35 over 13 models has p = .24:

    >>> round(p_of_pearson(0.35, 13), 2)
    0.24
    """
    r, n = checks.number("r", r), checks.number("n", n)
    if not -1 <= r <= 1 or n < 3:
        raise StatisticsInputError(f"r must lie between -1 and 1 and n be 3 or more: {r}, {n}")
    if abs(r) == 1:
        return 0.0
    t = abs(r) * np.sqrt((n - 2) / (1 - r**2))
    return float(2 * scipy_stats.t.sf(t, n - 2))


def weighted_correlation(x: Floats, y: Floats, kind: CorrelationKind) -> resample.Statistic:
    """Return the correlation as a function of weights, for :func:`stats.resample.bootstrap`.

    Parameters
    ----------
    x, y
        Complete pairs.
    kind
        As for :func:`correlation`.
    """
    if kind == "kendall":
        sx, sy = (np.sign(np.subtract.outer(each, each)) for each in (x, y))
        both, one, other = sx * sy, np.abs(sx), np.abs(sy)

        def tau(w: Floats) -> Floats:
            top, left, right = (((w @ m) * w).sum(axis=1) for m in (both, one, other))
            return np.asarray(top / np.sqrt(left * right))

        return tau
    if kind == "pearson":
        return lambda w: _weighted_pearson(w, (x - x.mean())[None], (y - y.mean())[None])
    rank_x, rank_y = _weighted_ranks(x), _weighted_ranks(y)
    return lambda w: _weighted_pearson(w, rank_x(w), rank_y(w))


def _estimate(x: Floats, y: Floats, kind: CorrelationKind, bootstrap: Bootstrap) -> Estimate:
    found = _TESTS[kind](x, y)
    value, p = min(1.0, max(-1.0, float(found.statistic))), float(found.pvalue)
    if bootstrap.seed is None or not bootstrap.replicates:
        return Estimate(value, len(x), p=p, why_no_interval="no bootstrap was asked for")
    draws = resample.iid(len(x), replicates=bootstrap.replicates, seed=bootstrap.seed, unit="pair")
    statistic = weighted_correlation(x, y, kind)
    (estimate,) = resample.bootstrap(statistic, draws, level=bootstrap.level)
    return replace(estimate, value=value, p=p)


def _why_undefined(x: Floats, y: Floats) -> str | None:
    for name, values in (("first", x), ("second", y)):
        if is_constant(values):
            return f"the {name} list is constant: correlation undefined"
    if len(x) == 2:
        return "n = 2: the correlation is +1 or -1 by construction"
    return None


def _weighted_pearson(w: Floats, x: Floats, y: Floats) -> Floats:
    """Return Pearson's r for each line of weights; x and y have one line, or one per line of w."""
    total = w.sum(axis=1, keepdims=True)
    dx = x - (w * x).sum(axis=1, keepdims=True) / total
    dy = y - (w * y).sum(axis=1, keepdims=True) / total
    sxy, sxx, syy = ((w * a * b).sum(axis=1) for a, b in ((dx, dy), (dx, dx), (dy, dy)))
    # A resample in which x or y is constant has no correlation, whatever rounding leaves of it.
    varies = (sxx > ROUNDING * (w * x * x).sum(axis=1)) & (syy > ROUNDING * (w * y * y).sum(axis=1))
    return np.where(varies, sxy / np.sqrt(sxx * syy), np.nan)


def _weighted_ranks(values: Floats) -> Callable[[Floats], Floats]:
    """Return the mid-ranks of values as a function of weights: how often each value occurs."""
    _, group = np.unique(values, return_inverse=True)
    member = np.eye(group.max() + 1)[group]

    def ranks(w: Floats) -> Floats:
        times = w @ member
        return np.asarray((times.cumsum(axis=1) - times / 2)[:, group])

    return ranks


def _ratio(top: float, bottom: float) -> float | None:
    return top / bottom if bottom else None
