"""The proof of a plan: every claim can fail, and fails for its own reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotate.plan import PlanItem, latin_square
from annotate.proof import PlannedCell, failed, proof_table, prove


def cells() -> list[PlannedCell]:
    """A whole Latin square of 12 scenarios in 4 conditions, 8 seats, 2 ratings."""
    drafted = [
        PlanItem(f"S{s:02}", c, s * 4 + n, (f"f{s % 3}",))
        for s in range(12)
        for n, c in enumerate("ABCD")
    ]
    return [
        PlannedCell(
            seat.number, position, item.scenario, item.condition, item.revision, item.strata
        )
        for seat in latin_square(drafted, seats=8, ratings=2, seed=1)
        for position, item in enumerate(seat.items, start=1)
    ]


def claims(planned: list[PlannedCell], **other: Any) -> dict[str, bool]:
    asked: dict[str, Any] = {"design": "latin-square", "ratings": 2, "items": 48, "names": ("f",)}
    return {claim.text: claim.holds for claim in prove(cells=planned, **{**asked, **other})}


def test_a_sound_plan_is_proved() -> None:
    """Nothing is found wrong with a plan as the planner makes it."""
    assert all(claims(cells()).values())


def moved(planned: list[PlannedCell]) -> list[PlannedCell]:
    first = planned[0]
    other = next(c for c in planned if c.seat == first.seat and c.scenario != first.scenario)
    return [replace(first, scenario=other.scenario), *planned[1:]]


@pytest.mark.parametrize(
    ("spoil", "broken"),
    [
        (moved, "no seat has two conditions of one scenario"),
        (lambda planned: [*planned, planned[0]], "no seat has an item twice"),
        (lambda planned: planned[1:], "every item is rated by exactly 2"),
        (
            lambda planned: [c for c in planned if c.revision != planned[0].revision],
            "all 48 items of its scenarios are covered",
        ),
        (
            lambda planned: [replace(c, seat=min(c.seat, 4)) for c in planned],
            "seats have equally much to do, give or take one",
        ),
    ],
)
def test_each_promise_can_be_broken(spoil: Any, broken: str) -> None:
    """Each claim notices what it is there to notice, and the round is refused."""
    spoiled = spoil(cells())
    assert claims(spoiled)[broken] is False
    found = prove("latin-square", 2, spoiled, 48, ("f",))
    assert broken in {claim.text for claim in failed(found)}
    assert proof_table("r", found).title.endswith("does NOT hold")


def test_an_order_that_puts_conditions_in_blocks_is_shown() -> None:
    """A list sorted by condition is exact but lopsided: shown, not refused."""
    planned = sorted(cells(), key=lambda cell: (cell.seat, cell.condition))
    ordered = [replace(cell, position=n % 12 + 1) for n, cell in enumerate(planned)]
    assert not claims(ordered)[
        "each condition is spread over both halves of a list, give or take 2"
    ]
    assert not failed(prove("latin-square", 2, ordered, 48, ("f",)))


def test_a_sample_need_not_be_whole() -> None:
    """An overlap's sample is not held against all items of its scenarios."""
    assert not [text for text in claims(cells(), items=None) if "covered" in text]
