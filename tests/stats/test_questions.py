"""A question's answers as a matrix: joined by item and rater, recoded, with gaps left gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.evidence import GivenRating
from core.forms import Question
from core.items import Option
from stats.icc import icc
from stats.questions import (
    NO_BLOCK,
    NO_SHARED_ITEM,
    all_of_categories,
    answer_matrix,
    kappa,
    pooled_icc,
    whole_scale,
)

CHOICE = Question("choice", "choice", "?", item_options=True, choices=(("both", "Both"),))
SURE = Question("sure", "likert", "?", points=5, low="-", high="+", required=False)
AB, BA = (
    (Option("heavy", "Drive"), Option("light", "Walk")),
    (Option("light", "Walk"), Option("heavy", "Drive")),
)


def given(item: str, person: str, revision: int = 1, options: Any = AB, **answers: Any) -> Any:
    return GivenRating(
        round=1,
        scenario=item,
        condition="c",
        revision=revision,
        options=options,
        gold=None,
        list=0,
        person=person,
        person_kind="human",
        answers=answers,
        hash="",
    )


def square(numbers: list[list[int | None]], first: int = 0, people: str = "abcdef") -> list[Any]:
    """Return ratings of items x raters; items are numbered from `first`."""
    return [
        given(f"i{first + row}", people[column], sure=number)
        for row, line in enumerate(numbers)
        for column, number in enumerate(line)
        if number is not None
    ]


def test_letters_become_what_they_mean() -> None:
    """The same letter under another order of options is another answer."""
    ratings = [given("i", "a", choice="A"), given("i", "b", options=BA, choice="A")]
    assert answer_matrix(ratings, CHOICE).tolist() == [["heavy", "light"]]


def test_a_letter_is_only_a_letter_where_options_are_offered() -> None:
    """A question with answers of its own may have one called A."""
    own = Question("choice", "choice", "?", choices=(("A", "first"), ("B", "second")))
    assert answer_matrix([given("i", "a", choice="A")], own).tolist() == [["A"]]


def test_raters_are_joined_by_item_not_by_place() -> None:
    """Who rated what decides where an answer stands, whatever the order of rows."""
    ratings = [given("i", "a", sure=1), given("j", "b", sure=2), given("i", "b", sure=3)]
    assert answer_matrix(ratings, SURE).tolist() == [[1, 3], [None, 2]]


def test_two_texts_of_an_item_are_two_items() -> None:
    """Raters of different revisions read different things, and share no item."""
    ratings = [given("i", "a", choice="A"), given("i", "b", revision=2, choice="A")]
    found = kappa(ratings, CHOICE, seed=1, replicates=0)
    assert found.estimate.why_undefined == NO_SHARED_ITEM


def test_the_scale_is_whole_used_or_not() -> None:
    """Chance agreement of AC1 rests on every answer that could have been given."""
    assert whole_scale([given("i", "a", choice="A")], CHOICE) == ("heavy", "light", "both")
    assert whole_scale([], SURE) == (1, 2, 3, 4, 5)
    assert whole_scale([], Question("q", "yes-no", "?")) == (True, False)


def test_a_question_left_open_is_missing_not_a_category() -> None:
    """An optional question that a rater skipped leaves a gap."""
    ratings = [given("i", "a", sure=1), given("i", "b"), given("j", "a", sure=2)]
    assert answer_matrix(ratings, SURE).tolist() == [[1, None], [2, None]]


def test_equal_numbers_give_the_classic_kappa() -> None:
    """The variant follows the data: classic where every item has as many, generalised otherwise."""
    whole = [given(i, p, choice=c) for i, c in (("i", "A"), ("j", "B")) for p in "ab"]
    assert kappa(whole, CHOICE, seed=1, replicates=0).estimator == "Fleiss' kappa"
    more = [*whole, given("i", "c", choice="A")]
    assert "unequal n" in kappa(more, CHOICE, seed=1, replicates=0).estimator


def test_without_answers_there_is_one_sentence() -> None:
    """A question that nobody answered yet has no coefficient, and no error."""
    (found,) = all_of_categories([given("i", "a")], CHOICE, seed=1, replicates=0)
    assert found.estimate.why_undefined == "no ratings yet"


SQUARE = [[1, 2], [2, 2], [4, 5], [5, 5], [3, 2]]


def test_one_square_is_the_plain_icc() -> None:
    """When everybody rated everything, pooling changes nothing."""
    found = pooled_icc(square(SQUARE), SURE, seed=1, replicates=0)
    assert found.value == pytest.approx(icc(SQUARE, "ICC(2,k)", replicates=0).value)
    assert (found.n_items_dropped, found.n_ratings_dropped) == (0, 0)


def test_lists_are_found_by_who_rated_what() -> None:
    """Two lists with raters of their own are pooled; no list number is needed for that."""
    other = square(SQUARE, first=5, people="cd")
    found = pooled_icc([*square(SQUARE), *other], SURE, seed=1, replicates=0)
    assert found.estimator.endswith("pooled over lists")
    assert (found.n_items, found.n_ratings) == (10, 20)


def test_items_with_fewer_raters_are_left_out_and_counted() -> None:
    """A gap takes its item out of the square, and both item and rating are counted."""
    ragged = [*SQUARE, [3, None]]
    found = pooled_icc(square(ragged), SURE, seed=1, replicates=0)
    assert (found.n_items, found.n_ratings) == (5, 10)
    assert (found.n_items_dropped, found.n_ratings_dropped) == (1, 1)


def test_a_plan_without_blocks_has_no_icc() -> None:
    """Where no two items have the same raters, ICC(2,k) says so instead of taking places."""
    ratings = [given(f"i{n}", p, sure=n + 1) for n, pair in enumerate(("ab", "bc")) for p in pair]
    found = pooled_icc(ratings, SURE, seed=1, replicates=0)
    assert found.estimate.why_undefined == NO_BLOCK
    assert (found.n_items_dropped, found.n_ratings_dropped) == (2, 4)


def test_names_and_order_change_nothing() -> None:
    """Coefficients depend on neither the order of rows nor on what people and items are called."""
    ratings = square([[1, 2, 1], [5, 4, 5], [3, 3, 4], [2, 2, 1]])
    order = np.random.default_rng(3).permutation(len(ratings))
    first = pooled_icc(ratings, SURE, seed=1, replicates=200)
    again = pooled_icc([ratings[n] for n in order], SURE, seed=1, replicates=200)
    assert first.estimate == again.estimate
