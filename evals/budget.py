"""Caps of a whole run, in tokens and in money, and what it would cost before it begins."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from core.errors import InputError
from core.runs import GenerationKey, Prices, Reply
from db.run_counts import Spent
from evals.gate import tokens_of
from evals.models import MAX_TOKENS, ModelSpec, Prompt


@dataclass(frozen=True, slots=True)
class Caps:
    """What a run may use over all its calls; ``None``: as much as it takes."""

    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is left to ask, and what it may take.

    Attributes
    ----------
    calls
        Requests, if none has to be repeated.
    tokens_in
        Estimated: four bytes a token.
    tokens_out, at_most
        By the mean of the answers so far (``None`` before the first), and by the token limit.
    """

    calls: int
    tokens_in: int
    tokens_out: int | None
    at_most: int
    prices: Prices | None

    def cost(self, tokens_out: int | None) -> float | None:
        """Return dollars for so many tokens that come back; ``None`` without prices."""
        if self.prices is None or tokens_out is None:
            return None
        return self.prices.cost(self.tokens_in, tokens_out)

    @property
    def words(self) -> str:
        """What a person is told: requests, tokens and dollars, the likely and the most."""
        said = f"{self.calls:,} requests, about {self.tokens_in:,} tokens to send, "
        likely = self.cost(self.tokens_out)
        if self.tokens_out is not None:
            said += f"about {self.tokens_out:,} back as the answers so far go, "
        said += f"at most {self.at_most:,} back"
        most = self.cost(self.at_most)
        if most is None:
            return f"{said}; no prices are known, so no cost"
        about = "" if likely is None else f"about ${likely:.2f}, "
        return f"{said}; {about}at most ${most:.2f}"


class Budget:
    """Counts what is spent and reserves the worst case of what is in flight, so no cap is passed.

    Where an endpoint states no usage, three bytes count as a token.
    """

    def __init__(self, spec: ModelSpec, caps: Caps, spent: Spent) -> None:
        if caps.cost is not None and spec.prices is None:
            raise InputError(f"{spec.name} has no prices, so --max-cost cannot be kept; give them "
                             "in the models file")  # fmt: skip
        self._caps, self._prices = caps, spec.prices
        self._answer = spec.max_tokens or MAX_TOKENS
        self._tokens_in, self._tokens_out = spent.tokens_in, spent.tokens_out
        self._reserved: dict[GenerationKey, tuple[int, int]] = {}
        self._settled = asyncio.Event()
        self.exhausted = False

    @property
    def capped(self) -> bool:
        """Whether there is any cap to keep."""
        return self._caps != Caps()

    @property
    def tokens(self) -> int:
        """Tokens that the run used so far."""
        return self._tokens_in + self._tokens_out

    @property
    def cost(self) -> float | None:
        """Dollars that the run cost so far; ``None`` without prices."""
        return self._prices.cost(self._tokens_in, self._tokens_out) if self._prices else None

    async def room(self, prompt: Prompt) -> bool:
        """Reserve one request; ``False`` when the cap would be passed and nothing is in flight."""
        if not self.capped:
            return True
        need = (2 * tokens_of(prompt), self._answer)
        while not self._fits(need):
            if not self._reserved:
                self.exhausted = True
            if self.exhausted:
                return False
            self._settled.clear()
            await self._settled.wait()
        self._reserved[prompt.key] = need
        return True

    def settle(self, prompt: Prompt, reply: Reply | None) -> None:
        """Put what a request used in the place of what was reserved for it."""
        self._reserved.pop(prompt.key, None)
        if reply is not None:
            sent, came = used(reply)
            self._tokens_in += sent
            self._tokens_out += came
        self._settled.set()

    def _fits(self, need: tuple[int, int]) -> bool:
        sent = self._tokens_in + need[0] + sum(held[0] for held in self._reserved.values())
        came = self._tokens_out + need[1] + sum(held[1] for held in self._reserved.values())
        if self._caps.tokens is not None and sent + came > self._caps.tokens:
            return False
        return (
            self._caps.cost is None
            or self._prices is None
            or self._prices.cost(sent, came) <= self._caps.cost
        )


def used(reply: Reply) -> tuple[int, int]:
    """Return the tokens of a reply, sent and received: as stated, else estimated from the texts."""
    sent = reply.tokens_in
    came = reply.tokens_out
    if sent is None:
        sent = _guess(reply.request) * reply.attempts
    if came is None:
        came = _guess(reply.visible_text) + _guess(reply.reasoning)
    return sent, came


def _guess(text: str) -> int:
    return (len(text.encode("utf-8", "replace")) + 2) // 3
