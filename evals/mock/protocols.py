"""What the local server says, in the words of each protocol. Pure, and the same for a seed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.hashing import canonical, digest, seed_from

MODEL = "mock-1"
ROUTES = (
    (re.compile(r"(/api)?(/v\d\w*)?(/openai)?/chat/completions"), "completions"),
    (re.compile(r"(/v\d\w*)?/messages"), "anthropic"),
    (re.compile(r"(/v\d\w*)?/models/[^/]+:generateContent"), "gemini"),
)
_OFFERED = re.compile(r"Answer: ([A-H])\b")


@dataclass(frozen=True, slots=True)
class Said:
    """What the model says: its text, its thinking, and how it ended (``stop``, ``length``, ...)."""

    text: str
    thinking: str = ""
    finish: str = "stop"


def protocol_of(path: str) -> str:
    """Return the protocol that a path belongs to, or nothing."""
    clean = path.partition("?")[0]
    return next((name for pattern, name in ROUTES if pattern.fullmatch(clean)), "")


def name_of(body: bytes) -> str:
    """Return what one request is known by: its content, whatever the order of its fields.

    Raises
    ------
    ValueError
        When it is no JSON.
    """
    return digest(canonical(json.loads(body)))


def said(request: str, body: bytes, fault: str, seed: int) -> Said:
    """Return what the model says to a request, with the lasting fault that it has."""
    text = _text(request, body, seed)
    match fault:
        case "thinking_only":
            return Said("", "Let me think about this.", "length")
        case "refusal":
            return Said("", "", "refusal")
        case "truncated":
            return Said(text[: len(text) // 2], "", "length")
        case _:
            return Said(text)


def _text(request: str, body: bytes, seed: int) -> str:
    letters = sorted(set(_OFFERED.findall(body.decode("utf-8", "replace")))) or ["A", "B"]
    drawn = seed_from("mock answer", seed, request)
    return f"Answer: {letters[drawn % len(letters)]}\nThat seems the better choice."


def answer(protocol: str, said: Said, sent: int) -> bytes:
    """Return the body of an answer; `sent` is the length of the request, for its tokens."""
    tokens = (sent // 4 + 1, (len(said.text) + len(said.thinking)) // 4 + 1)
    return json.dumps(ANSWERS[protocol](said, *tokens)).encode()


def _completions(said: Said, tokens_in: int, tokens_out: int) -> Mapping[str, Any]:
    refused = said.finish == "refusal"
    message = {
        "role": "assistant",
        "content": None if refused else said.text,
        **({"refusal": "I cannot help with that."} if refused else {}),
        **({"reasoning_content": said.thinking} if said.thinking else {}),
    }
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
    choice = {"index": 0, "message": message, "finish_reason": "stop" if refused else said.finish}
    return {
        "id": "mock",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [choice],
        "usage": {**usage, "total_tokens": tokens_in + tokens_out},
    }


def _anthropic(said: Said, tokens_in: int, tokens_out: int) -> Mapping[str, Any]:
    reasons = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}
    blocks = [{"type": "thinking", "thinking": said.thinking}] if said.thinking else []
    blocks += [{"type": "text", "text": said.text}] if said.text else []
    return {
        "id": "mock",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": blocks,
        "stop_reason": reasons[said.finish],
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }


def _gemini(said: Said, tokens_in: int, tokens_out: int) -> Mapping[str, Any]:
    reasons = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}
    parts: list[dict[str, Any]] = []
    parts += [{"text": said.thinking, "thought": True}] if said.thinking else []
    parts += [{"text": said.text}] if said.text else []
    content = {"role": "model", "parts": parts}
    return {
        "candidates": [{"index": 0, "content": content, "finishReason": reasons[said.finish]}],
        "usageMetadata": {"promptTokenCount": tokens_in, "candidatesTokenCount": tokens_out},
        "modelVersion": MODEL,
    }


ANSWERS: Mapping[str, Callable[[Said, int, int], Mapping[str, Any]]] = {
    "completions": _completions,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
