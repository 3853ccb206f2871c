"""What a run needs of a model, whatever its kind: opened once, asked by many workers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field, replace
from typing import Any

from evals import scripted
from evals.attempts import Ask
from evals.chat import ChatClient, clients, served_model
from evals.embedded import Embedded, EmbeddedClient, engines_of_use
from evals.judges import scripted_judge
from evals.judges.scripted_judge import ask_of
from evals.keys import key_of
from evals.models import ModelSpec

Asks = Callable[[int], AbstractAsyncContextManager[Sequence[Ask]]]


@dataclass(frozen=True, slots=True)
class Backend:
    """A model that can be asked.

    Attributes
    ----------
    spec
        As asked for, with the model's name filled in.
    asks
        Opens, inside an event loop, one ask per worker.
    most
        Workers that are of use.
    build
        Facts about the program that answers.
    """

    spec: ModelSpec
    asks: Asks
    most: int
    build: Mapping[str, Any] = field(default_factory=dict)


@contextmanager
def opened(spec: ModelSpec) -> Iterator[Backend]:
    """Open a model.

    Raises
    ------
    Unavailable
        When this machine cannot run it, or the endpoint does not say what it serves.
    InputError
        When its key is not where it should be.
    """
    match spec.kind:
        case "scripted":
            judge = ask_of(spec.api_model)
            name = scripted.NAME if judge is None else scripted_judge.NAME
            build = {"engine": name, "note": "a deterministic fake, no language model"}
            yield Backend(spec, _scripted(judge or scripted.ask), 1, build)
        case "embedded":
            with Embedded() as engine:
                yield Backend(spec, _engines(spec, engine), engines_of_use(), engine.build)
        case "chat":
            key = key_of(spec)
            if not spec.api_model:
                served = served_model(spec, key)
                spec = replace(spec, name=spec.name or served, api_model=served)
            yield Backend(spec, _over_http(spec, key), 1024)


def _over_http(spec: ModelSpec, key: str) -> Asks:
    @asynccontextmanager
    async def asks(workers: int) -> AsyncIterator[Sequence[Ask]]:
        async with clients(spec, key, workers) as chats:
            yield [chat.ask for chat in chats]

    return asks


def _engines(spec: ModelSpec, first: Embedded) -> Asks:
    """Give each worker an engine of its own; one engine answers one request after another."""

    @asynccontextmanager
    async def asks(workers: int) -> AsyncIterator[Sequence[Ask]]:
        async with AsyncExitStack() as stack:
            more = [stack.enter_context(Embedded()) for _ in range(workers - 1)]
            chats: list[ChatClient] = []
            for engine in (first, *more):
                placed = replace(spec, base_url=engine.base_url)
                chats += await stack.enter_async_context(
                    clients(placed, engine.key, 1, EmbeddedClient)
                )
            yield [chat.ask for chat in chats]

    return asks


def _scripted(ask: Ask) -> Asks:
    @asynccontextmanager
    async def asks(workers: int) -> AsyncIterator[Sequence[Ask]]:
        yield [ask] * workers

    return asks
