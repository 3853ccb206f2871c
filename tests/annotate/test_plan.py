"""Latin-square plans: exact, balanced, repeatable, and refused in words when they cannot be."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.plan import latin_square, rater_seats
from core.errors import InputError
from core.study import Revision

CONDITIONS = "ABCDEF"


@st.composite
def squares(draw: st.DrawFn) -> dict[str, Any]:
    conditions, ratings = draw(st.integers(2, 6)), draw(st.integers(1, 7))
    scenarios = draw(st.integers(1, 30))
    return {
        "scenarios": [f"S{number:02}" for number in range(scenarios)],
        "conditions": CONDITIONS[:conditions],
        "seats": conditions * ratings,
        "ratings": ratings,
        "seed": draw(st.integers(0, 2**32)),
    }


@given(squares())
def test_every_item_is_rated_exactly_as_often_as_asked(square: dict[str, Any]) -> None:
    """Each item stands on exactly R seats, neither more nor fewer."""
    cells = Counter(cell for seat in latin_square(**square) for cell in seat.cells)
    assert set(cells) == {(s, c) for s in square["scenarios"] for c in square["conditions"]}
    assert set(cells.values()) == {square["ratings"]}


@given(squares())
def test_no_seat_has_two_conditions_of_a_scenario(square: dict[str, Any]) -> None:
    """Each seat sees every scenario once, so that no wording gives another away."""
    for seat in latin_square(**square):
        assert sorted(scenario for scenario, _ in seat.cells) == square["scenarios"]


@given(squares())
def test_lists_share_the_seats_evenly(square: dict[str, Any]) -> None:
    """Each list has R seats, and the seats of a list rate the same items."""
    seats = latin_square(**square)
    assert Counter(seat.list for seat in seats) == dict.fromkeys(
        range(len(square["conditions"])), square["ratings"]
    )
    for number in range(len(square["conditions"])):
        assert len({frozenset(seat.cells) for seat in seats if seat.list == number}) == 1
    assert [seat.number for seat in seats] == list(range(len(seats)))


@given(squares())
def test_conditions_are_spread_evenly_from_first_to_last(square: dict[str, Any]) -> None:
    """Between the starts of any two stretches no condition gets ahead of the others."""
    for seat in latin_square(**square):
        total = Counter(condition for _, condition in seat.cells)
        assert max(total.values()) - min(total.get(c, 0) for c in square["conditions"]) <= 1
        seen: Counter[str] = Counter()
        for _, condition in seat.cells:
            seen[condition] += 1
            assert max(seen.values()) - min(seen[c] for c in total) <= 1


@given(squares())
def test_a_plan_follows_from_its_seed(square: dict[str, Any]) -> None:
    """The same seed gives the same plan, also when the scenarios come in another order."""
    plan = latin_square(**square)
    assert latin_square(**square) == plan
    turned = {**square, "scenarios": square["scenarios"][::-1]}
    assert latin_square(**turned) == plan


def test_another_seed_is_another_plan() -> None:
    """Seats of one list see their items in different orders, and seeds differ in their lists."""
    square: dict[str, Any] = {
        "scenarios": [f"S{n}" for n in range(12)], "conditions": "ABCD", "seats": 8, "ratings": 2,
    }  # fmt: skip
    first, other = (latin_square(**square, seed=seed) for seed in (1, 2))
    assert first[0].cells != other[0].cells
    assert frozenset(first[0].cells) != frozenset(other[0].cells)
    assert frozenset(first[0].cells) == frozenset(first[4].cells)
    assert first[0].cells != first[4].cells


@given(st.integers(2, 6), st.integers(1, 7), st.integers(1, 60))
def test_numbers_that_cannot_be_exact_name_numbers_that_can(
    conditions: int, ratings: int, seats: int
) -> None:
    """A refusal names two sets of numbers, and both of them work."""
    square: dict[str, Any] = {
        "scenarios": ["S1", "S2"], "conditions": CONDITIONS[:conditions], "seed": 1,
    }  # fmt: skip
    if seats == conditions * ratings:
        assert len(latin_square(**square, seats=seats, ratings=ratings)) == seats
        return
    with pytest.raises(InputError) as caught:
        latin_square(**square, seats=seats, ratings=ratings)
    found = re.search(r"use --seats (\d+), or --ratings (\d+) --seats (\d+)$", str(caught.value))
    assert found
    more, fewer, nearest = map(int, found.groups())
    assert len(latin_square(**square, seats=more, ratings=ratings)) == more
    assert len(latin_square(**square, seats=nearest, ratings=fewer)) == nearest
    assert abs(nearest - seats) <= max(conditions, abs(conditions - seats))


@pytest.mark.parametrize("ratings", [0, -1])
def test_no_ratings_are_no_plan(ratings: int) -> None:
    """A round in which nobody rates anything is refused, with the least number that works."""
    with pytest.raises(InputError, match="use --ratings 1"):
        latin_square(["S"], "AB", seats=0, ratings=ratings, seed=1)


@pytest.mark.parametrize(("scenarios", "conditions"), [([], "AB"), (["S"], "A"), (["S"], "")])
def test_a_square_needs_scenarios_and_conditions(scenarios: list[str], conditions: str) -> None:
    """Nothing to rate, or nothing to vary, is said so."""
    with pytest.raises(InputError, match="needs scenarios in at least two conditions"):
        latin_square(scenarios, conditions, seats=2, ratings=1, seed=1)


def revision(number: int, scenario: str, condition: str) -> Revision:
    return Revision(number, number, scenario, condition, 1, "t", (), None, {})


def test_seats_show_the_revisions_that_were_given() -> None:
    """A seat's list is bound to revisions, numbered from 1 for people."""
    shown = [revision(10, "S1", "A"), revision(11, "S1", "B"), revision(12, "S1", "C")]
    seats = rater_seats(shown, "AB", seats=2, ratings=1, seed=1)
    assert sorted(number for seat in seats for number in seat.revisions) == [10, 11]
    assert [seat.number for seat in seats] == [1, 2]


def test_a_missing_item_is_named() -> None:
    """A scenario that was not drafted in every condition is named with the condition."""
    shown = [revision(10, "S1", "A"), revision(11, "S1", "B"), revision(12, "S2", "A")]
    with pytest.raises(InputError, match="scenario S2 has no item in condition B"):
        rater_seats(shown, "AB", seats=2, ratings=1, seed=1)
