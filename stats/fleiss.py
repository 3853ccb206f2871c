"""Fleiss' kappa: agreement of several raters on categories, corrected for chance.

Classic Fleiss needs the same number of ratings for every item. With unequal numbers there is no
one right answer, so a variant must be named: leave out incomplete items, Gwet's generalisation,
or pooled margins. Two raters under Fleiss give Scott's pi, not Cohen's kappa.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats.agreement import NO_PAIR, ONE_ITEM, Agreement, describe, one_category, pair_counts
from stats.errors import StatisticsInputError
from stats.item_sums import Bootstrap, checked_clusters, chosen, estimate_of_sums, sums_of
from stats.ratings import (
    Floats,
    Ints,
    Orientation,
    code_ratings,
    column_order,
    count_table,
    counted,
)

FleissVariant = Literal["classic", "listwise", "gwet", "pooled"]

_VARIANT_NAMES = {
    "classic": "Fleiss' kappa",
    "listwise": "Fleiss' kappa, complete items only",
    "gwet": "Fleiss' kappa, generalised for unequal n (Gwet 2014)",
    "pooled": "Fleiss' kappa, pooled margins of items with two ratings or more",
}


def fleiss_kappa(
    ratings: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    categories: Sequence[Hashable] | None = None,
    *,
    variant: FleissVariant = "classic",
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    orientation: Orientation = "items x raters",
    clusters: Sequence[Hashable] | None = None,
) -> Agreement:
    r"""Fleiss' kappa of several raters on nominal categories.

    :math:`\kappa = (\bar P - \bar P_e)/(1 - \bar P_e)` with :math:`\bar P` the mean share of
    agreeing pairs per item and :math:`\bar P_e = \sum_j p_j^2` (Fleiss 1971, eq. 7).

    Parameters
    ----------
    ratings
        Items x raters, ``None`` or NaN where there is no rating.
    categories
        The scale; a label off the scale is refused. The value does not depend on unused
        categories nor on their order.
    variant
        What to do with unequal numbers of ratings per item. ``"classic"``: the result is
        undefined, with the reason. ``"listwise"``: items with a rating missing are left out.
        ``"gwet"``: each item with a rating counts once in the margins (Gwet 2014, ch. 2).
        ``"pooled"``: margins are those of all ratings on items with two ratings or more.
        With equal numbers all four are the same.
    seed, replicates, level
        Percentile bootstrap over items, each drawn with all its raters; ``replicates=0`` for
        none. Resamples in which only one category is left are undefined and not in the interval;
        a note counts them.
    orientation
        Which way the matrix lies.
    clusters
        The cluster of each item, such as the scenario that several replies are about; whole
        clusters are then drawn, and the estimate's n counts them.

    Returns
    -------
    Agreement
        Undefined, with the reason, when only one category was used, when there is one item only,
        or when no item has two ratings.

    Examples
    --------
    Krippendorff's data C, with missing ratings; irrCAC prints 0.76117:

    >>> n = None
    >>> votes = [[1, 1, n, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...          [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [n, 5, 5, 5], [n, n, 1, 1], [n, 3, n, n]]
    >>> round(fleiss_kappa(votes, [1, 2, 3, 4, 5], variant="gwet", replicates=0).value, 5)
    0.76117
    >>> print(fleiss_kappa(votes, [1, 2, 3, 4, 5], replicates=0).estimate.why_undefined)
    ratings per item range from 1 to 4 and classic Fleiss needs equal n: choose a variant
    """
    coded = code_ratings(ratings, categories, orientation=orientation)
    return _fleiss(
        coded.counts(),
        variant,
        Bootstrap(seed, replicates, level),
        complete=coded.codes.shape[1],
        categories=coded.categories,
        notes=(coded.shape_note, *coded.notes),
        clusters=checked_clusters(clusters, len(coded.codes)),
    )


def fleiss_kappa_of_counts(
    counts: ArrayLike | Sequence[Sequence[int]] | pd.DataFrame,
    *,
    variant: FleissVariant = "classic",
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
) -> Agreement:
    """Fleiss' kappa of a table that says how many raters put each item into each category.

    Parameters
    ----------
    counts
        Items x categories.
    variant, seed, replicates, level
        As for :func:`fleiss_kappa`; ``"listwise"`` keeps the items with the most ratings.

    Examples
    --------
    Ten subjects, fourteen raters, five categories (Wikipedia, "Fleiss' kappa": 0.210):

    >>> table = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0],
    ...          [2, 2, 8, 1, 1], [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2],
    ...          [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
    >>> round(fleiss_kappa_of_counts(table, replicates=0).value, 3)
    0.21
    """
    table = count_table(counts)
    most = int(table.sum(axis=1).max())
    note = f"{counted(len(table), 'item')} x {table.shape[1]} categories, up to {most} ratings each"
    bootstrap = Bootstrap(seed, replicates, level)
    return _fleiss(table, variant, bootstrap, complete=most, categories=None, notes=(note,))


def _fleiss(
    counts: Ints,
    variant: FleissVariant,
    bootstrap: Bootstrap,
    *,
    complete: int,
    categories: tuple[Hashable, ...] | None,
    notes: tuple[str, ...],
    clusters: list[Hashable] | None = None,
) -> Agreement:
    """Compute any variant; `complete` is the number of ratings of a complete item."""
    if variant not in get_args(FleissVariant):
        raise StatisticsInputError(f"variant: choose one of {', '.join(_VARIANT_NAMES)}")
    kept = counts.sum(axis=1) >= _least_ratings(variant, complete)
    used = counts[kept]
    contributions = _contributions(used, by_item=variant == "gwet")
    sums = sums_of(contributions, _kappa_of_sums, chosen(clusters, kept))
    reason = _why_undefined(used, variant, categories)
    estimate, remarks = estimate_of_sums(sums, reason, bootstrap)
    if variant == "listwise":
        notes = (*notes, f"listwise: {len(used)} of {counted(len(counts), 'item')} kept")
    return describe(estimate, _VARIANT_NAMES[variant], counts, used, (*notes, *remarks))


def _least_ratings(variant: FleissVariant, complete: int) -> int:
    """Return how many ratings an item must have to be used at all."""
    return {"classic": 1, "listwise": complete, "gwet": 1, "pooled": 2}[variant]


def _contributions(counts: Ints, *, by_item: bool) -> Floats:
    """Return per item: margins (a column per category), their weight, agreement, if it has one."""
    n = counts.sum(axis=1)
    agreeing, possible = pair_counts(counts)
    share = agreeing / np.maximum(possible, 1)
    margins = counts / n[:, None] if by_item else counts.astype(np.float64)
    # Columns by content, so that renaming categories does not change the draws.
    margins = margins[:, column_order(margins)]
    weight = np.ones(len(n)) if by_item else n
    return np.column_stack([margins, weight, share, possible > 0])


def _kappa_of_sums(sums: Floats) -> Floats:
    margins, weight = sums[..., 0, :-3], sums[..., 0, -3]
    observed = sums[..., 0, -2] / sums[..., 0, -1]
    expected = ((margins / weight[..., None]) ** 2).sum(axis=-1)
    return np.asarray((observed - expected) / (1 - expected))


def _why_undefined(
    used: Ints, variant: FleissVariant, categories: tuple[Hashable, ...] | None
) -> str | None:
    per_item = used.sum(axis=1)
    if not (per_item >= 2).any():
        return NO_PAIR
    if variant == "classic" and per_item.min() != per_item.max():
        return (
            f"ratings per item range from {per_item.min()} to {per_item.max()} and classic Fleiss "
            "needs equal n: choose a variant"
        )
    return one_category(used, categories) or (ONE_ITEM if len(used) == 1 else None)
