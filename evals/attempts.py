"""One request after another until there is an answer, with a bound.

What an endpoint does never raises: an :class:`Attempt` says what came, and whether to try again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

from core.hashing import seed_from
from core.runs import Reply
from evals.models import Prompt

Fault = Literal["", "unreachable", "dropped", "busy", "denied", "unusable"]
AGAIN: frozenset[Fault] = frozenset({"unreachable", "dropped", "busy"})


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one request brought.

    Attributes
    ----------
    fault
        Nothing when a model answered. ``unreachable``: no connection; ``dropped``: it broke or
        timed out; ``busy``: 429 and 5xx; ``denied``: the key, the model or the address is wrong
        for every request; ``unusable``: this request or this answer is.
    wait
        Seconds that the endpoint asked for (``Retry-After``).
    """

    reply: Reply
    fault: Fault = ""
    wait: float | None = None


Ask = Callable[[Prompt], Awaitable[Attempt]]


@dataclass(frozen=True, slots=True)
class Policy:
    """How often and how patiently a request is tried again.

    With the defaults, six attempts within about 16 seconds, and whatever the endpoint asks for
    up to `longest` each; an endpoint that asks for more gets no further attempt.
    """

    attempts: int = 6
    first: float = 0.5
    cap: float = 20.0
    longest: float = 120.0

    def delay(self, prompt: Prompt, number: int, asked: float | None) -> float | None:
        """Return the seconds before the next attempt, or ``None`` when there is none.

        The jitter (0.75 to 1.25) comes from the key, so that workers spread out.
        """
        if number >= self.attempts or (asked is not None and asked > self.longest):
            return None
        jitter = 0.75 + seed_from(prompt.key, number) / 2**65
        return max(asked or 0.0, min(self.cap, self.first * 2.0 ** (number - 1)) * jitter)


async def persist(ask: Ask, prompt: Prompt, policy: Policy, stop: asyncio.Event) -> Attempt | None:
    """Ask until a model answers, the bound is reached, or trying again is no use.

    Returns
    -------
    Attempt or None
        The last attempt; ``None`` when `stop` was set between two attempts.
    """
    number = 1
    while True:
        attempt = await ask(prompt)
        if attempt.fault not in AGAIN:
            return attempt
        delay = policy.delay(prompt, number, attempt.wait)
        if delay is None:
            return _counted(attempt, number)
        if await _stopped_within(stop, delay):
            return None
        number += 1


def _counted(attempt: Attempt, number: int) -> Attempt:
    if number == 1:
        return attempt
    error = f"{attempt.reply.error} ({number} attempts)"
    return replace(attempt, reply=replace(attempt.reply, error=error))


async def _stopped_within(stop: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await stop.wait()
    except TimeoutError:
        return False
