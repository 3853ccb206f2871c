"""Standard errors of means: over tasks of different size, and over clusters that hang together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stats import checks
from stats.errors import StatisticsInputError


def se_of_mean_over_tasks(
    errors: Sequence[float] | ArrayLike, sizes: Sequence[int] | ArrayLike | None = None
) -> float:
    r"""Return the standard error of the mean of independent task means.

    :math:`\sqrt{\sum_i w_i^2 SE_i^2}` with :math:`w_i = n_i / N`, or 1 / number of tasks. The
    weights must be those of the mean that it stands beside.

    Parameters
    ----------
    errors
        The standard error of each task's mean.
    sizes
        How many items each task has, for the size-weighted mean; left out for the plain mean.

    Examples
    --------
    >>> round(se_of_mean_over_tasks([0.04, 0.02], [100, 300]), 6)
    0.018028
    >>> round(se_of_mean_over_tasks([0.04, 0.02]), 6)
    0.022361
    """
    se = checks.numbers("errors", errors)
    n = np.ones_like(se) if sizes is None else checks.numbers("sizes", sizes)
    if not se.size or se.shape != n.shape or se.ndim != 1:
        raise StatisticsInputError("errors and sizes must hold one number per task each")
    if not np.isfinite(se).all() or (se < 0).any() or not (n > 0).all():
        raise StatisticsInputError("errors must be >= 0 and sizes above 0, none missing")
    return float(np.sqrt(((n / n.sum()) ** 2 * se**2).sum()))


def standard_error(values: Sequence[float] | ArrayLike) -> float:
    r"""Return the standard error of a mean of independent values, :math:`s / \sqrt n`.

    Raises
    ------
    StatisticsInputError
        Fewer than two values: their spread is unknown, not 0.

    Examples
    --------
    >>> standard_error([1, 3])
    1.0
    """
    x = checks.numbers("values", values)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all():
        raise StatisticsInputError("values: a standard error needs two numbers or more")
    return float(x.std(ddof=1) / np.sqrt(len(x)))


def cluster_robust_se(clusters: Sequence[Sequence[Any]]) -> float:
    r"""Return the standard error of a mean over clustered values (CR0 sandwich).

    :math:`\sqrt{\sum_g (\sum_{i \in g} (x_i - \bar x))^2} / N` (Liang & Zeger 1986), without
    small-sample correction. With few clusters it is too small.

    Parameters
    ----------
    clusters
        The values of each cluster.

    Raises
    ------
    StatisticsInputError
        Fewer than two clusters: how much clusters differ is unknown, not 0.

    Examples
    --------
    >>> round(cluster_robust_se([[1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0, 1]]), 6)
    0.212459
    """
    if not isinstance(clusters, Sequence | np.ndarray):
        raise StatisticsInputError("clusters: give one list of values per cluster")
    groups = [checks.numbers("clusters", each, ndim=1) for each in clusters]
    if len(groups) < 2 or any(not len(each) for each in groups):
        raise StatisticsInputError("clusters: give at least 2 clusters, none of them empty")
    values = np.concatenate(groups)
    if not np.isfinite(values).all():
        raise StatisticsInputError("clusters: a value is missing; drop it and say so")
    totals = np.array([(each - values.mean()).sum() for each in groups])
    return float(np.sqrt((totals**2).sum()) / len(values))
