"""The embedded model's route: each token is forced, and its own log-probability read.

The server gives no log-probabilities of a prompt, so a token is scored by asking for one token and
biasing this one until no other can win. What is reported is its log-probability before the bias.
One call per token; the prompt cache is off, because a prompt that is partly cached is computed in
other batches and scores differently (measured: by up to 0.075 nat). A grammar would be no way to do
this: it takes other tokens to the same letters.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from core.runs import Message, Reply
from evals import engine
from evals.chat import clients
from evals.choices.paths import Tokens, steps
from evals.choices.routes import FORCED, Formatted, Routes, Taken
from evals.choices.wire import Wire, unusable
from evals.embedded import Embedded, filled, marked
from evals.models import ModelSpec

CONTEXT = 8192
BIAS = 1e4  # nats; no other token can win against it


class ForcedRoute(Wire):
    """Log-probabilities of the embedded model, one forced token at a time."""

    context = CONTEXT

    async def format(self, messages: Sequence[Message]) -> Formatted:
        """Put texts into the template; no control token but the template's own is read as one."""
        frame = await self._field("/apply-template", {"messages": marked(messages)}, "prompt", str)
        parts = list(filled(frame, [turn.content for turn in messages]))
        ids: list[int] = []
        for part, special in parts[:-1]:
            ids += await self._ids(part, special=special)
        last, special = parts[-1]
        if special:
            return Formatted((*ids, *await self._ids(last, special=True)), "")
        return Formatted(tuple(ids), last)

    async def tokens(self, formatted: Formatted, text: str) -> Tokens:
        """Return the tokens up to the end of a text, which is read as plain text."""
        return (*formatted.ids, *await self._ids(formatted.rest + text, special=False))

    def calls(self, paths: Sequence[Tokens]) -> int:
        """One call per token; beginnings that strings share are asked once."""
        return len(steps(paths))

    async def take(self, prompt: Tokens, paths: Sequence[Tokens]) -> Taken:
        """Force every token of every string, one call each."""
        found: dict[Tokens, float] = {}
        exchanges = []
        for step in steps(paths):
            body = forced(prompt + step[:-1], step[-1])
            answer, reply = await self._exchange(self._local("/completion"), body)
            exchanges.append((reply.request, reply.body))
            found[step] = read_forced(answer, len(prompt) + len(step) - 1, step[-1], reply)
        return Taken(
            {path: tuple(found[path[:end]] for end in range(1, len(path) + 1)) for path in paths},
            tuple(exchanges),
        )

    async def _ids(self, text: str, *, special: bool) -> Tokens:
        asked = {"content": text, "add_special": False, "parse_special": special}
        return tuple(await self._field("/tokenize", asked, "tokens", list)) if text else ()

    async def _field(self, path: str, body: Mapping[str, Any], field: str, kind: type[Any]) -> Any:
        answer = await self.post_beside(path, body)
        if not isinstance(answer.get(field), kind):
            raise unusable(f"the engine gave no {field}")
        return answer[field]

    def _local(self, path: str) -> str:
        return self._spec.base_url.removesuffix("/v1") + path


def forced(tokens: Sequence[int], token: int) -> dict[str, Any]:
    """Return the request for the log-probability of one token after others."""
    return {
        "prompt": list(tokens),
        "n_predict": 1,
        "n_probs": 1,
        "temperature": 0,
        "logit_bias": [[token, BIAS]],
        "cache_prompt": False,
    }


def read_forced(answer: Mapping[str, Any], read: int, token: int, reply: Reply) -> float:
    """Return the log-probability that an answer reports, when it is the one that was asked for."""
    try:
        said = answer["completion_probabilities"][0]
        took, logprob = said["id"], float(said["logprob"])
        cached = answer["timings"]["cache_n"]
        evaluated = answer["tokens_evaluated"]
    except (KeyError, IndexError, TypeError, ValueError):
        raise unusable("the engine reported no log-probability", reply) from None
    if (took, evaluated, cached) != (token, read, 0):
        raise unusable(
            f"the engine took token {took} after {evaluated} ({cached} of them cached), where "
            f"{token} after {read} was asked for",
            reply,
        )
    if not math.isfinite(logprob) or logprob > 0:
        raise unusable(f"{logprob} is no log-probability", reply)
    return logprob


def build_of(running: Embedded, template: str) -> dict[str, Any]:
    """Return everything that decides a log-probability of the embedded model."""
    return {
        "route": FORCED,
        **running.build,
        "vector_instructions": list(engine.vector_flags()),
        "cache_prompt": False,
        "template": template,
    }


def routes_of(spec: ModelSpec, first: Embedded) -> Routes:
    """Give each worker an engine of its own; one engine answers one request after another."""

    @asynccontextmanager
    async def routes(workers: int) -> AsyncIterator[Sequence[ForcedRoute]]:
        async with AsyncExitStack() as stack:
            more = [stack.enter_context(Embedded()) for _ in range(workers - 1)]
            found: list[ForcedRoute] = []
            for running in (first, *more):
                placed = replace(spec, base_url=running.base_url)
                opened = await stack.enter_async_context(
                    clients(placed, running.key, 1, ForcedRoute)
                )
                found += [route for route in opened if isinstance(route, ForcedRoute)]
            yield found

    return routes
