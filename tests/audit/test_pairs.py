"""Which pairs an auditor sees: balanced, mirrored, repeatable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.pairs import auditor_seats
from core.errors import InputError
from core.plans import AuditorSeat
from core.study import Revision

PAIR = ("Active", "Removed")


def revisions(count: int) -> list[Revision]:
    """Active revisions have even ids, Removed ones odd."""
    return [
        Revision(2 * n + side, 2 * n + side, f"S{n:02}", condition, 1, "t", (), None, {})
        for n in range(count)
        for side, condition in enumerate(PAIR)
    ]


def sides(seat: AuditorSeat) -> dict[str, bool]:
    """Return, by scenario, whether Active stands on the left."""
    return {pair.scenario: pair.left % 2 == 0 for pair in seat.pairs}


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 2**32))
def test_every_auditor_sees_every_pair_once(count: int, auditors: int, seed: int) -> None:
    """Each auditor judges each scenario, with both of its conditions."""
    seats = auditor_seats(revisions(count), PAIR, auditors=auditors, seed=seed)
    assert [seat.number for seat in seats] == list(range(1, auditors + 1))
    for seat in seats:
        assert sorted(p.scenario for p in seat.pairs) == [f"S{n:02}" for n in range(count)]
        for pair in seat.pairs:
            number = int(pair.scenario[1:])
            assert {pair.left, pair.right} == {2 * number, 2 * number + 1}


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_sides_are_balanced_within_and_mirrored_between_auditors(count: int, seed: int) -> None:
    """Each condition is left as often as right, give or take one; the next sees it turned."""
    first, second, third = auditor_seats(revisions(count), PAIR, auditors=3, seed=seed)
    for seat in (first, second, third):
        left = sum(sides(seat).values())
        assert abs(left - (count - left)) <= 1
    assert sides(first) == {s: not left for s, left in sides(second).items()} == sides(third)


def test_order_and_sides_follow_from_the_seed() -> None:
    """The same seed gives the same plan; auditors have orders of their own."""
    plan = auditor_seats(revisions(20), PAIR, auditors=2, seed=1)
    assert auditor_seats(revisions(20)[::-1], PAIR, auditors=2, seed=1) == plan
    assert auditor_seats(revisions(20), PAIR, auditors=2, seed=2) != plan
    orders = [[pair.scenario for pair in seat.pairs] for seat in plan]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) != orders[0]


def test_a_scenario_without_its_partner_is_left_out() -> None:
    """A pair needs both conditions; without any pair there is nothing to audit."""
    (seat,) = auditor_seats(revisions(3)[:-1], PAIR, auditors=1, seed=1)
    assert sorted(pair.scenario for pair in seat.pairs) == ["S00", "S01"]
    with pytest.raises(InputError, match="no scenario has both Active and Removed"):
        auditor_seats(revisions(1)[:1], PAIR, auditors=1, seed=1)


@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 2**32))
def test_each_pair_is_shown_both_ways_round(count: int, auditors: int, seed: int) -> None:
    """Over all auditors each pair has each condition left as often as right, give or take one."""
    seats = auditor_seats(revisions(count), PAIR, auditors=auditors, seed=seed)
    for scenario in sides(seats[0]):
        left = sum(sides(seat)[scenario] for seat in seats)
        assert abs(left - (auditors - left)) <= 1


@given(st.integers(2, 40), st.integers(0, 2**32))
def test_more_auditors_change_nothing_for_the_first(count: int, seed: int) -> None:
    """Neither how many others there are nor how the items stand in the file moves a pair."""
    plain = revisions(count)
    (seat,) = auditor_seats(plain, PAIR, auditors=1, seed=seed)
    again = auditor_seats(plain[::-1], PAIR, auditors=2, seed=seed)[0]
    assert again == seat
