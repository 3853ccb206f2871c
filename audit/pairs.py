"""Which pairs an auditor sees, in which order, and which condition stands on which side.

Pure and seeded. Sides are balanced within an auditor, and the next auditor sees each pair the
other way round, so that neither side nor order can carry a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from core.errors import InputError
from core.hashing import seed_from
from core.plans import AuditorSeat, PlannedPair
from core.study import Revision


def auditor_seats(
    revisions: Sequence[Revision], pair: tuple[str, str], *, auditors: int, seed: int
) -> tuple[AuditorSeat, ...]:
    """Plan the seats of all auditors over every scenario that has both conditions of the pair.

    Raises
    ------
    InputError
        When there are auditors, and no scenario has both conditions.
    """
    if not auditors:
        return ()
    shown = {(r.scenario, r.condition): r.id for r in revisions}
    first, second = pair
    scenarios = sorted({s for s, c in shown if c == first} & {s for s, c in shown if c == second})
    if not scenarios:
        raise InputError(f"no scenario has both {first} and {second}")
    swapped = _half(scenarios, seed_from(seed, "sides"))
    return tuple(
        AuditorSeat(
            number + 1,
            tuple(
                _pair(shown, scenario, pair, swap=(scenario in swapped) == (number % 2 == 0))
                for scenario in _shuffled(scenarios, seed_from(seed, "pairs", number))
            ),
        )
        for number in range(auditors)
    )


def _pair(
    shown: dict[tuple[str, str], int], scenario: str, pair: tuple[str, str], *, swap: bool
) -> PlannedPair:
    left, right = reversed(pair) if swap else pair
    return PlannedPair(scenario, shown[scenario, left], shown[scenario, right])


def _half(scenarios: Sequence[str], seed: int) -> frozenset[str]:
    return frozenset(_shuffled(scenarios, seed)[: len(scenarios) // 2])


def _shuffled(values: Sequence[str], seed: int) -> list[str]:
    drawn = list(values)
    Random(seed).shuffle(drawn)  # noqa: S311  (a plan must be repeatable, not secret)
    return drawn
