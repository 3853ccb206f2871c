"""Agreement on one question of a form: its answers as a matrix, and the coefficients that fit it.

Answers are recoded from shown letters to what they mean, and joined by item, text and rater, never
by position. Who shares no item with anybody says nothing about agreement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.estimate import undefined
from core.evidence import GivenRating
from core.forms import Question
from stats.agreement import NO_PAIR, Agreement
from stats.fleiss import FleissVariant, fleiss_kappa
from stats.gwet import gwet_ac
from stats.icc import icc_in_lists
from stats.krippendorff_alpha import krippendorff_alpha
from stats.ratings import matrix_from_rows

NO_SHARED_ITEM = "not computable: no shared item"
NO_BLOCK = "not computable: no two items were rated by the same raters"


def answer_matrix(ratings: Sequence[GivenRating], question: Question) -> NDArray[np.object_]:
    """Return items x raters, ``None`` where there is no answer.

    An item in two revisions is two items: its raters read different texts.
    """
    items = [(rating.scenario, rating.condition, rating.revision) for rating in ratings]
    people = [rating.person for rating in ratings]
    matrix, _, _ = matrix_from_rows(items, people, [r.meaning(question) for r in ratings])
    return matrix


def whole_scale(ratings: Sequence[GivenRating], question: Question) -> tuple[Hashable, ...]:
    """Return every answer that could have been given, used or not, in the form's order."""
    if question.kind != "choice":
        return tuple(answer.value for answer in question.answers())
    offered: list[Hashable] = []
    if question.item_options:
        offered += [option.action for rating in ratings for option in rating.options]
    return tuple(dict.fromkeys([*offered, *(value for value, _ in question.choices)]))


def kappa(
    ratings: Sequence[GivenRating], question: Question, *, seed: int, replicates: int
) -> Agreement:
    """Return Fleiss' kappa of a choice or yes/no question.

    With equally many ratings on every item it is the classic one; otherwise the generalisation that
    leaves no item out.
    """
    if not _any_answer(ratings, question):
        return _nothing("Fleiss' kappa")
    matrix = answer_matrix(ratings, question)
    per_item = set(_answered(matrix).sum(axis=1).tolist()) - {0}
    variant: FleissVariant = "classic" if len(per_item) == 1 else "gwet"
    found = fleiss_kappa(matrix, variant=variant, seed=seed, replicates=replicates)
    return _without_shared_item(found)


def all_of_categories(
    ratings: Sequence[GivenRating], question: Question, *, seed: int, replicates: int
) -> tuple[Agreement, ...]:
    """Return kappa, nominal alpha and AC1 of a choice or yes/no question."""
    first = kappa(ratings, question, seed=seed, replicates=replicates)
    if not _any_answer(ratings, question):
        return (first,)
    matrix, scale = answer_matrix(ratings, question), whole_scale(ratings, question)
    alpha = krippendorff_alpha(matrix, "nominal", scale, seed=seed, replicates=replicates)
    ac1 = gwet_ac(matrix, scale, seed=seed, replicates=replicates)
    return first, _without_shared_item(alpha), _without_shared_item(ac1)


def all_of_scale(
    ratings: Sequence[GivenRating], question: Question, *, seed: int, replicates: int
) -> tuple[Agreement, ...]:
    """Return ICC(2,k) and ordinal alpha of a scale."""
    first = pooled_icc(ratings, question, seed=seed, replicates=replicates)
    if not _any_answer(ratings, question):
        return (first,)
    matrix, scale = answer_matrix(ratings, question), whole_scale(ratings, question)
    alpha = krippendorff_alpha(matrix, "ordinal", scale, seed=seed, replicates=replicates)
    return first, _without_shared_item(alpha)


def pooled_icc(
    ratings: Sequence[GivenRating], question: Question, *, seed: int, replicates: int
) -> Agreement:
    """Return ICC(2,k) of a scale, pooled over the lists that raters shared.

    A list is a set of items that the same people rated: those of a Latin square, the one of a
    crossed plan, whatever blocks an overlap has. Lists with another number of raters than most are
    left out, and counted.
    """
    if not _any_answer(ratings, question):
        return _nothing("ICC(2,k)")
    matrix = answer_matrix(ratings, question)
    answered = _answered(matrix)
    found: Agreement
    if lists := _lists(matrix):
        found = icc_in_lists(lists, "ICC(2,k)", seed=seed, replicates=replicates)
    else:
        shared = bool((answered.sum(axis=1) >= 2).any())
        found = _nothing("ICC(2,k)", NO_BLOCK if shared else NO_SHARED_ITEM)
    return replace(
        found,
        n_items_dropped=len(matrix) - found.n_items,
        n_ratings_dropped=int(answered.sum()) - found.n_ratings,
    )


def _lists(matrix: NDArray[np.object_]) -> list[NDArray[np.object_]]:
    """Return the blocks of two items or more, all with as many raters as most ratings are in."""
    rows: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row, answered in enumerate(_answered(matrix)):
        rows[tuple(np.flatnonzero(answered).tolist())].append(row)
    blocks = [(people, items) for people, items in rows.items() if len(items) > 1 < len(people)]
    sizes: dict[int, int] = defaultdict(int)
    for people, items in blocks:
        sizes[len(people)] += len(people) * len(items)
    most = max(sizes, key=lambda size: (sizes[size], size), default=0)
    return [matrix[np.ix_(items, people)] for people, items in blocks if len(people) == most]


def _answered(matrix: NDArray[np.object_]) -> NDArray[np.bool_]:
    return np.array([[answer is not None for answer in row] for row in matrix], dtype=np.bool_)


def _any_answer(ratings: Sequence[GivenRating], question: Question) -> bool:
    return any(rating.answers.get(question.id) is not None for rating in ratings)


def _nothing(estimator: str, reason: str = "no ratings yet") -> Agreement:
    return Agreement(
        estimate=undefined(reason), estimator=estimator, raw_agreement=None, n_items=0, n_ratings=0
    )


def _without_shared_item(found: Agreement) -> Agreement:
    """Return the result, in the words of a study where no item has two ratings."""
    if found.estimate.why_undefined != NO_PAIR:
        return found
    return replace(found, estimate=undefined(NO_SHARED_ITEM, found.estimate.n))
