"""Agreement between raters: the one result type, and agreement before any correction for chance.

The chance-corrected coefficients are in :mod:`stats.fleiss`, :mod:`stats.cohen`,
:mod:`stats.krippendorff_alpha`, :mod:`stats.gwet` and :mod:`stats.icc`; all return an
:class:`Agreement`, so that none is ever shown without the raw agreement beside it, what it rests
on, and what was left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from core.estimate import Estimate
from stats.errors import StatisticsInputError
from stats.item_sums import Bootstrap, checked_clusters, chosen, estimate_of_sums, sums_of
from stats.ratings import Ints, Orientation, code_ratings, counted

PairWeights = Literal["per item", "pooled"]

ONE_ITEM = (
    "one item: chance agreement would come from that item itself, so the value is forced and "
    "says nothing"
)
NO_PAIR = "no item was rated by two raters"
_DOMINANT = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A coefficient of agreement with everything that its reader must know.

    Attributes
    ----------
    estimate
        Value and interval, or the reason why there is none.
    estimator
        Which coefficient it is, with its variant, weights or level of measurement.
    raw_agreement
        Share of agreeing pairs of raters, averaged over items; ``None`` without such a pair and
        for measurements, where equality is not the question.
    n_items, n_ratings
        What the value rests on.
    n_items_dropped, n_ratings_dropped
        What was given and not used.
    notes
        Sentences for the reader: what was taken for items and raters, what was read as missing,
        what was left out and why, what makes the value hard to read.
    """

    estimate: Estimate
    estimator: str
    raw_agreement: float | None
    n_items: int
    n_ratings: int
    n_items_dropped: int = 0
    n_ratings_dropped: int = 0
    notes: tuple[str, ...] = ()

    @property
    def value(self) -> float | None:
        """The point estimate, ``None`` when it is undefined."""
        return self.estimate.value


def raw_agreement(
    ratings: ArrayLike | Sequence[Sequence[Any]],
    categories: Sequence[Hashable] | None = None,
    *,
    pairs: PairWeights = "per item",
    clusters: Sequence[Hashable] | None = None,
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    orientation: Orientation = "items x raters",
) -> Agreement:
    r"""Share of pairs of raters who gave an item the same label.

    Per item that share is :math:`P_i = \sum_j n_{ij}(n_{ij}-1) / (n_i(n_i-1))` (Fleiss 1971,
    eq. 2); the value is its mean over items with two ratings or more.

    Parameters
    ----------
    ratings
        Items x raters, ``None`` or NaN where there is no rating.
    categories
        The scale, if labels off the scale shall be refused.
    pairs
        ``"per item"`` gives every item the same weight; ``"pooled"`` gives every pair of ratings
        the same weight. They differ only when items have unequal numbers of ratings.
    clusters
        The cluster of each item, such as the scenario that several replies are about; whole
        clusters are then drawn, and the estimate's n counts them.
    seed, replicates, level
        Bootstrap over items, each drawn with all its raters; ``replicates=0`` for none.
    orientation
        Which way the matrix lies.

    Examples
    --------
    Krippendorff's example of a single disagreement: 34 of 38 pairs agree.

    >>> votes = [[3] * 5, [3, 3, 3, 3, None], [3, 3, None, 3, 3], [3, 3, None, 3, 3],
    ...          [3, 3, 3, 1, 3]]
    >>> pooled = raw_agreement(votes, pairs="pooled", replicates=0)
    >>> round(pooled.value, 4), round(raw_agreement(votes, replicates=0).value, 4)
    (0.8947, 0.92)
    """
    if pairs not in get_args(PairWeights):
        raise StatisticsInputError(f"pairs: say 'per item' or 'pooled', not {pairs!r}")
    coded = code_ratings(ratings, categories, orientation=orientation)
    counts = coded.counts()
    names = checked_clusters(clusters, len(counts))
    kept = counts.sum(axis=1) >= 2
    used = counts[kept]
    agreeing, possible = pair_counts(used)
    if pairs == "pooled":
        features = np.column_stack([agreeing, possible]).astype(np.float64)
    else:
        features = np.column_stack([agreeing / possible, np.ones(len(used))])
    sums = sums_of(features, lambda s: s[..., 0, 0] / s[..., 0, 1], chosen(names, kept))
    reason = None if len(used) else NO_PAIR
    estimate, remarks = estimate_of_sums(sums, reason, Bootstrap(seed, replicates, level))
    notes = (coded.shape_note, *coded.notes, *remarks)
    return describe(estimate, f"raw agreement, pairs {pairs}", counts, used, notes)


