"""Conversations as files write them: a text, or a list of turns whose content may be in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.runs import Message
from evals.imports.samples import NoSample

ROLES = ("system", "user", "assistant")
_TEXTS = ("text", "input_text", "output_text")


def conversation(value: Any) -> tuple[Message, ...]:
    """Return the turns of a conversation, exactly as written.

    A text alone is one turn of the user.

    Raises
    ------
    NoSample
        When it is none, or has turns of a kind that no frozen prompt has.
    """
    if isinstance(value, str):
        return (Message("user", value),)
    if not isinstance(value, list) or not value:
        raise NoSample("the messages are no list of turns with role and content")
    return tuple(_turn(entry) for entry in value)


def _turn(entry: Any) -> Message:
    if not isinstance(entry, dict) or not isinstance(entry.get("role"), str):
        raise NoSample("a message has no role")
    role = entry["role"]
    if role not in ROLES:
        raise NoSample(f"a message is by {role[:40]!r}; frozen prompts have {', '.join(ROLES)}")
    if entry.get("tool_calls"):
        raise NoSample("a message calls tools; no frozen prompt does")
    return Message(role, plain_text(entry.get("content")))


def plain_text(content: Any) -> str:
    """Return the text of a content: a string, or parts that are all texts.

    Raises
    ------
    NoSample
        When it holds anything else, such as an image.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(_is_text(part) for part in content):
        return "".join(part["text"] for part in content)
    raise NoSample("the content of a message is no text")


def _is_text(part: Any) -> bool:
    return (
        isinstance(part, dict) and part.get("type") in _TEXTS and isinstance(part.get("text"), str)
    )


def as_document(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Return turns as the frozen document has them: what the prompt hash is taken over."""
    return [{"role": turn.role, "content": turn.content} for turn in messages]
