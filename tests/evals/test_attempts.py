from __future__ import annotations

import asyncio

import pytest

from core.runs import GenerationKey, Reply
from evals.attempts import Attempt, Fault, Policy, persist
from evals.models import Prompt

PROMPT = Prompt(GenerationKey(1, 1, "sha256:p", 1), ())
FAST = Policy(attempts=4, first=0.001, patience=0.0)


def failing(*faults: Fault) -> tuple[list[int], object]:
    calls: list[int] = []

    async def ask(_: Prompt) -> Attempt:
        fault = faults[min(len(calls), len(faults) - 1)]
        calls.append(1)
        return Attempt(Reply("error" if fault else "ok", error=fault), fault)

    return calls, ask


@pytest.mark.parametrize(
    ("faults", "calls", "last"),
    [
        (("",), 1, ""),
        (("busy", "dropped", ""), 3, ""),
        (("busy",), 4, "busy (4 attempts)"),
        (("unreachable",), 1, "unreachable"),
        (("denied",), 1, "denied"),
        (("unusable",), 1, "unusable"),
    ],
)
async def test_what_is_tried_again(faults: tuple[Fault, ...], calls: int, last: str) -> None:
    """Only what may pass is tried again, within the bound, and the last error says how often."""
    made, ask = failing(*faults)
    attempt = await persist(ask, PROMPT, FAST, asyncio.Event())  # type: ignore[arg-type]
    assert len(made) == calls
    assert attempt is not None
    assert attempt.reply.error == last


def test_delays_grow_within_bounds_and_differ_between_keys() -> None:
    """Delays double up to a cap, with a jitter that differs between keys and attempts."""
    policy = Policy()
    for number in range(1, 6):
        delay = policy.delay(PROMPT, number, None)
        assert delay is not None
        assert 0.75 <= delay / min(20, 0.5 * 2 ** (number - 1)) <= 1.25
    assert policy.delay(PROMPT, 6, None) is None
    other = Prompt(GenerationKey(1, 2, "sha256:p", 1), ())
    assert policy.delay(PROMPT, 1, None) != policy.delay(other, 1, None)


def test_retry_after_is_a_floor_and_has_a_bound() -> None:
    """An endpoint gets the time that it asks for; one that asks for too much gets no more."""
    assert Policy().delay(PROMPT, 1, 30.0) == 30.0
    assert (Policy().delay(PROMPT, 1, 0.0) or 0) > 0.3
    assert Policy().delay(PROMPT, 1, 3600.0) is None


async def test_a_stop_ends_the_waiting() -> None:
    """A stop between two attempts ends the waiting at once, and leaves no error behind."""
    made, ask = failing("busy")
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, stop.set)
    async with asyncio.timeout(5):
        attempt = await persist(ask, PROMPT, Policy(first=60, cap=60), stop)  # type: ignore[arg-type]
    assert attempt is None
    assert len(made) == 1
