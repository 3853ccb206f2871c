"""The route through a completions endpoint that returns log-probabilities of the prompt.

What the endpoint can do is found out before any item is asked, and refused with the reason. It must
also say how it puts a conversation under its chat template: by ``/tokenize`` for messages and
``/detokenize`` back, as vLLM has them. Texts cannot be kept from such a tokenizer's control tokens,
so an item whose text spells one is not scored.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from core.errors import Unavailable
from core.hashing import digest
from core.runs import Message
from evals.chat import clients
from evals.choices.echoed import NoLogprobs, echoes, prompt_logprobs, request
from evals.choices.paths import Tokens
from evals.choices.routes import (
    ECHO,
    PROMPT_LOGPROBS,
    Broken,
    Formatted,
    Routes,
    Taken,
    Unscorable,
)
from evals.choices.wire import Wire, unusable
from evals.models import ModelSpec

PROBE = "The answer is one of two words."
CANARY = (Message("user", "Yes or no?"),)  # what the template's hash is taken of
PAUSES = (0.5, 1.0, 2.0)  # seconds between probes of an endpoint that is busy
PASSING = ("busy", "dropped")
ROUND_TRIP = "its chat template cannot be read back: /detokenize and /tokenize disagree"
STATED = ("id", "owned_by", "root", "parent", "max_model_len", "quantization")
_SPELLED = re.compile(r"<[^<>\s]{1,60}>|\[[^\[\]\s]{1,60}\]")
_LEAST = 4  # characters of a control token; shorter ones are marks of ordinary writing


class EndpointRoute(Wire):
    """Log-probabilities that an endpoint reports of the prompt that it is sent."""

    way = ECHO
    context: int | None = None
    answered_by: tuple[Any, Any] = (None, None)

    async def format(self, messages: Sequence[Message]) -> Formatted:
        """Let the endpoint put a conversation under its own chat template."""
        for turn in messages:
            await self._require_plain(turn.content)
        turns = [{"role": turn.role, "content": turn.content} for turn in messages]
        begun = bool(messages) and messages[-1].role == "assistant"
        asked = {
            "model": self._spec.called,
            "messages": turns,
            "add_generation_prompt": not begun,
            "continue_final_message": begun,
            "add_special_tokens": False,
        }
        answer = await self.post_beside("/tokenize", asked)
        ids = _ids(answer)
        limit = answer.get("max_model_len")
        self.context = limit if isinstance(limit, int) else None
        back = await self.post_beside("/detokenize", {"model": self._spec.called, "tokens": ids})
        text = back.get("prompt")
        if not ids or not isinstance(text, str) or tuple(ids) != await self._tokens(text):
            raise unusable(ROUND_TRIP)
        return Formatted((), text)

    async def tokens(self, formatted: Formatted, text: str) -> Tokens:
        """Return the tokens of the whole text; the endpoint has no other way."""
        return await self._tokens(formatted.rest + text)

    def calls(self, paths: Sequence[Tokens]) -> int:
        """One request per string."""
        return len(paths)

    async def take(self, prompt: Tokens, paths: Sequence[Tokens]) -> Taken:
        """Send prompt and string together, and read the log-probabilities of the string."""
        found, exchanges = {}, []
        for path in paths:
            body = request(self.way, self._spec.called, prompt + path)
            answer, reply = await self.post("/completions", body)
            exchanges.append((reply.request, reply.body))
            self._require_same(answer)
            try:
                found[path] = prompt_logprobs(self.way, answer, prompt + path)[-len(path) :]
            except NoLogprobs as error:
                raise unusable(str(error), reply) from None
        return Taken(found, tuple(exchanges))

    async def _tokens(self, text: str) -> Tokens:
        asked = {"model": self._spec.called, "prompt": text, "add_special_tokens": False}
        return tuple(_ids(await self.post_beside("/tokenize", asked)))

    async def _require_plain(self, text: str) -> None:
        """Refuse a text that spells a control token: this tokenizer would read it as one."""
        for spelled in dict.fromkeys(_SPELLED.findall(text)):
            if len(spelled) >= _LEAST and len(await self._tokens(spelled)) == 1:
                raise Unscorable(
                    f"its text spells {spelled}, which this endpoint would read as a control token"
                )

    def _require_same(self, answer: Mapping[str, Any]) -> None:
        """Refuse an answer of another build than the one that the setup names."""
        by = (answer.get("model"), answer.get("system_fingerprint"))
        if self.answered_by not in ((None, None), by):
            raise unusable(f"another build answers now: {by}, no more {self.answered_by}")

    async def probe(self) -> dict[str, Any]:
        """Find out what the endpoint can do, and return what it says of itself.

        Raises
        ------
        NoLogprobs
            When it gives no log-probabilities of a prompt.
        Broken
            When a request fails, or it does not say how it formats a chat.
        """
        answer = await self._able()
        self.answered_by = (answer.get("model"), answer.get("system_fingerprint"))
        formatted = await self.format(CANARY)
        sent = await self.tokens(formatted, PROBE)
        answer, _ = await self.post("/completions", request(self.way, self._spec.called, sent))
        prompt_logprobs(self.way, answer, sent)
        return {
            "route": self.way,
            "endpoint": self._spec.base_url,
            "answered_by": self.answered_by[0],
            "system_fingerprint": self.answered_by[1],
            "server_version": await self._version(),
            "served": await self._served(),
            "template": digest(formatted.rest),
        }

    async def _able(self) -> dict[str, Any]:
        """Return the answer to a prompt by the first way that gives its log-probabilities."""
        answer, _ = await self.post("/completions", request(ECHO, self._spec.called, PROBE))
        try:
            echoes(answer)
        except NoLogprobs as error:
            asked = request(PROMPT_LOGPROBS, self._spec.called, PROBE)
            try:
                beside, _ = await self.post("/completions", asked)
            except Broken:
                raise error from None
            if not beside.get("choices") or "prompt_logprobs" not in beside["choices"][0]:
                raise error from None
            self.way = PROMPT_LOGPROBS
            return beside
        return answer

    async def _version(self) -> str | None:
        found = await self.get(self._spec.base_url.removesuffix("/v1") + "/version")
        said = found.get("version") if isinstance(found, dict) else None
        return said if isinstance(said, str) else None

    async def _served(self) -> dict[str, Any]:
        """Return what the endpoint lists of the model, without what changes from call to call."""
        found = await self.get(f"{self._spec.base_url}/models")
        listed = found.get("data") if isinstance(found, dict) else None
        for entry in listed if isinstance(listed, list) else ():
            if isinstance(entry, dict) and entry.get("id") == self._spec.called:
                return {name: entry[name] for name in STATED if name in entry}
        return {}


def _ids(answer: Mapping[str, Any]) -> list[int]:
    found = answer.get("tokens")
    if not isinstance(found, list) or not all(type(token) is int for token in found):
        raise unusable("it does not tokenise: /tokenize gives no list of tokens")
    return found


async def probed(spec: ModelSpec, key: str) -> tuple[dict[str, Any], str, tuple[Any, Any]]:
    """Return what an endpoint says of itself, the way that it has, and who answers.

    Raises
    ------
    Unavailable
        When it cannot be asked for what is needed, with the reason.
    """
    async with clients(spec, key, 1, EndpointRoute) as opened:
        for route in opened:
            if isinstance(route, EndpointRoute):
                return await _patiently(route, spec), route.way, route.answered_by
    raise RuntimeError("no client was opened")


async def _patiently(route: EndpointRoute, spec: ModelSpec) -> dict[str, Any]:
    """Probe again what is busy, a few times; what is refused is refused at once."""
    for pause in (*PAUSES, None):
        try:
            return await route.probe()
        except NoLogprobs as error:
            raise Unavailable(f"{spec.base_url} gives no choice probabilities: {error}") from None
        except Broken as broken:
            said, fault = broken.attempt.reply.error, broken.attempt.fault
            if pause is None or fault not in PASSING:
                told = f"{spec.base_url} gives no choice probabilities: {said}"
                raise Unavailable(told) from None
        await asyncio.sleep(pause)
    raise RuntimeError("the last probe returns or raises")


def routes_of(spec: ModelSpec, key: str, way: str, answered_by: tuple[Any, Any]) -> Routes:
    """Give each worker a client that goes the one way, and knows whom it asks."""

    @asynccontextmanager
    async def routes(workers: int) -> AsyncIterator[Sequence[EndpointRoute]]:
        async with clients(spec, key, workers, EndpointRoute) as opened:
            found = [route for route in opened if isinstance(route, EndpointRoute)]
            for route in found:
                route.way, route.answered_by = way, answered_by
            yield found

    return routes
