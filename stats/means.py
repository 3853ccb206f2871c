"""Means over what is there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.estimate import Estimate, undefined
from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError
from stats.resample import bootstrap, mean_of
from stats.schemes import cluster, iid


def nan_mean(values: ArrayLike, axis: int = -1) -> FloatArray:
    """Return means along `axis`, NaN cells left out; NaN where nothing is left, without a warning.

    Examples
    --------
    >>> nan_mean([[1.0, 0.0, np.nan], [np.nan, np.nan, np.nan]]).tolist()
    [0.5, nan]
    """
    table = np.asarray(values, np.float64)
    known = ~np.isnan(table)
    sums = np.where(known, table, 0.0).sum(axis=axis)
    counts = known.sum(axis=axis, dtype=np.float64)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def mean_estimate(
    values: ArrayLike, *, replicates: int = 10_000, seed: int, why: str = "nothing was measured"
) -> Estimate:
    """Return the mean over scenarios with an interval from resampling them.

    Parameters
    ----------
    values
        Shape ``(scenarios,)``, in the order of their ids; NaN cells are left out and not counted.
    why
        What a reader is told where nothing is left.

    Examples
    --------
    >>> found = mean_estimate([3.0, 4.0, np.nan, 5.0], seed=1, replicates=200)
    >>> found.value, found.n
    (4.0, 3)
    """
    table = checks.numbers("values", values, ndim=1)
    known = table[~np.isnan(table)]
    if not len(known):
        return undefined(why)
    (found,) = bootstrap(mean_of(known), iid(len(known), replicates=replicates, seed=seed))
    return found


def mean_by_cluster(
    values: ArrayLike,
    clusters: Sequence[str],
    *,
    unit: str = "scenario",
    replicates: int = 10_000,
    seed: int,
    why: str = "nothing was measured",
) -> Estimate:
    """Return the mean over rows, with an interval from resampling whole clusters of them.

    Parameters
    ----------
    values
        Shape ``(rows,)``.
    clusters
        The cluster of each row, such as the scenario that several replies are about.
    unit
        What a cluster is called.

    Examples
    --------
    >>> found = mean_by_cluster([1, 1, 0, 1], ["a", "a", "b", "c"], seed=1, replicates=200)
    >>> found.value, found.scheme
    (0.75, 'cluster')
    """
    table = checks.numbers("values", values, ndim=1)
    if len(clusters) != len(table):
        raise StatisticsInputError(
            f"clusters: one per row, that is {len(table)}, not {len(clusters)}"
        )
    if np.isnan(table).any():
        raise StatisticsInputError("values: NaN is no measurement; leave such rows out")
    if not len(table):
        return undefined(why)
    order = np.argsort(np.asarray(clusters, np.str_), kind="stable")
    ids = [clusters[place] for place in order.tolist()]
    draws = cluster(ids, replicates=replicates, seed=seed, unit=unit)
    (found,) = bootstrap(mean_of(table[order]), draws)
    return found
