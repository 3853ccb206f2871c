"""Opening a model for its log-probabilities, whatever its kind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from core.errors import InputError, Unavailable
from core.hashing import digest
from evals.chat import clients, served_model
from evals.choices import endpoint, forced, scripted_route
from evals.choices.routes import Broken, Scorer
from evals.embedded import Embedded, engines_of_use
from evals.keys import key_of
from evals.models import ModelSpec

SPEAKS = ("compatible", "openai")  # the protocols with a completions endpoint


@contextmanager
def opened_scorer(spec: ModelSpec) -> Iterator[Scorer]:
    """Open a model; an endpoint is refused here, before any item is asked.

    Raises
    ------
    Unavailable
        When this machine cannot run it, or the endpoint gives no log-probabilities of a prompt.
    InputError
        When its protocol has none, or its key is not where it should be.
    """
    spec = replace(spec, prefill="")  # the anchor is what the assistant's turn begins with
    match spec.kind:
        case "scripted":
            yield Scorer(spec, "scripted", scripted_route.build(), scripted_route.routes, 1)
        case "embedded":
            with Embedded() as engine:
                template = asyncio.run(_template(spec, engine))
                build, routes = forced.build_of(engine, template), forced.routes_of(spec, engine)
                yield Scorer(spec, "embedded", build, routes, engines_of_use())
        case "chat":
            if spec.provider not in SPEAKS:
                raise InputError(
                    f"{spec.name} is asked by the protocol of {spec.provider}, which returns no "
                    "log-probabilities of a prompt"
                )
            key = key_of(spec)
            if not spec.api_model:
                served = served_model(spec, key)
                spec = replace(spec, name=spec.name or served, api_model=served)
            build, way, by = asyncio.run(endpoint.probed(spec, key))
            yield Scorer(spec, "chat", build, endpoint.routes_of(spec, key, way, by), 64)


async def _template(spec: ModelSpec, engine: Embedded) -> str:
    """Return the digest of how the embedded model's template puts one turn."""
    placed = replace(spec, base_url=engine.base_url)
    try:
        async with clients(placed, engine.key, 1, forced.ForcedRoute) as opened:
            for route in opened:
                if isinstance(route, forced.ForcedRoute):
                    turns = [{"role": "user", "content": "\x02"}]
                    answer = await route.post_beside("/apply-template", {"messages": turns})
                    return digest(str(answer.get("prompt")))
    except Broken as broken:
        raise Unavailable(f"the embedded model: {broken.attempt.reply.error}") from None
    raise RuntimeError("no client was opened")
