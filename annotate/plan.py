"""Plans: who rates which item in which order. Pure and seeded; the study file checks them again.

``latin-square``
    Every item gets exactly R ratings, and no seat two conditions of one scenario. With k conditions
    and k x R seats these are the k lists of the textbook, R seats to a list. With more seats every
    seat has a part of a list, of equal length give or take one.
``crossed``
    Every seat rates every item (WISE: 5 annotators x 24 items).
``overlap``
    A stratified sample of the items, each rated by R seats.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotate.ordering import shuffled, spread
from core.errors import InputError
from core.hashing import seed_from
from core.plans import RaterSeat
from core.study import Design, Revision

Namer = Callable[[int], int]  # seat number, from 0, to the number of its list


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One item as a plan sees it: its revision, and the strata that are spread (family, domain)."""

    scenario: str
    condition: str
    revision: int
    strata: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """One seat's items in the order of showing; seats of one list have the same items."""

    number: int
    list: int
    items: tuple[PlanItem, ...]


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What a researcher asks for.

    `sample` is the size of an overlap's sample; `allow_unbalanced` accepts a Latin square in which
    items get fewer ratings than asked for, where the seats do not suffice.
    """

    design: Design = "latin-square"
    seats: int = 20
    ratings: int = 5
    seed: int = 1
    sample: int | None = None
    allow_unbalanced: bool = False


def plan_items(
    revisions: Sequence[Revision],
    facts: Mapping[str, Mapping[str, str]],
    strata: Sequence[str],
) -> tuple[PlanItem, ...]:
    """Return revisions as items of a plan, with the facts of their scenarios that are strata."""
    return tuple(
        PlanItem(
            revision.scenario,
            revision.condition,
            revision.id,
            tuple(facts[revision.scenario].get(name, "") for name in strata),
        )
        for revision in revisions
    )


def rater_seats(items: Sequence[PlanItem], request: PlanRequest) -> tuple[RaterSeat, ...]:
    """Plan the raters' seats of a round.

    Raises
    ------
    InputError
        When the numbers do not fit the design; it says which would.
    """
    numbers = {"seats": request.seats, "seed": request.seed}
    match request.design:
        case "latin-square":
            plans = latin_square(
                items,
                ratings=request.ratings,
                allow_unbalanced=request.allow_unbalanced,
                **numbers,
            )
        case "crossed":
            plans = crossed(items, **numbers)
        case "overlap":
            sample = len(items) if request.sample is None else request.sample
            plans = overlap(items, ratings=request.ratings, sample=sample, **numbers)
    return tuple(
        RaterSeat(plan.number, plan.list, tuple(item.revision for item in plan.items))
        for plan in plans
    )


def latin_square(
    items: Sequence[PlanItem],
    *,
    seats: int,
    ratings: int,
    seed: int,
    allow_unbalanced: bool = False,
) -> tuple[SeatPlan, ...]:
    """Plan a Latin square over scenario and condition.

    Parameters
    ----------
    items
        A scenario may lack a condition; the others are still rated exactly.
    seats, ratings
        How many people, and how many ratings each item shall have.
    allow_unbalanced
        Accept fewer ratings per item where the seats do not suffice, instead of refusing.

    Raises
    ------
    InputError
        When the numbers cannot be exact; it names the nearest that can.
    """
    _require(items, seats, ratings)
    scenarios = _by_scenario(items, seed)
    widest = max(len(conditions) for conditions in scenarios)
    if widest < 2:
        raise InputError("a latin square needs scenarios in at least two conditions")
    if seats < widest * ratings and not allow_unbalanced:
        raise InputError(_nearest(seats, ratings, widest))
    lists: list[list[PlanItem]] = [[] for _ in range(seats)]
    shown: list[Counter[str]] = [Counter() for _ in range(seats)]
    start = 0
    for turn, conditions in enumerate(scenarios):
        taken = [(start + n) % seats for n in range(min(seats, len(conditions) * ratings))]
        for seat, item in _dealt(taken, conditions, shown, turn):
            lists[seat].append(item)
            shown[seat][item.condition] += 1
        start += len(taken)
    whole = seats == widest * ratings and all(len(c) == widest for c in scenarios)
    return _seats(lists, seed, lambda number: number % widest if whole else 0)


def crossed(items: Sequence[PlanItem], *, seats: int, seed: int) -> tuple[SeatPlan, ...]:
    """Plan every seat to rate every item, each in an order of its own."""
    _require(items, seats, 1)
    return _seats([list(items) for _ in range(seats)], seed, lambda _: 0)


def overlap(
    items: Sequence[PlanItem], *, seats: int, ratings: int, sample: int, seed: int
) -> tuple[SeatPlan, ...]:
    """Plan `ratings` seats on each of `sample` items, drawn evenly from condition and strata.

    Raises
    ------
    InputError
        When there are fewer seats than ratings, or fewer items than the sample.
    """
    _require(items, seats, ratings)
    if ratings > seats:
        raise InputError(f"{seats} seats cannot give an item {ratings} ratings by different people")
    if not 1 <= sample <= len(items):
        raise InputError(f"--sample must lie between 1 and {len(items)}, the number of items")
    drawn = spread(items, _strata(items), seed_from(seed, "sample"))[:sample]
    lists: list[list[PlanItem]] = [[] for _ in range(seats)]
    for turn, item in enumerate(drawn):
        for cell in range(ratings):
            lists[(turn * ratings + cell) % seats].append(item)
    return _seats(lists, seed, lambda _: 0)


def _seats(lists: Sequence[Sequence[PlanItem]], seed: int, name: Namer) -> tuple[SeatPlan, ...]:
    return tuple(
        SeatPlan(
            number + 1,
            name(number),
            spread(items, _strata(items), seed_from(seed, "order", number)),
        )
        for number, items in enumerate(lists)
    )


def _dealt(
    seats: Sequence[int], conditions: Sequence[PlanItem], shown: Sequence[Counter[str]], turn: int
) -> list[tuple[int, PlanItem]]:
    """Deal a scenario's conditions round the seats, beginning where they were shown least."""
    count = len(conditions)
    rotations = (
        [(seat, conditions[(n + shift + turn) % count]) for n, seat in enumerate(seats)]
        for shift in range(count)
    )
    return min(rotations, key=lambda dealt: sum(shown[s][item.condition] for s, item in dealt))


