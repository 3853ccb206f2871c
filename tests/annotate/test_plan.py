"""Plans: exact, balanced, repeatable, and refused in words when they cannot be."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.plan import (
    PlanItem,
    PlanRequest,
    SeatPlan,
    crossed,
    latin_square,
    overlap,
    plan_items,
    rater_seats,
)
from core.errors import InputError
from core.study import Revision

CONDITIONS = "ABCDEF"


def items(scenarios: int, conditions: int) -> list[PlanItem]:
    return [
        PlanItem(
            f"S{s:02}", CONDITIONS[c], s * conditions + c + 1, (f"family {s % 5}", f"d{s % 7}")
        )
        for s in range(scenarios)
        for c in range(conditions)
    ]


def rated(plan: tuple[SeatPlan, ...]) -> Counter[int]:
    return Counter(item.revision for seat in plan for item in seat.items)


@st.composite
def squares(draw: st.DrawFn) -> dict[str, Any]:
    """Any whole number of conditions, ratings, scenarios, and seats that suffice."""
    conditions, ratings = draw(st.integers(2, 6)), draw(st.integers(1, 7))
    drafted = items(draw(st.integers(1, 30)), conditions)
    gone = draw(st.sets(st.integers(1, len(drafted)), max_size=5))
    kept = [item for item in drafted if item.revision not in gone]
    if not kept or len({i.condition for i in kept if i.scenario == kept[0].scenario}) < 2:
        kept = drafted
    more = draw(st.sampled_from([0, 0, 1, 3, 11]))
    return {
        "items": kept,
        "seats": conditions * ratings + more,
        "ratings": ratings,
        "seed": draw(st.integers(0, 2**32)),
    }


@given(squares())
def test_every_item_is_rated_exactly_as_often_as_asked(square: dict[str, Any]) -> None:
    """Each item stands on exactly R seats, also with more seats than lists and with gaps."""
    assert rated(latin_square(**square)) == dict.fromkeys(
        (item.revision for item in square["items"]), square["ratings"]
    )


@given(squares())
def test_no_seat_has_two_conditions_of_a_scenario(square: dict[str, Any]) -> None:
    """Each seat sees a scenario once at most, so that no wording gives another away."""
    for seat in latin_square(**square):
        assert max(Counter(item.scenario for item in seat.items).values(), default=1) == 1


@given(squares())
def test_seats_have_equally_much_to_do(square: dict[str, Any]) -> None:
    """Nobody has more than one item more than anybody else."""
    loads = [len(seat.items) for seat in latin_square(**square)]
    assert max(loads) - min(loads) <= 1


@given(st.integers(2, 6), st.integers(1, 7), st.integers(1, 20), st.integers(0, 9))
def test_whole_numbers_give_the_lists_of_the_textbook(k: int, r: int, n: int, seed: int) -> None:
    """With k x R seats there are k lists; R seats share one and rate the same items."""
    plan = latin_square(items(n, k), seats=k * r, ratings=r, seed=seed)
    assert Counter(seat.list for seat in plan) == dict.fromkeys(range(k), r)
    for number in range(k):
        assert len({frozenset(seat.items) for seat in plan if seat.list == number}) == 1


@given(squares())
def test_conditions_are_spread_evenly_from_first_to_last(square: dict[str, Any]) -> None:
    """At every place each condition has had its share of what was shown, give or take one."""
    for seat in latin_square(**square):
        total = Counter(item.condition for item in seat.items)
        seen: Counter[str] = Counter()
        for place, item in enumerate(seat.items, start=1):
            seen[item.condition] += 1
            for condition, count in total.items():
                assert abs(seen[condition] - count * place / len(seat.items)) < 1.5


@given(squares())
def test_a_plan_follows_from_its_seed(square: dict[str, Any]) -> None:
    """The same seed gives the same plan, also when the items come in another order."""
    plan = latin_square(**square)
    assert latin_square(**square) == plan
    turned = {**square, "items": square["items"][::-1]}
    assert [set(seat.items) for seat in latin_square(**turned)] == [set(s.items) for s in plan]


def test_another_seed_is_another_plan() -> None:
    """Seats of one list see their items in different orders, and seeds differ in their lists."""
    first, other = (latin_square(items(12, 4), seats=8, ratings=2, seed=seed) for seed in (1, 2))
    assert set(first[0].items) == set(first[4].items)
    assert first[0].items != first[4].items
    assert set(first[0].items) != set(other[0].items)


@given(st.integers(2, 6), st.integers(1, 7), st.integers(1, 60))
def test_numbers_that_cannot_be_exact_name_numbers_that_can(k: int, r: int, seats: int) -> None:
    """A refusal names numbers that work: more seats, or fewer ratings where there are any."""
    drafted = items(3, k)
    if seats >= k * r:
        assert set(rated(latin_square(drafted, seats=seats, ratings=r, seed=1)).values()) == {r}
        return
    with pytest.raises(InputError) as caught:
        latin_square(drafted, seats=seats, ratings=r, seed=1)
    found = re.search(r"use --seats (\d+)(?:, or --ratings (\d+))?$", str(caught.value))
    assert found
    assert latin_square(drafted, seats=int(found[1]), ratings=r, seed=1)
    assert (found[2] is None) == (seats < k)
    if found[2]:
        assert latin_square(drafted, seats=seats, ratings=int(found[2]), seed=1)


@given(st.integers(2, 6), st.integers(1, 7), st.integers(1, 60), st.integers(1, 12))
def test_an_unbalanced_square_gives_as_many_ratings_as_it_can(
    k: int, r: int, seats: int, n: int
) -> None:
    """Where it is allowed, nobody idles, and no item of a scenario is two ratings ahead."""
    plan = latin_square(items(n, k), seats=seats, ratings=r, seed=1, allow_unbalanced=True)
    counts = rated(plan)
    for s in range(n):
        mine = [counts[s * k + c + 1] for c in range(k)]
        assert max(mine) - min(mine) <= 1
        assert sum(mine) == min(seats, k * r)


@pytest.mark.parametrize("ratings", [0, -1])
def test_no_ratings_are_no_plan(ratings: int) -> None:
    """A round in which nobody rates anything is refused, with the least number that works."""
    with pytest.raises(InputError, match="use --ratings 1"):
        latin_square(items(1, 2), seats=2, ratings=ratings, seed=1)


@pytest.mark.parametrize("seats", [0, -3])
def test_no_seats_are_no_plan(seats: int) -> None:
    """A round without seats is refused."""
    with pytest.raises(InputError, match="--seats 1 or more"):
        crossed(items(1, 2), seats=seats, seed=1)


@pytest.mark.parametrize(
    ("given_items", "message"), [([], "nothing to plan"), (items(3, 1), "at least two conditions")]
)
def test_a_square_needs_scenarios_and_conditions(given_items: list[PlanItem], message: str) -> None:
    """Nothing to rate, or nothing to vary, is said so."""
    with pytest.raises(InputError, match=message):
        latin_square(given_items, seats=2, ratings=1, seed=1)


def test_an_item_given_twice_is_refused() -> None:
    """Two revisions of one item cannot stand in one plan."""
    with pytest.raises(InputError, match="stands twice"):
        crossed([*items(1, 2), PlanItem("S00", "A", 99)], seats=2, seed=1)


def test_in_a_crossed_plan_everybody_rates_everything() -> None:
    """Five annotators and 24 items are 120 ratings, in five different orders (WISE)."""
    plan = crossed(items(4, 6), seats=5, seed=3)
    assert rated(plan) == dict.fromkeys(range(1, 25), 5)
    assert len({seat.items for seat in plan}) == 5


@given(st.integers(1, 9), st.integers(1, 4), st.data())
def test_an_overlap_gives_each_item_of_its_sample_different_people(
    seats: int, ratings: int, data: st.DataObject
) -> None:
    """Each sampled item has exactly k ratings by k people, and the sample has the size asked."""
    ratings = min(seats, ratings)
    sample = data.draw(st.integers(1, 24))
    plan = overlap(items(6, 4), seats=seats, ratings=ratings, sample=sample, seed=5)
    counts = rated(plan)
    assert len(counts) == sample
    assert set(counts.values()) == {ratings}
    assert all(len(set(seat.items)) == len(seat.items) for seat in plan)


def test_a_sample_is_stratified() -> None:
    """Half of the items has half of every condition."""
    plan = overlap(items(10, 4), seats=2, ratings=1, sample=20, seed=5)
    shown = Counter(item.condition for seat in plan for item in seat.items)
    assert shown == dict.fromkeys("ABCD", 5)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"seats": 2, "ratings": 3, "sample": 4}, "2 seats cannot give an item 3 ratings"),
        ({"seats": 2, "ratings": 1, "sample": 99}, "between 1 and 8"),
        ({"seats": 2, "ratings": 1, "sample": 0}, "between 1 and 8"),
    ],
)
def test_an_overlap_that_cannot_be_is_refused(numbers: dict[str, int], message: str) -> None:
    """More ratings than people, or a larger sample than items, is said so."""
    with pytest.raises(InputError, match=message):
        overlap(items(4, 2), **numbers, seed=1)


def revision(number: int, scenario: str, condition: str) -> Revision:
    return Revision(number, number, scenario, condition, 1, "t", (), None, {})


def test_seats_show_the_revisions_that_were_given() -> None:
    """A seat's list is bound to revisions, numbered from 1 for people; strata come from facts."""
    shown = [revision(10, "S1", "A"), revision(11, "S1", "B")]
    planned = plan_items(shown, {"S1": {"domain": "home", "note": "x"}}, ("domain",))
    assert planned[0].strata == ("home",)
    seats = rater_seats(planned, PlanRequest(seats=2, ratings=1))
    assert sorted(number for seat in seats for number in seat.revisions) == [10, 11]
    assert [seat.number for seat in seats] == [1, 2]


@pytest.mark.parametrize("design", ["latin-square", "crossed", "overlap"])
def test_every_design_can_be_asked_for(design: Any) -> None:
    """A request names its design, and the seats follow."""
    seats = rater_seats(items(4, 2), PlanRequest(design, seats=4, ratings=2))
    assert len(seats) == 4
    assert all(seat.revisions for seat in seats)
