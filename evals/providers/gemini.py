"""Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from core.runs import Message, Reply
from evals.models import ModelSpec, Prompt
from evals.providers.base import Call, sent, turns
from evals.replies import Malformed, Parts, Usage, guarded, joined, numbers, text_of, whole

ROLES = {"user": "user", "assistant": "model"}


class Gemini:
    """Contents of parts; the key goes into a header, never into the address."""

    endpoint = "https://generativelanguage.googleapis.com/v1beta"
    lacks: frozenset[str] = frozenset()

    def headers(self, key: str) -> dict[str, str]:
        """Return the header with the key."""
        return {"x-goog-api-key": key} if key else {}

    def no_prefill(self, spec: ModelSpec) -> str:
        """Say why a prefill is refused."""
        return "Gemini gives a new turn after a last turn of the model, it does not go on with it"

    def call(self, spec: ModelSpec, prompt: Prompt) -> Call:
        """Return the request for one prompt."""
        found = turns(spec, prompt)
        system = [turn for turn in found if turn.role == "system"]
        config = sent(
            {
                "temperature": spec.temperature,
                "topP": spec.top_p,
                "maxOutputTokens": spec.max_tokens,
                "seed": prompt.seed(spec.seed),
                "thinkingConfig": _thinking(spec.reasoning_effort),
            }
        )
        more = dict(spec.extra)
        config |= more.pop("generationConfig", {})
        fields = {
            "contents": [_content(turn) for turn in found if turn.role != "system"],
            "systemInstruction": {"parts": [{"text": t.content} for t in system]}
            if system
            else None,
            "generationConfig": config or None,
        }
        model = quote(spec.called.removeprefix("models/"), safe="")
        return Call(f"{spec.base_url}/models/{model}:generateContent", sent({**fields, **more}))

    def read(self, body: bytes, prefill: str = "") -> Reply:
        """Read a response, for any bytes at all."""
        return guarded(_read, _spent, body, prefill)


def _content(turn: Message) -> dict[str, Any]:
    return {"role": ROLES[turn.role], "parts": [{"text": turn.content}]}


def _thinking(effort: str | None) -> dict[str, Any] | None:
    """Return the thinking budget: none at all, or a level by its name."""
    if effort is None:
        return None
    return {"thinkingBudget": 0} if effort == "none" else {"thinkingLevel": effort}


def _read(document: Mapping[str, Any]) -> Parts:
    candidate, finish = _candidate(document)
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    texts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return Parts(
        content="".join(text_of(p.get("text")) for p in texts if not p.get("thought")),
        reasoning=joined(*(text_of(p.get("text")) for p in texts if p.get("thought"))),
        finish=finish,
        answered_by=text_of(document.get("modelVersion")),
    )


def _candidate(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return the first candidate and how it ended; a blocked prompt has none and is refused."""
    candidates = document.get("candidates")
    if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict):
        return candidates[0], text_of(candidates[0].get("finishReason"))
    feedback = document.get("promptFeedback")
    blocked = text_of(feedback.get("blockReason")) if isinstance(feedback, dict) else ""
    if not blocked:
        raise Malformed("the body has no candidates")
    return {}, "PROHIBITED_CONTENT" if blocked == "OTHER" else blocked


def _spent(document: Mapping[str, Any]) -> Usage:
    """Count the tokens of answer and thinking together; both are paid for."""
    stated = numbers(document.get("usageMetadata"))
    names = ("candidatesTokenCount", "thoughtsTokenCount")
    counts = [count for name in names if (count := whole(stated.get(name))) is not None]
    return Usage(stated, whole(stated.get("promptTokenCount")), sum(counts) if counts else None)
