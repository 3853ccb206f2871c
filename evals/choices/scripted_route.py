"""The scripted model's route: toy log-probabilities from a toy tokenizer, and no model at all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from core.hashing import canonical, digest
from core.runs import Message
from evals.choices.paths import Tokens, steps
from evals.choices.routes import FORCED, Formatted, Taken
from evals.mock.tokens import CONTEXT, framed, logprob, number, pieces

NAME = "scripted-choices-1"  # the number changes whenever any log-probability would
_MARK = "\x02"


class ScriptedRoute:
    """A deterministic fake; the same log-probabilities for the same tokens, on any machine."""

    context: int | None = CONTEXT

    async def format(self, messages: Sequence[Message]) -> Formatted:
        """Put texts between control tokens; what a text spells stays text."""
        ids: list[int] = []
        head, *parts = framed([Message(m.role, _MARK) for m in messages]).split(_MARK)
        ids += _ids(head)
        for part, message in zip(parts, messages, strict=True):
            ids += [number(piece) for piece in pieces(message.content, special=False)]
            ids += _ids(part)
        return Formatted(tuple(ids[:-1]), "\n")  # the frame ends with a new line of its own

    async def tokens(self, formatted: Formatted, text: str) -> Tokens:
        """Return the tokens up to the end of a text, which is read as plain text."""
        whole = pieces(formatted.rest + text, special=False)
        return (*formatted.ids, *(number(piece) for piece in whole))

    def calls(self, paths: Sequence[Tokens]) -> int:
        """As many as a model would need that is asked token by token."""
        return len(steps(paths))

    async def take(self, prompt: Tokens, paths: Sequence[Tokens]) -> Taken:
        """Draw every log-probability from the tokens before it."""
        found = {
            path: tuple(logprob(prompt + path[:at], token) for at, token in enumerate(path))
            for path in paths
        }
        asked = canonical({"scripted": [list(prompt + path) for path in paths]})
        said = canonical([list(found[path]) for path in paths]).encode()
        return Taken(found, ((asked, said),))


def build() -> dict[str, Any]:
    """Return what decides its log-probabilities: its name."""
    return {
        "route": FORCED,
        "engine": NAME,
        "note": "a deterministic fake, no language model",
        "template": digest(framed([Message("user", _MARK)])),
    }


@asynccontextmanager
async def routes(workers: int) -> AsyncIterator[Sequence[ScriptedRoute]]:
    """Give each worker a route."""
    yield [ScriptedRoute() for _ in range(workers)]


def _ids(text: str) -> list[int]:
    return [number(piece) for piece in pieces(text)]
