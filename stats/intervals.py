"""From replicates to an interval and a p-value: percentile, BCa, and the add-one bootstrap p.

Replicates that differ by rounding alone count as equal, so that a difference that is zero in
exact arithmetic is on neither side of zero, and constant data have the interval [v, v].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError

Ties = Literal["half", "strict"]

_ROUNDING = 1e-12
_LARGEST = 1e300  # between two of them there is no overflow yet


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends, or why there are none."""

    low: float | None
    high: float | None
    why_none: str | None = None


def percentile_intervals(replicates: FloatArray, level: float = 0.95) -> tuple[FloatArray, ...]:
    """Return the lower and the upper ends of percentile intervals.

    Parameters
    ----------
    replicates
        Shape ``(statistics, replicates)``, without NaN.
    level
        Confidence level between 0 and 1.

    Returns
    -------
    tuple of two arrays of shape ``(statistics,)``
        The ``(1 - level) / 2`` and ``(1 + level) / 2`` quantiles, linearly interpolated (numpy's
        default, Hyndman and Fan's type 7).

    Examples
    --------
    >>> [end.tolist() for end in percentile_intervals(np.arange(41.0)[None, :])]
    [[1.0], [39.0]]
    """
    check_level(level)
    replicates = _drawn(replicates, ndim=2)
    ends = _tails(level)
    place = ends * (replicates.shape[-1] - 1)
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, replicates.shape[-1] - 1)
    ordered = np.sort(replicates, axis=-1)  # vectorised in numpy 2: faster than a partition
    step = ordered[:, above] - ordered[:, below]
    ends_found = ordered[:, below] + (place - below) * step
    return ends_found[:, 0], ends_found[:, 1]


def bca_interval(
    value: float,
    replicates: FloatArray,
    acceleration: float,
    level: float = 0.95,
    *,
    ties: Ties = "half",
) -> Interval:
    """Return the bias-corrected and accelerated interval (Efron, 1987).

    The ends are the quantiles of the replicates at :func:`bca_levels`, with the bias correction
    ``z0 = ndtri(share of replicates below the estimate)``.

    Parameters
    ----------
    value
        The estimate.
    replicates
        Shape ``(replicates,)``, without NaN.
    acceleration
        The constant a, see :func:`acceleration`.
    ties
        Replicates equal to the estimate count ``half`` (as in scipy), or not at all: ``strict``.

    Examples
    --------
    The fixed grid of the reference cases (``bca-grid-2``):

    >>> found = bca_interval(0.6005, np.arange(1000) / 1000, -0.05)
    >>> round(found.low, 9), round(found.high, 9)
    (0.053995191, 0.986813543)
    """
    checks.number("acceleration", acceleration)
    replicates = _drawn(replicates, ndim=1)
    share = share_below(value, replicates, ties)
    if not 0.0 < share < 1.0:
        return Interval(None, None, "BCa has no bias correction: all resamples lie on one side")
    levels = bca_levels(float(ndtri(share)), acceleration, level)
    if levels is None:
        return Interval(None, None, "BCa's acceleration is too large for this level")
    ends = np.quantile(replicates, levels)
    return Interval(float(ends[0]), float(ends[1]))


def bca_levels(z0: float, acceleration: float, level: float = 0.95) -> FloatArray | None:
    """Return the two quantile levels of BCa: ``ndtr(z0 + (z0 + z) / (1 - a (z0 + z)))``.

    ``None`` when ``a (z0 + z)`` reaches 1: the formula then turns round and means nothing.

    Examples
    --------
    >>> bca_levels(0.2559363317436934, -0.05).round(9).tolist()
    [0.05404924, 0.987801344]
    """
    check_level(level)
    checks.number("z0", z0)
    checks.number("acceleration", acceleration)
    shifted = z0 + ndtri(_tails(level))
    with np.errstate(over="ignore"):
        room = 1.0 - acceleration * shifted
        if (room <= 0.0).any() or not np.isfinite(room).all():
            return None
        return np.asarray(ndtr(z0 + shifted / room), np.float64)


