from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.runs import GenerationKey, Message, Reply
from evals.attempts import Attempt
from evals.gate import Gate, Pace
from evals.models import Limits, Prompt, parse_model
from evals.runner import run
from tests.evals.ordeal import mock

PROMPT = Prompt(GenerationKey(1, 1, "p", 1), (Message("user", "Hi"),))


async def in_flight(gate: Gate, fault: Any, count: int) -> list[int]:
    """Ask so often at once; return how many were in flight at each request."""
    flying, seen = 0, []

    async def ask(_: Prompt) -> Attempt:
        nonlocal flying
        flying += 1
        seen.append(flying)
        await asyncio.sleep(0.001)
        flying -= 1
        return Attempt(Reply("ok"), fault)

    await asyncio.gather(*(gate.through(ask)(PROMPT) for _ in range(count)))
    return seen


async def test_never_more_than_the_limit() -> None:
    """However many ask, no more than the limit are in flight, and all get through."""
    seen = await in_flight(Gate(Limits(concurrency=3), 32), "", 40)
    assert len(seen) == 40
    assert max(seen) == 3


async def test_it_gives_way_and_comes_back() -> None:
    """An endpoint that throttles gets half as much at once, later the old measure again."""
    gate = Gate(Limits(), 32)
    await in_flight(gate, "busy", 32)
    assert gate.allowed == 16
    await in_flight(gate, "", 10)
    assert 16 <= gate.allowed < 20
    await in_flight(gate, "", 1000)
    assert gate.allowed == 32


async def test_a_cancelled_wait_blocks_nobody() -> None:
    """Whoever is cancelled while waiting leaves no place taken."""
    gate = Gate(Limits(concurrency=1), 4)

    async def slow(_: Prompt) -> Attempt:
        await asyncio.sleep(0.02)
        return Attempt(Reply("ok"))

    tasks = [asyncio.create_task(gate.through(slow)(PROMPT)) for _ in range(5)]
    await asyncio.sleep(0.001)
    for task in tasks[1:4]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(5):
        assert await in_flight(gate, "", 3) == [1, 1, 1]


async def test_a_pace_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Amounts per minute are spread evenly, and corrected by what was really used."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 2))

    monkeypatch.setattr("evals.gate.monotonic", lambda: 100.0)
    monkeypatch.setattr("evals.gate.asyncio.sleep", sleep)
    pace = Pace(60)
    for _ in range(3):
        await pace.turn(1)
    pace.correct(5)
    await pace.turn(1)
    assert slept == [0.0, 1.0, 2.0, 8.0]


def test_an_endpoint_with_a_real_limit_gives_no_error_row(make_study: Any, tmp_path: Any) -> None:
    """A server that lets 40 requests a second through answers everything in the end."""
    file = tmp_path / "limit.toml"
    file.write_text("requests_per_second = 40\nwait = 0\n")
    study = make_study(20)
    with mock("--faults", str(file)) as server:
        spec = parse_model(server.url, api_model="mock-1", seed=1)
        done = run(study, spec, conditions=("Active", "Removed"), samples=3, workers=32)
    assert done.states == {"ok": 120}
