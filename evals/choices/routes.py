"""What a way to log-probabilities is: the same few questions, whoever answers them.

Whoever is behind it, exactly one route serves a whole setup: two routes through one model differ in
the sixth decimal, because their sums are made by other code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.choices import ChoiceKind
from core.runs import Message
from evals.attempts import Attempt
from evals.choices.paths import Tokens
from evals.models import ModelSpec

FORCED = "forced tokens"
ECHO = "prompt log-probabilities by echo"
PROMPT_LOGPROBS = "prompt log-probabilities by prompt_logprobs"


class Unscorable(Exception):
    """An item cannot be asked by this route; the text says why. Asking again is no use."""


class Broken(Exception):
    """A request brought nothing that can be used; the item may be asked again."""

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt.reply.error)
        self.attempt = attempt


@dataclass(frozen=True, slots=True)
class Formatted:
    """A conversation under a model's chat template, up to where the assistant begins to speak.

    Attributes
    ----------
    ids
        Tokens up to the last control token, where the route can give them apart.
    rest
        The plain text after them, which anchor and answer are appended to.
    """

    ids: Tokens
    rest: str


@dataclass(frozen=True, slots=True)
class Taken:
    """Log-probabilities of token strings, token by token, with every exchange that gave them."""

    logprobs: Mapping[Tokens, tuple[float, ...]]
    exchanges: tuple[tuple[str, bytes], ...] = ()


class Route(Protocol):
    """One worker's way to the log-probabilities of given tokens.

    All of them raise :class:`Unscorable` for what can never be asked, and :class:`Broken` for what
    failed.
    """

    @property
    def context(self) -> int | None:
        """How many tokens the model can read; ``None`` where nobody says."""

    async def format(self, messages: Sequence[Message]) -> Formatted:
        """Put a conversation under the chat template; texts stay texts."""

    async def tokens(self, formatted: Formatted, text: str) -> Tokens:
        """Return the tokens of a formatted conversation with a text after it."""

    async def take(self, prompt: Tokens, paths: Sequence[Tokens]) -> Taken:
        """Return the log-probabilities of token strings after a prompt."""

    def calls(self, paths: Sequence[Tokens]) -> int:
        """Return how many passes through the model :meth:`take` makes."""


Routes = Callable[[int], AbstractAsyncContextManager[Sequence[Route]]]


@dataclass(frozen=True, slots=True)
class Scorer:
    """A model whose log-probabilities can be asked for.

    Attributes
    ----------
    spec
        As asked for, with the model's name filled in.
    kind
        What a setup records of it.
    build
        Everything that decides a log-probability beside the prompt.
    routes
        Opens, inside an event loop, one route per worker.
    most
        Workers that are of use.
    """

    spec: ModelSpec
    kind: ChoiceKind
    build: Mapping[str, Any]
    routes: Routes
    most: int
    config: Mapping[str, Any] = field(default_factory=dict)
