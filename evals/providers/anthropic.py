"""Anthropic's Messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.runs import Reply
from evals.models import ModelSpec, Prompt
from evals.providers.base import Call, sent, turns
from evals.replies import Malformed, Parts, Usage, guarded, joined, numbers, text_of, whole

VERSION = "2023-06-01"  # the version of the protocol; it is sent with every request
MOST = 4096  # the protocol demands a token limit; ours where none was given


class Anthropic:
    """Messages: the system prompt stands apart, the token limit is a must, there is no seed."""

    endpoint = "https://api.anthropic.com/v1"
    lacks = frozenset({"seed"})

    def headers(self, key: str) -> dict[str, str]:
        """Return the key and the version of the protocol."""
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def no_prefill(self, spec: ModelSpec) -> str:
        """Say why a prefill is refused: a turn that begins with thinking cannot be begun by us."""
        thinking = dict(spec.extra).get("thinking")
        if isinstance(thinking, dict) and thinking.get("type") != "disabled":
            return "a model of Anthropic that thinks cannot go on with a turn that was begun"
        return ""

    def call(self, spec: ModelSpec, prompt: Prompt) -> Call:
        """Return the request for one prompt."""
        found = turns(spec, prompt)
        system = "\n\n".join(turn.content for turn in found if turn.role == "system")
        effort = spec.reasoning_effort
        fields = {
            "model": spec.called,
            "max_tokens": spec.max_tokens or MOST,
            "temperature": spec.temperature,
            "top_p": spec.top_p,
            "system": system or None,
            "output_config": {"effort": effort} if effort else None,
            "messages": [
                {"role": turn.role, "content": turn.content}
                for turn in found
                if turn.role != "system"
            ],
        }
        return Call(f"{spec.base_url}/messages", sent({**fields, **dict(spec.extra)}))

    def read(self, body: bytes, prefill: str = "") -> Reply:
        """Read a message, for any bytes at all."""
        return guarded(_read, _spent, body, prefill)


def _read(document: Mapping[str, Any]) -> Parts:
    blocks = document.get("content")
    if not isinstance(blocks, list):
        raise Malformed("the body has no content blocks")
    return Parts(
        content="".join(_said(blocks, "text", "text")),
        reasoning=joined(*_said(blocks, "thinking", "thinking")),
        finish=text_of(document.get("stop_reason")),
        answered_by=text_of(document.get("model")),
    )


def _said(blocks: list[Any], kind: str, field: str) -> list[str]:
    known = [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]
    return [text_of(block.get(field)) for block in known]


def _spent(document: Mapping[str, Any]) -> Usage:
    """Count all tokens that were sent; those read from or written to a cache stand apart."""
    stated = numbers(document.get("usage"))
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    counts = [whole(stated.get(name)) for name in names]
    sent_ = sum(count or 0 for count in counts) if counts[0] is not None else None
    return Usage(stated, sent_, whole(stated.get("output_tokens")))
