"""What a run asks of an endpoint at once and per minute, and less of it while it throttles.

Additive increase, multiplicative decrease: an answer of 429 or 5xx halves the requests in flight,
at most once a second; each round of answers adds one again, up to the limit.
"""

from __future__ import annotations

import asyncio
from collections import deque
from time import monotonic

from evals.attempts import Ask, Attempt
from evals.models import Limits, Prompt

BREATH = 1.0  # seconds between two decreases: what was in flight says the same thing many times


class Gate:
    """Lets requests through as far as limits and endpoint allow."""

    def __init__(self, limits: Limits, workers: int) -> None:
        self._most = max(1, min(workers, limits.concurrency or workers))
        self._allowed = float(self._most)
        self._flying = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._requests = Pace(limits.requests_per_minute)
        self._tokens = Pace(limits.tokens_per_minute)
        self._said = 64.0  # tokens of an answer, so far; an estimate for the next one
        self._decreased = -BREATH

    @property
    def allowed(self) -> int:
        """How many requests may be in flight just now."""
        return int(self._allowed)

    def through(self, ask: Ask) -> Ask:
        """Return an ask that waits for its turn."""

        async def asked(prompt: Prompt) -> Attempt:
            await self._enter()
            try:
                await self._requests.turn(1)
                expected = tokens_of(prompt) + self._said
                await self._tokens.turn(expected)
                attempt = await ask(prompt)
                self._note(attempt, expected)
                return attempt
            finally:
                self._leave()

        return asked

    async def _enter(self) -> None:
        if self._flying < self.allowed and not self._waiting:
            self._flying += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()  # the turn came at the moment of the stop: the next one has it
            raise

    def _leave(self) -> None:
        self._flying -= 1
        while self._waiting and self._flying < self.allowed:
            turn = self._waiting.popleft()
            if not turn.done():
                self._flying += 1
                turn.set_result(None)

    def _note(self, attempt: Attempt, expected: float) -> None:
        reply = attempt.reply
        if reply.tokens_out is not None:
            self._said += (reply.tokens_out - self._said) / 16
            self._tokens.correct((reply.tokens_in or 0) + reply.tokens_out - expected)
        if attempt.fault == "busy":
            if monotonic() - self._decreased >= BREATH:
                self._decreased = monotonic()
                self._allowed = max(1.0, self._allowed / 2)
        elif not attempt.fault:
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)


class Pace:
    """Spreads an amount per minute evenly; without one nobody waits."""

    def __init__(self, per_minute: float | None) -> None:
        self._each = 60.0 / per_minute if per_minute else 0.0
        self._free = 0.0

    async def turn(self, amount: float) -> None:
        """Wait until there is room, and take it."""
        if not self._each:
            return
        at = max(monotonic(), self._free)
        self._free = at + amount * self._each
        await asyncio.sleep(max(0.0, at - monotonic()))

    def correct(self, amount: float) -> None:
        """Add what was used beyond what was taken, or give back what was not."""
        self._free += amount * self._each


def tokens_of(prompt: Prompt) -> int:
    """Return a prompt's tokens, estimated: four bytes each, as most tokenizers come out."""
    return sum(len(turn.content.encode("utf-8", "replace")) for turn in prompt.messages) // 4 + 1