def unanimous_agreement(
    ratings: ArrayLike | Sequence[Sequence[Any]],
    categories: Sequence[Hashable] | None = None,
    *,
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    orientation: Orientation = "items x raters",
    clusters: Sequence[Hashable] | None = None,
) -> Agreement:
    """Share of items on which all raters agree, over items with two ratings or more.

    Parameters
    ----------
    ratings, categories, seed, replicates, level, orientation
        As for :func:`raw_agreement`.
    clusters
        The cluster of each item, such as the scenario that several replies are about; whole
        clusters are then drawn, and the estimate's n counts them.

    Examples
    --------
    >>> unanimous_agreement([["a", "a"], ["a", "b"], ["b", None]], replicates=0).value
    0.5
    """
    coded = code_ratings(ratings, categories, orientation=orientation)
    counts = coded.counts()
    names = checked_clusters(clusters, len(counts))
    kept = counts.sum(axis=1) >= 2
    used = counts[kept]
    alike = (used.max(axis=1, initial=0) == used.sum(axis=1)).astype(np.float64)
    features = np.column_stack([alike, np.ones(len(used))])
    sums = sums_of(features, lambda s: s[..., 0, 0] / s[..., 0, 1], chosen(names, kept))
    reason = None if len(used) else NO_PAIR
    estimate, remarks = estimate_of_sums(sums, reason, Bootstrap(seed, replicates, level))
    notes = (coded.shape_note, *coded.notes, *remarks)
    return describe(estimate, "unanimous agreement", counts, used, notes)


def pair_counts(counts: Ints) -> tuple[Ints, Ints]:
    """Return each item's agreeing and possible ordered pairs of ratings.

    Examples
    --------
    >>> agreeing, possible = pair_counts(np.array([[2, 1], [3, 0]]))
    >>> agreeing.tolist(), possible.tolist()
    ([2, 6], [6, 6])
    """
    n = counts.sum(axis=1)
    return (counts * (counts - 1)).sum(axis=1), n * (n - 1)


def mean_pair_agreement(counts: Ints) -> float | None:
    """Return the mean over items of the share of agreeing pairs; ``None`` without any pair."""
    used = counts[counts.sum(axis=1) >= 2]
    if not len(used):
        return None
    agreeing, possible = pair_counts(used)
    return float(np.mean(agreeing / possible))


def describe(
    estimate: Estimate,
    estimator: str,
    given: Ints,
    used: Ints,
    notes: tuple[str, ...],
) -> Agreement:
    """Return the result with raw agreement and with what was used and dropped.

    Parameters
    ----------
    given, used
        Items x categories: all ratings that came in, and those that the value rests on.
    """
    return Agreement(
        estimate=estimate,
        estimator=estimator,
        raw_agreement=mean_pair_agreement(used),
        n_items=len(used),
        n_ratings=int(used.sum()),
        n_items_dropped=len(given) - len(used),
        n_ratings_dropped=int(given.sum() - used.sum()),
        notes=(*notes, *_balance_notes(given, used)),
    )


def one_category(counts: Ints, categories: Sequence[object] | None) -> str | None:
    """Say why chance-corrected agreement is undefined when only one category was used."""
    seen = np.flatnonzero(counts.sum(axis=0))
    if len(seen) != 1:
        return None
    name = f" ({categories[seen[0]]!r})" if categories is not None else ""
    return (
        f"only one category was used{name} on {counted(len(counts), 'item')}: raw agreement is "
        "100%, and so is chance agreement"
    )


def _balance_notes(given: Ints, used: Ints) -> tuple[str, ...]:
    """Say which items were left out, and whether one category carries nearly all ratings."""
    notes = []
    per_item = given.sum(axis=1)
    empty, single = int((per_item == 0).sum()), int((per_item == 1).sum())
    if empty:
        notes.append(unrated_note(empty))
    if single:
        has = "has" if single == 1 else "have"
        notes.append(f"{counted(single, 'item')} {has} one rating: no agreement information")
    shares = used.sum(axis=0) / max(1, used.sum())
    if shares.size and _DOMINANT <= shares.max() < 1:
        notes.append(
            f"one category has {shares.max():.0%} of the ratings: read beside raw agreement"
        )
    return tuple(notes)


def unrated_note(n: int) -> str:
    """Say that items without any rating were ignored.

    Examples
    --------
    >>> unrated_note(1)
    '1 item has no ratings and was ignored'
    """
    verbs = ("has", "was") if n == 1 else ("have", "were")
    return f"{counted(n, 'item')} {verbs[0]} no ratings and {verbs[1]} ignored"
