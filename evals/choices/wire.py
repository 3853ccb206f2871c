"""Single requests over HTTP, with the bounds, the mask and the words of a chat client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from core.runs import GenerationKey, Reply
from evals.attempts import Attempt
from evals.chat import ChatClient
from evals.choices.routes import Broken
from evals.models import Prompt
from evals.replies import parse

_NOBODY = GenerationKey(0, 0, "", 0)  # what is stored of an item goes under a key of its own


@dataclass(frozen=True, slots=True)
class Posted(Prompt):
    """A request as it goes out, where a prompt is expected."""

    url: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)


class Wire(ChatClient):
    """Posts one body after another; what comes back is a JSON object or :class:`Broken`."""

    async def post(self, path: str, body: Mapping[str, Any]) -> tuple[dict[str, Any], Reply]:
        """Return the answer of a path below the address, and the exchange as a reply."""
        return await self._exchange(f"{self._spec.base_url}{path}", body)

    async def post_beside(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer of a path that is no part of the versioned interface."""
        answer, _ = await self._exchange(self._spec.base_url.removesuffix("/v1") + path, body)
        return answer

    async def get(self, path: str) -> Any:
        """Return what an address says of itself, or ``None`` where it says nothing of use."""
        try:
            answer = await self._client.get(path)
            return parse(self._mask.received(answer.content)) if answer.is_success else None
        except (httpx.HTTPError, OSError, ValueError):
            return None

    async def _exchange(self, url: str, body: Mapping[str, Any]) -> tuple[dict[str, Any], Reply]:
        attempt = await self.ask(Posted(_NOBODY, (), url, body))
        if attempt.fault:
            raise Broken(attempt)
        try:
            answer = parse(attempt.reply.body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise unusable("the answer is no JSON object", attempt.reply)
        return answer, attempt.reply

    async def _request(self, prompt: Prompt) -> tuple[str, dict[str, Any]]:
        if not isinstance(prompt, Posted):
            raise TypeError("a wire posts what it is given, and makes no request of its own")
        return prompt.url, dict(prompt.body)

    def _answered(self, status: int, headers: httpx.Headers, raw: bytes) -> Attempt:
        if 200 <= status < 300:
            return Attempt(Reply("ok"))
        return super()._answered(status, headers, raw)


def unusable(why: str, reply: Reply | None = None) -> Broken:
    """Return the failure of an answer that says nothing of use."""
    seen = (reply.request, reply.body) if reply else ("", b"")
    return Broken(Attempt(Reply("error", error=why, request=seen[0], body=seen[1]), "unusable"))
