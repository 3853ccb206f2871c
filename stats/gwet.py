"""Gwet's AC1 and AC2 and the free-marginal kappa: chance agreement without the kappa paradox.

Both need the scale as the codebook has it, used or not: with the observed labels alone they would
be other coefficients.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats.agreement import NO_PAIR, ONE_ITEM, Agreement, describe, pair_counts
from stats.errors import StatisticsInputError
from stats.item_sums import Bootstrap, Sums, estimate_of_sums
from stats.ratings import Floats, Ints, Orientation, code_ratings, count_table, counted

GwetWeights = Literal["unweighted", "linear", "quadratic"]


def gwet_ac(
    ratings: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    categories: Sequence[Hashable],
    *,
    weights: GwetWeights = "unweighted",
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    orientation: Orientation = "items x raters",
) -> Agreement:
    r"""Gwet's AC1 (unweighted) or AC2 (weighted) of two or more raters, with ratings missing.

    :math:`(p_a - p_e) / (1 - p_e)` with
    :math:`p_e = T_w / (q(q-1)) \sum_k \pi_k (1 - \pi_k)`, where :math:`\pi_k` averages over items
    the share of raters who chose k, and :math:`T_w` sums the q x q weights (Gwet 2008; 2014,
    ch. 4). Items with one rating count in :math:`\pi_k` only.

    Parameters
    ----------
    ratings
        Items x raters, ``None`` or NaN where there is no rating.
    categories
        The whole scale, in its order, as the codebook has it.
    weights
        ``"unweighted"`` (AC1); ``"linear"`` or ``"quadratic"`` (AC2), by places on the scale.
    seed, replicates, level
        Percentile bootstrap over items; ``replicates=0`` for none.
    orientation
        Which way the matrix lies.

    Returns
    -------
    Agreement
        Undefined when no item has two ratings or there is one item only. Unanimity in one
        category of several is 1.

    Examples
    --------
    Krippendorff's data C; irrCAC prints AC1 = 0.77544:

    >>> n = None
    >>> votes = [[1, 1, n, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...          [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [n, 5, 5, 5], [n, n, 1, 1], [n, 3, n, n]]
    >>> round(gwet_ac(votes, [1, 2, 3, 4, 5], replicates=0).value, 5)
    0.77544
    """
    if weights not in get_args(GwetWeights):
        raise StatisticsInputError(f"weights: choose one of {', '.join(get_args(GwetWeights))}")
    coded = code_ratings(ratings, categories, orientation=orientation)
    matrix = _weight_matrix(_checked_size(coded.categories), weights)
    counts = coded.counts()
    used = counts[counts.sum(axis=1) >= 1]
    sums = Sums((_contributions(used, matrix),), lambda sums: _ac(sums, float(matrix.sum())))
    reason = _no_pair(used) or (ONE_ITEM if len(used) == 1 else None)
    estimate, remarks = estimate_of_sums(sums, reason, Bootstrap(seed, replicates, level))
    name = "Gwet's AC1" if weights == "unweighted" else f"Gwet's AC2, {weights}"
    notes = (coded.shape_note, *coded.notes, *remarks)
    return describe(estimate, name, counts, used, notes)


def free_marginal_kappa(
    ratings: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    categories: Sequence[Hashable],
    *,
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    orientation: Orientation = "items x raters",
) -> Agreement:
    r"""Free-marginal kappa of several raters (Brennan & Prediger 1981, Randolph 2005).

    :math:`(\bar P - 1/q) / (1 - 1/q)` with :math:`\bar P` the mean share of agreeing pairs per
    item and q the number of categories on the scale.

    Parameters
    ----------
    ratings
        Items x raters, ``None`` or NaN where there is no rating.
    categories
        The whole scale as the codebook has it.
    seed, replicates, level, orientation
        As for :func:`gwet_ac`.

    Returns
    -------
    Agreement
        Undefined when no item has two ratings. Chance does not depend on the data, so one item
        or one category has a value.

    Examples
    --------
    >>> free_marginal_kappa([["a", "a"], ["a", "a"]], ["a", "b"], replicates=0).value
    1.0
    """
    coded = code_ratings(ratings, categories, orientation=orientation)
    _checked_size(coded.categories)
    notes = (coded.shape_note, *coded.notes)
    return _free_marginal(coded.counts(), notes, Bootstrap(seed, replicates, level))


def free_marginal_kappa_of_counts(
    counts: ArrayLike | Sequence[Sequence[int]] | pd.DataFrame,
    *,
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
) -> Agreement:
    """Free-marginal kappa of a table, items x categories; the columns are the whole scale.

    Parameters
    ----------
    counts
        How many raters put each item into each category.
    seed, replicates, level
        As for :func:`gwet_ac`.

    Examples
    --------
    Randolph's online calculator prints 0.214286:

    >>> round(free_marginal_kappa_of_counts([[7, 1], [3, 5]], replicates=0).value, 6)
    0.214286
    """
    table = count_table(counts)
    note = f"{counted(len(table), 'item')} x {table.shape[1]} categories"
    return _free_marginal(table, (note,), Bootstrap(seed, replicates, level))


def _free_marginal(counts: Ints, notes: tuple[str, ...], bootstrap: Bootstrap) -> Agreement:
    used = counts[counts.sum(axis=1) >= 2]
    agreeing, possible = pair_counts(used)
    chance = 1 / counts.shape[1]
    shares = np.column_stack([agreeing / possible, np.ones(len(used))])
    sums = Sums((shares,), lambda s: (s[:, 0, 0] / s[:, 0, 1] - chance) / (1 - chance))
    estimate, remarks = estimate_of_sums(sums, _no_pair(used), bootstrap)
    return describe(estimate, "free-marginal kappa", counts, used, (*notes, *remarks))


def _checked_size(categories: tuple[Hashable, ...]) -> int:
    if len(categories) < 2:
        raise StatisticsInputError("categories: give the whole scale, at least two categories")
    return len(categories)


def _no_pair(counts: Ints) -> str | None:
    return None if (counts.sum(axis=1) >= 2).any() else NO_PAIR


def _weight_matrix(size: int, weights: GwetWeights) -> Floats:
    """Return how much two categories agree: 1 for the same one, 0 for the ends of the scale."""
    gap = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1)
    disagreement = {"unweighted": np.ceil(gap), "linear": gap, "quadratic": gap**2}[weights]
    return np.asarray(1 - disagreement)


def _contributions(counts: Ints, weights: Floats) -> Floats:
    """Return per item: shares of the categories, weighted agreement, whether it has one, 1."""
    n = counts.sum(axis=1)
    agreeing = (counts * (counts @ weights - 1)).sum(axis=1)
    share = agreeing / np.maximum(n * (n - 1), 1)
    return np.column_stack([counts / n[:, None], np.where(n > 1, share, 0), n > 1, np.ones(len(n))])


def _ac(sums: Floats, total_weight: float) -> Floats:
    shares = sums[:, 0, :-3] / sums[:, 0, -1:]
    observed = sums[:, 0, -3] / sums[:, 0, -2]
    size = shares.shape[1]
    chance = total_weight / (size * (size - 1)) * (shares * (1 - shares)).sum(axis=1)
    return np.asarray((observed - chance) / (1 - chance))
