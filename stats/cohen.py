"""Cohen's kappa of two raters, weighted or not, and of all pairs of raters joined by item.

Weights are distances between places on the whole scale in its stated order: an alphabetical
order, or the observed categories alone, would give another number.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats.agreement import ONE_ITEM, Agreement, describe, one_category
from stats.errors import StatisticsInputError
from stats.item_sums import Bootstrap, checked_clusters, chosen, estimate_of_sums, sums_of
from stats.ratings import (
    MISSING,
    CodedRatings,
    Column,
    Floats,
    Ints,
    code_ratings,
    column_of,
    count_table,
    counted,
)

KappaWeights = Literal["unweighted", "linear", "quadratic"]

NO_SHARED_ITEM = "the two raters share no item"
_MOST_ITEMS = 10_000_000


@dataclass(frozen=True, slots=True)
class PairOfRaters:
    """Cohen's kappa of two raters on the items that both rated."""

    first: Hashable
    second: Hashable
    agreement: Agreement


def cohen_kappa(
    first: Column,
    second: Column,
    categories: Sequence[Hashable] | None = None,
    *,
    weights: KappaWeights = "unweighted",
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> Agreement:
    r"""Cohen's kappa of two raters.

    :math:`\kappa = 1 - \sum_{ij} w_{ij} o_{ij} / \sum_{ij} w_{ij} e_{ij}` with o the observed
    shares, e the products of the two raters' own margins, and w the disagreement: 0 or 1
    (Cohen 1960), :math:`|i-j|` or :math:`(i-j)^2` (Cohen 1968).

    Parameters
    ----------
    first, second
        The two raters' labels, entry by entry for the same items; ``None`` or NaN where there is
        no rating. From a long table make a matrix with :func:`stats.ratings.matrix_from_rows` and
        use :func:`cohen_kappa_pairs`, which joins by item.
    categories
        The whole scale in its order, used or not. Needed for weighted kappa.
    weights
        ``"unweighted"``, ``"linear"`` or ``"quadratic"``.
    seed, replicates, level
        Percentile bootstrap over items; ``replicates=0`` for none.
    clusters
        The cluster of each item, such as the scenario that several replies are about; whole
        clusters are then drawn, and the estimate's n counts them.

    Returns
    -------
    Agreement
        Undefined, with the reason, when both raters used one and the same category throughout,
        when they share no item, or one item only. When only one of them is constant, kappa is
        exactly 0 whatever the agreement, and a note says so.

    Examples
    --------
    scikit-learn's documentation:

    >>> a = ["negative", "positive", "negative", "neutral", "positive"]
    >>> b = ["negative", "positive", "negative", "neutral", "negative"]
    >>> cohen_kappa(a, b, ["negative", "neutral", "positive"], replicates=0).value
    0.6875
    >>> scale = ["low", "mid", "high"]
    >>> weighted = cohen_kappa(["low", "mid", "high", "low"], ["low", "high", "high", "mid"],
    ...                        scale, weights="quadratic", replicates=0)
    >>> round(weighted.value, 4)
    0.6923
    """
    one, other = column_of("first", first), column_of("second", second)
    if not one or len(one) != len(other):
        raise StatisticsInputError("first and second must hold one entry per item each")
    rows = list(zip(one, other, strict=True))
    scale = _needed_scale(categories, weights)
    coded = code_ratings(rows, scale, columns=("first", "second"))
    names = checked_clusters(clusters, len(rows))
    return _kappa(coded, (0, 1), weights, Bootstrap(seed, replicates, level), names)


def cohen_kappa_pairs(
    ratings: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    categories: Sequence[Hashable] | None = None,
    *,
    raters: Sequence[Hashable] | None = None,
    weights: KappaWeights = "unweighted",
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> tuple[PairOfRaters, ...]:
    """Cohen's kappa of every pair of raters, each on the items that both rated.

    Parameters
    ----------
    ratings
        Items x raters, ``None`` or NaN where there is no rating.
    raters
        Names of the columns; numbers from 0 without them.
    categories, weights, seed, replicates, level, clusters
        As for :func:`cohen_kappa`.

    Examples
    --------
    >>> votes = [["a", "a", None], ["a", "b", None], ["b", "b", "b"]]
    >>> for pair in cohen_kappa_pairs(votes, ["a", "b"], raters=["x", "y", "z"], replicates=0):
    ...     print(pair.first, pair.second, pair.agreement.value, pair.agreement.n_items)
    x y 0.4 3
    x z None 1
    y z None 1
    """
    coded = code_ratings(ratings, _needed_scale(categories, weights))
    n_raters = coded.codes.shape[1]
    names = tuple(range(n_raters)) if raters is None else tuple(raters)
    if len(names) != n_raters:
        raise StatisticsInputError(f"raters: name each of the {n_raters} columns")
    bootstrap, groups = (
        Bootstrap(seed, replicates, level),
        checked_clusters(clusters, len(coded.codes)),
    )
    return tuple(
        PairOfRaters(names[a], names[b], _kappa(coded, (a, b), weights, bootstrap, groups))
        for a, b in combinations(range(n_raters), 2)
    )


def cohen_kappa_of_table(
    table: ArrayLike | Sequence[Sequence[int]],
    *,
    weights: KappaWeights = "unweighted",
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
) -> Agreement:
    """Cohen's kappa of a cross table: rows are rater 1, columns are rater 2, cells count items.

    Parameters
    ----------
    table
        Categories x categories in the order of the scale.
    weights, seed, replicates, level
        As for :func:`cohen_kappa`.

    Examples
    --------
    Fifty grant proposals (Wikipedia, "Cohen's kappa"):

    >>> round(cohen_kappa_of_table([[20, 5], [10, 15]], replicates=0).value, 12)
    0.4
    """
    cells = count_table(table)
    if cells.shape[0] != cells.shape[1]:
        raise StatisticsInputError("table: give as many rows as columns, one per category")
    size = len(cells)
    if cells.sum() > _MOST_ITEMS:
        raise StatisticsInputError(f"table: it counts more than {_MOST_ITEMS:,} items")
    pairs = np.repeat(np.indices((size, size)).reshape(2, -1).T, cells.ravel(), axis=0)
    if not len(pairs):
        raise StatisticsInputError("table: it counts no item; at least one cell must be above 0")
    coded = CodedRatings(pairs, tuple(range(size)))
    return _kappa(coded, (0, 1), weights, Bootstrap(seed, replicates, level))


def _needed_scale(
    categories: Sequence[Hashable] | None, weights: KappaWeights
) -> Sequence[Hashable] | None:
    """Refuse weights without a stated scale: an order must not be guessed from the labels."""
    if weights not in get_args(KappaWeights):
        raise StatisticsInputError(
            f"weights: choose one of {', '.join(get_args(KappaWeights))}, not {weights!r}"
        )
    if weights != "unweighted" and categories is None:
        raise StatisticsInputError(
            "categories: weighted kappa needs the whole scale in its order, lowest first"
        )
    return categories


def _kappa(
    coded: CodedRatings,
    raters: tuple[int, int],
    weights: KappaWeights,
    bootstrap: Bootstrap,
    clusters: list[Hashable] | None = None,
) -> Agreement:
    pair = coded.codes[:, list(raters)]
    kept = (pair != MISSING).all(axis=1)
    shared = pair[kept]
    size = len(coded.categories)
    both = CodedRatings(pair, coded.categories).counts()
    used = CodedRatings(shared, coded.categories).counts()
    contributions = _contributions(shared, size, weights)
    sums = sums_of(contributions, _KappaOfSums(size, weights), chosen(clusters, kept))
    estimate, remarks = estimate_of_sums(sums, _why_undefined(used, coded.categories), bootstrap)
    notes = [f"{counted(len(pair), 'item')} x 2 raters", *coded.notes, *remarks]
    if estimate.value is not None and _one_is_constant(shared):
        notes.append("a rater used one category only: kappa is 0 whatever the agreement")
    return describe(estimate, f"Cohen's kappa, {weights}", both, used, tuple(notes))


def _contributions(pairs: Ints, size: int, weights: KappaWeights) -> Floats:
    """Return per item: its disagreement, then one-hot labels of the first and second rater."""
    one_hot = np.eye(size)
    disagreement = _disagreement(size, weights)[pairs[:, 0], pairs[:, 1]]
    return np.column_stack([disagreement, one_hot[pairs[:, 0]], one_hot[pairs[:, 1]]])


def _disagreement(size: int, weights: KappaWeights) -> Floats:
    """Return the disagreement between two places on a scale of `size` categories."""
    gap = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    return {"unweighted": np.minimum(gap, 1.0), "linear": gap, "quadratic": gap**2}[weights]


@dataclass(frozen=True, slots=True)
class _KappaOfSums:
    size: int
    weights: KappaWeights

    def __call__(self, sums: Floats) -> Floats:
        observed = sums[:, 0, 0]
        first, second = sums[:, 0, 1 : self.size + 1], sums[:, 0, self.size + 1 :]
        between = _disagreement(self.size, self.weights)
        expected = ((first @ between) * second).sum(axis=1) / first.sum(axis=1)
        return np.asarray(1 - observed / expected)


def _why_undefined(used: Ints, categories: tuple[Hashable, ...]) -> str | None:
    if not len(used):
        return NO_SHARED_ITEM
    return one_category(used, categories) or (ONE_ITEM if len(used) == 1 else None)


def _one_is_constant(pairs: Ints) -> bool:
    return bool((pairs.min(axis=0) == pairs.max(axis=0)).any())
