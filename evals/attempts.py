"""One request after another until there is an answer, with a bound.

What an endpoint does never raises: an :class:`Attempt` says what came, and whether to try again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

from core.hashing import seed_from
from core.runs import Reply
from evals.models import Prompt

Fault = Literal["", "unreachable", "dropped", "busy", "denied", "unusable"]
AGAIN: frozenset[Fault] = frozenset({"unreachable", "dropped", "busy"})
KNOCK = 5.0  # seconds at most between two looks at an endpoint that is gone


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
    up to `longest` each; an endpoint that asks for more gets no further attempt. One that nobody
    can reach is no fault of the request: it is waited for, `patience` seconds long, and no attempt
    is counted.
    """

    attempts: int = 6
    first: float = 0.5
    cap: float = 20.0
    longest: float = 120.0
    patience: float = 600.0

    def delay(self, prompt: Prompt, number: int, asked: float | None) -> float | None:
        """Return the seconds before the next attempt, or ``None`` when there is none.

        The jitter (0.75 to 1.25) comes from the key, so that workers spread out.
        """
        if number >= self.attempts or (asked is not None and asked > self.longest):
            return None
        return max(asked or 0.0, self._backoff(prompt, number, self.cap))

    def knock(self, prompt: Prompt, number: int) -> float:
        """Return the seconds before the next look at an endpoint that is gone."""
        return self._backoff(prompt, number, min(self.cap, KNOCK))

    def _backoff(self, prompt: Prompt, number: int, cap: float) -> float:
        jitter = 0.75 + seed_from(prompt.key, number) / 2**65
        return min(cap, self.first * 2.0 ** min(number - 1, 32)) * jitter


async def persist(ask: Ask, prompt: Prompt, policy: Policy, stop: asyncio.Event) -> Attempt | None:
    """Ask until a model answers, the bound is reached, or trying again is no use.

    Returns
    -------
    Attempt or None
        The last attempt, with what all of them used; ``None`` when `stop` was set between two.
    """
    made: list[Reply] = []
    counted, knocks, gone_since = 0, 0, monotonic()
    while True:
        attempt = await ask(prompt)
        made.append(attempt.reply)
        if attempt.fault == "unreachable":
            knocks += 1
            late = monotonic() - gone_since >= policy.patience
            delay = None if late else policy.knock(prompt, knocks)
        else:
            counted, knocks, gone_since = counted + 1, 0, monotonic()
            if attempt.fault not in AGAIN:
                return _in_all(attempt, made)
            delay = policy.delay(prompt, counted, attempt.wait)
        if delay is None:
            return _told(_in_all(attempt, made))
        if await stopped_within(stop, delay):
            return None


async def stopped_within(stop: asyncio.Event, seconds: float) -> bool:
    """Wait for so long, or until the stop; return whether it came."""
    try:
        async with asyncio.timeout(seconds):
            return await stop.wait()
    except TimeoutError:
        return False


def _in_all(attempt: Attempt, made: list[Reply]) -> Attempt:
    """Return an attempt with the usage of all that were made."""
    if len(made) == 1:
        return attempt
    reply = replace(
        attempt.reply,
        attempts=len(made),
        started_at=made[0].started_at,
        tokens_in=_sum([reply.tokens_in for reply in made]),
        tokens_out=_sum([reply.tokens_out for reply in made]),
    )
    return replace(attempt, reply=reply)


def _sum(counts: list[int | None]) -> int | None:
    stated = [count for count in counts if count is not None]
    return sum(stated) if stated else None


def _told(attempt: Attempt) -> Attempt:
    """Return an attempt whose error says how often it was tried."""
    if attempt.reply.attempts == 1:
        return attempt
    error = f"{attempt.reply.error} ({attempt.reply.attempts} attempts)"
    return replace(attempt, reply=replace(attempt.reply, error=error))