def acceleration(jackknife: FloatArray) -> float:
    """Return BCa's acceleration from leave-one-out values, 0 when they are all equal.

    ``a = sum(d^3) / (6 sum(d^2)^1.5)`` with ``d = mean - leave-one-out value``.

    Examples
    --------
    Mean 3, so d = 2, 1, -3: ``(8 + 1 - 27) / (6 * 14**1.5)``.

    >>> round(acceleration(np.array([1.0, 2.0, 6.0])), 4)
    -0.0573
    """
    jackknife = _drawn(jackknife, ndim=1, name="jackknife")
    deviation = jackknife.mean() - jackknife
    if np.abs(deviation).max() <= _tolerance(jackknife):
        return 0.0
    deviation /= np.abs(deviation).max()
    return float((deviation**3).sum() / (6.0 * (deviation**2).sum() ** 1.5))


def share_below(value: float, replicates: FloatArray, ties: Ties = "half") -> float:
    """Return the share of replicates below `value`, ties counted half or not at all.

    Examples
    --------
    >>> share_below(2.0, np.array([1.0, 2.0, 2.0, 3.0]))
    0.5
    """
    checks.number("value", value)
    replicates = _drawn(replicates, ndim=1)
    close = _tolerance(replicates, value)
    below = np.count_nonzero(replicates < value - close)
    tied = replicates.size - below - np.count_nonzero(replicates > value + close)
    return float((below + (tied / 2 if ties == "half" else 0)) / replicates.size)


def two_sided_p(replicates: FloatArray, null: float = 0.0) -> FloatArray:
    """Return the two-sided bootstrap p of each statistic against `null`.

    ``p = min(1, 2 min((r_low + 1) / (B + 1), (r_high + 1) / (B + 1)))``, where r_low replicates
    are at or below the null and r_high at or above it (Davison and Hinkley, 1997, sec. 4.2). So p
    is never 0, and at least ``2 / (B + 1)``.

    Parameters
    ----------
    replicates
        Shape ``(statistics, replicates)``, without NaN.

    Examples
    --------
    99 replicates, all above zero: the smallest p there is.

    >>> two_sided_p(np.linspace(0.1, 0.2, 99)[None, :]).tolist()
    [0.02]
    >>> two_sided_p(np.zeros((1, 99))).tolist()
    [1.0]
    """
    checks.number("null", null)
    replicates = _drawn(replicates, ndim=2)
    close = _ROUNDING * np.maximum(np.abs(replicates).max(axis=1), abs(null))
    low = np.count_nonzero(replicates <= null + close[:, None], axis=1)
    high = np.count_nonzero(replicates >= null - close[:, None], axis=1)
    tail = (np.minimum(low, high) + 1.0) / (replicates.shape[1] + 1.0)
    return np.asarray(np.minimum(1.0, 2.0 * tail), np.float64)


def constant(replicates: FloatArray, values: FloatArray) -> NDArray[np.bool_]:
    """Return which statistics have the same value in every replicate, but for rounding."""
    high, low = replicates.max(axis=1), replicates.min(axis=1)
    close = _ROUNDING * np.maximum(np.maximum(np.abs(high), np.abs(low)), np.abs(values))
    same: NDArray[np.bool_] = (high - low <= close) & (np.abs(high - values) <= close)
    return same


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1)."""
    if not 0.0 < checks.number("level", level) < 1.0:
        raise StatisticsInputError(f"level must lie between 0 and 1 (0.95 for 95 %), is {level}")


def _drawn(replicates: FloatArray, *, ndim: int, name: str = "replicates") -> FloatArray:
    """Return replicates; refuse those that are none."""
    drawn = checks.finite(name, replicates, ndim=ndim, missing=False)
    if 0 in drawn.shape:
        raise StatisticsInputError(f"{name} is empty: its shape is {drawn.shape}")
    if np.abs(drawn).max() > _LARGEST:
        raise StatisticsInputError(f"{name} must be at most {_LARGEST:g} in size")
    return drawn


def _tails(level: float) -> FloatArray:
    """Return the two tail probabilities, free of the rounding in ``1 - 0.95``."""
    return np.round(np.array([(1 - level) / 2, (1 + level) / 2]), 12)


def _tolerance(values: FloatArray, more: float = 0.0) -> float:
    return _ROUNDING * max(float(np.abs(values).max()), abs(more))