def _strata(items: Sequence[PlanItem]) -> tuple[tuple[str, ...], ...]:
    by_attribute = zip(*(item.strata for item in items), strict=True)
    return (tuple(item.condition for item in items), *by_attribute)


def _by_scenario(items: Sequence[PlanItem], seed: int) -> list[list[PlanItem]]:
    """Group items by scenario, in a drawn order.

    Which scenario starts in which condition is drawn once, so that families, which often stand
    together in the ids, are not bound to conditions.
    """
    grouped: dict[str, list[PlanItem]] = defaultdict(list)
    for item in sorted(items, key=lambda item: (item.scenario, item.revision)):
        grouped[item.scenario].append(item)
    return shuffled(list(grouped.values()), seed_from(seed, "rotation"))


def _require(items: Sequence[PlanItem], seats: int, ratings: int) -> None:
    if not items:
        raise InputError(
            "there is nothing to plan: every item is frozen, given up, or decided as it stands"
        )
    if ratings < 1:
        raise InputError(f"every item needs at least one rating, not {ratings}: use --ratings 1")
    if seats < 1:
        raise InputError(f"a plan needs at least one seat, not {seats}: use --seats 1 or more")
    if len({(item.scenario, item.condition) for item in items}) != len(items):
        raise InputError("an item stands twice in what shall be planned")


def _nearest(seats: int, ratings: int, conditions: int) -> str:
    possible = seats // conditions
    instead = f"--seats {conditions * ratings}"
    if possible:
        instead += f", or --ratings {possible}"
    return (
        f"{seats} seats cannot give every item {ratings} ratings: nobody sees two conditions of a "
        f"scenario, so {conditions} conditions need {conditions * ratings} people; use {instead}"
    )
