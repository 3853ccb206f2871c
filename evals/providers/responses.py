"""OpenAI's responses, as they are read: what batches of that endpoint hold. Runs do not ask it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.runs import Reply
from evals.replies import (
    Malformed,
    Parts,
    Usage,
    guarded,
    joined,
    numbers,
    one_line,
    said_in,
    text_of,
    whole,
)

_ENDS = {"max_output_tokens": "length"}  # in the words of the other endpoint


def read(body: bytes, prefill: str = "") -> Reply:
    """Read a response, for any bytes at all; never raises."""
    return guarded(_read, _spent, body, prefill)


def _read(document: Mapping[str, Any]) -> Parts:
    if document.get("status") in ("failed", "cancelled"):
        raise Malformed(f"the endpoint reports: {one_line(said_in(document)) or 'a failure'}")
    output = document.get("output")
    if not isinstance(output, list):
        raise Malformed("the body has no output")
    entries = [entry for entry in output if isinstance(entry, dict)]
    content = list(_contents(entries, "message", "content"))
    thoughts = list(_contents(entries, "reasoning", "summary"))
    thoughts += _contents(entries, "reasoning", "content")
    return Parts(
        content="".join(_texts(content, "output_text", "text")),
        reasoning=joined(*(text_of(part.get("text")) for part in thoughts)),
        refusal="".join(_texts(content, "refusal", "refusal")),
        finish=_finish(document),
        answered_by=text_of(document.get("model")),
    )


def _contents(entries: list[dict[str, Any]], kind: str, name: str) -> Iterator[dict[str, Any]]:
    for entry in entries:
        parts = entry.get(name) if entry.get("type") == kind else None
        if isinstance(parts, list):
            yield from (part for part in parts if isinstance(part, dict))


def _texts(parts: list[dict[str, Any]], kind: str, name: str) -> Iterator[str]:
    yield from (text_of(part.get(name)) for part in parts if part.get("type") == kind)


def _finish(document: Mapping[str, Any]) -> str:
    """Return why it ended: a response says so only where it is not complete."""
    details = document.get("incomplete_details")
    reason = text_of(details.get("reason")) if isinstance(details, dict) else ""
    if document.get("status") == "incomplete":
        return _ENDS.get(reason, reason) or "length"
    return "stop"


def _spent(document: Mapping[str, Any]) -> Usage:
    stated = numbers(document.get("usage"))
    return Usage(stated, whole(stated.get("input_tokens")), whole(stated.get("output_tokens")))
