"""Plans: who rates which item in which order. Pure and seeded; the study file checks them again.

Under a Latin square of k conditions there are k lists. List b shows scenario number s in condition
(s + b) mod k, so every list has every scenario once, and every item stands in exactly one list. R
seats share a list, so every item is rated R times and nobody sees two conditions of one scenario.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from core.errors import InputError
from core.hashing import seed_from
from core.study import Revision
from db.rounds import RaterSeat

Cell = tuple[str, str]  # scenario, condition
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """One seat's list of scenario and condition, in the order of showing."""

    number: int
    list: int
    cells: tuple[Cell, ...]


def latin_square(
    scenarios: Sequence[str], conditions: Sequence[str], *, seats: int, ratings: int, seed: int
) -> tuple[SeatPlan, ...]:
    """Plan `seats` seats so that every item gets exactly `ratings` ratings.

    Raises
    ------
    InputError
        When the numbers cannot be exact; it names the nearest that can.
    """
    lists = len(conditions)
    if not scenarios or lists < 2:
        raise InputError("a latin square needs scenarios in at least two conditions")
    if ratings < 1:
        raise InputError(f"every item needs at least one rating, not {ratings}: use --ratings 1")
    if seats != lists * ratings:
        nearest = max(1, round(seats / lists))
        raise InputError(
            f"{seats} seats cannot give {lists} lists x {ratings} ratings each: use --seats "
            f"{lists * ratings}, or --ratings {nearest} --seats {lists * nearest}"
        )
    # Which scenario starts in which condition is drawn once, so that families, which often stand
    # together in the ids, are not bound to conditions.
    rotation = _shuffled(sorted(scenarios), seed_from(seed, "rotation"))
    return tuple(
        SeatPlan(
            number,
            number % lists,
            _spread(
                [
                    (scenario, conditions[(place + number) % lists])
                    for place, scenario in enumerate(rotation)
                ],
                seed_from(seed, "order", number),
            ),
        )
        for number in range(seats)
    )


def _spread(cells: Sequence[Cell], seed: int) -> tuple[Cell, ...]:
    """Order cells at random, but with the conditions dealt out evenly from first to last."""
    draw = Random(seed)  # noqa: S311  (a plan must be repeatable, not secret)
    stacks: dict[str, list[Cell]] = {}
    for cell in _shuffled(cells, seed):
        stacks.setdefault(cell[1], []).append(cell)
    ordered: list[Cell] = []
    while any(stacks.values()):
        turn = [stack for _, stack in sorted(stacks.items()) if stack]
        draw.shuffle(turn)
        ordered += [stack.pop() for stack in turn]
    return tuple(ordered)


def _shuffled(values: Sequence[T], seed: int) -> list[T]:
    drawn = list(values)
    Random(seed).shuffle(drawn)  # noqa: S311
    return drawn


def rater_seats(
    revisions: Sequence[Revision],
    conditions: Sequence[str],
    *,
    seats: int,
    ratings: int,
    seed: int,
) -> tuple[RaterSeat, ...]:
    """Plan a Latin square over the given revisions.

    Raises
    ------
    InputError
        When the numbers cannot be exact, or a scenario lacks a condition.
    """
    shown = {(r.scenario, r.condition): r.id for r in revisions}
    scenarios = sorted({revision.scenario for revision in revisions})
    for scenario in scenarios:
        for condition in conditions:
            if (scenario, condition) not in shown:
                raise InputError(f"scenario {scenario} has no item in condition {condition}")
    plans = latin_square(scenarios, conditions, seats=seats, ratings=ratings, seed=seed)
    return tuple(
        RaterSeat(plan.number + 1, plan.list, tuple(shown[cell] for cell in plan.cells))
        for plan in plans
    )
