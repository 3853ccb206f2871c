"""OpenAI's responses, body by body, and any other bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs import STATES
from evals.providers.responses import read


def body(*output: Any, **more: Any) -> bytes:
    return json.dumps({"object": "response", "model": "m", "output": list(output), **more}).encode()


def said(text: str) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "output_text", "text": text}]}


CUT = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
FILTERED = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}
REFUSED = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
BODIES: dict[str, tuple[bytes, tuple[str, str, str, str]]] = {
    "an answer": (body(said("A")), ("ok", "A", "", "stop")),
    "with thinking": (body(THOUGHT, said("A")), ("ok", "A", "Hm.", "stop")),
    "several texts": (body(said("A"), said("B")), ("ok", "AB", "", "stop")),
    "cut off": (body(said("A"), **CUT), ("truncated", "A", "", "length")),
    "thinking alone": (body(THOUGHT, **CUT), ("empty", "", "Hm.", "length")),
    "a refusal": (body(REFUSED), ("refused", "No.", "", "stop")),
    "a filter": (body(said("A"), **FILTERED), ("refused", "A", "", "content_filter")),
    "nothing": (body(), ("empty", "", "", "stop")),
    "failed": (body(status="failed", error={"message": "boom"}), ("error", "", "", "")),
    "cancelled": (body(status="cancelled"), ("error", "", "", "")),
    "no output": (b'{"object": "response"}', ("error", "", "", "")),
    "other parts": (body(4, {"type": "message", "content": [None]}), ("empty", "", "", "stop")),
    "no parts": (body({"type": "message", "content": 4}), ("empty", "", "", "stop")),
}  # fmt: skip


@pytest.mark.parametrize("kind", BODIES)
def test_every_body_has_its_state(kind: str) -> None:
    """What is visible, what was thought, and why it ended."""
    raw, expected = BODIES[kind]
    reply = read(raw)
    found = (reply.state, reply.visible_text, reply.reasoning, reply.finish_reason)
    assert found == expected


def test_usage_and_who_answered() -> None:
    """Tokens as stated, and the model id that the endpoint named."""
    reply = read(body(said("A"), usage={"input_tokens": 7, "output_tokens": 2}))
    assert (reply.tokens_in, reply.tokens_out, reply.answered_by) == (7, 2, "m")


NAMES = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
)


@given(st.lists(JSON, max_size=3), JSON, JSON)
def test_no_body_raises(output: list[Any], details: Any, status: Any) -> None:
    """Whatever stands in it, a reply with a state comes back."""
    raw = body(*output, {"type": "message", "content": details}, status=status,
               incomplete_details=details, usage=details)  # fmt: skip
    assert read(raw).state in STATES
