from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hashing import canonical
from core.runs import STATES
from evals.providers.completions import read
from evals.replies import reason, split_reasoning


def body(content: Any = "Answer: A", finish: Any = "stop", **more: Any) -> bytes:
    choice = {"message": {"content": content, **more}, "finish_reason": finish}
    return json.dumps({"model": "tiny", "choices": [choice], "usage": {"total_tokens": 3}}).encode()


@pytest.mark.parametrize(
    ("sent", "state", "visible", "reasoning"),
    [
        (body(), "ok", "Answer: A", ""),
        (body("Answer: A\n\nBec", "length"), "truncated", "Answer: A\n\nBec", ""),
        (body(""), "empty", "", ""),
        (body(None), "empty", "", ""),
        (body(" \n"), "empty", " \n", ""),
        (body("<think>long", "length"), "empty", "", "long"),
        (body("", "length", reasoning_content="long"), "empty", "", "long"),
        (body("Answer: B", reasoning="r"), "ok", "Answer: B", "r"),
        (body("<think>\nHm.\n</think>\n\nAnswer: B"), "ok", "Answer: B", "\nHm.\n"),
        (body("Hm.</think>\nAnswer: B"), "ok", "Answer: B", "Hm."),
        (body("Answer: B\n<think>unclosed"), "ok", "Answer: B\n", "unclosed"),
        (body("\nAnswer: B"), "ok", "\nAnswer: B", ""),
        (body(None, refusal="I will not."), "refused", "I will not.", ""),
        (body("I", "content_filter"), "refused", "I", ""),
        (
            body([{"type": "text", "text": "Answer: "}, {"type": "text", "text": "A"}]),
            "ok",
            "Answer: A",
            "",
        ),
        (body("\ud800 Answer"), "ok", "\ufffd Answer", ""),
    ],
)
def test_states(sent: bytes, state: str, visible: str, reasoning: str) -> None:
    """State, visible text and reasoning are told apart, whatever the endpoint calls them."""
    reply = read(sent)
    assert (reply.state, reply.visible_text, reply.reasoning) == (state, visible, reasoning)


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"", "the body is empty"),
        (b"<html>busy</html>", "not JSON: <html>busy"),
        (b'{"choices": [', "not JSON"),
        (b'{"choices": [{"message": {"content": NaN}}]}', "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b"{}", "no choices"),
        (b'{"choices": []}', "no choices"),
        (b'{"choices": [7]}', "no choices"),
        (b'{"choices": {"0": 1}}', "no choices"),
        (b'{"choices": [{}]}', "no message"),
        (b'{"choices": [{"message": "hi"}]}', "no message"),
        (b'{"choices": [{"message": {"content": 7}}]}', "neither text nor"),
        (b'{"error": {"message": "over\\n quota"}}', "reports: over quota"),
        (b'{"error": true}', "reports: an error"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
    ],
)
def test_malformed_bodies(sent: bytes, error: str) -> None:
    """A body that is no chat completion is an error with a reason in one line."""
    reply = read(sent)
    assert reply.state == "error"
    assert error in reply.error
    assert "\n" not in reply.error


def test_a_text_completion_is_read_too() -> None:
    """The embedded model's answer to token ids is a text completion; it is read alike."""
    reply = read(b'{"choices": [{"text": " A", "finish_reason": "stop"}]}', "Answer:")
    assert (reply.state, reply.visible_text) == ("ok", "Answer: A")


@pytest.mark.parametrize("content", ["Answer: A\nBecause", " A\nBecause"])
def test_the_prefill_stands_once(content: str) -> None:
    """The prefill is in the visible text exactly once, whether the server repeats it or not."""
    assert read(body(content), "Answer:").visible_text == "Answer: A\nBecause"


@pytest.mark.parametrize("content", ["Answer:", "", "Answer: \n"])
def test_a_prefill_alone_is_an_empty_reply(content: str) -> None:
    """When the model adds nothing to the prefill, the reply is empty, not an answer."""
    assert read(body(content), "Answer:").state == "empty"


def test_usage_keeps_finite_numbers() -> None:
    """Usage keeps its numbers, nested, and nothing that the study file could not hold."""
    usage = {"a": 1, "b": True, "c": "x", "d": {"e": 2.5, "f": None}, "big": 10**400}
    sent = json.dumps({"choices": [{"message": {"content": "x"}}], "usage": usage})
    reply = read(sent.replace("2.5", "1e999").encode())
    assert reply.usage == {"a": 1, "d": {}, "big": 10**400}
    canonical(reply.usage)


def test_error_bodies_become_one_line() -> None:
    """An error body is said in one short printable line, wherever it keeps its message."""
    assert reason(b'{"detail": "no\\u001b[31m way"}') == "no [31m way"
    assert reason(b'{"error": {"code": 5}}') == '{"code": 5}'
    assert reason(b'{"error": "x", "message": "y"}') == "x"
    assert len(reason(b"<p>" * 10_000)) <= 300


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
near = st.builds(
    lambda message, finish, choice, top: {
        **top,
        "choices": [{**choice, "message": message, "finish_reason": finish}],
    },
    st.dictionaries(
        st.sampled_from(["content", "refusal", "reasoning", "reasoning_content"]), json_values
    ),
    json_values,
    st.dictionaries(st.sampled_from(["error", "text", "index"]), json_values),
    st.dictionaries(st.sampled_from(["model", "usage", "error"]), json_values),
)


@given(
    st.binary() | json_values.map(json.dumps).map(str.encode) | near.map(json.dumps).map(str.encode)
)
def test_no_body_raises(sent: bytes) -> None:
    """Whatever bytes an endpoint sends, there is a reply with a state that the file can hold."""
    reply = read(sent, "Answer:")
    assert reply.state in STATES
    assert (reply.state == "error") == bool(reply.error)
    canonical(reply.usage)
    for text in (reply.visible_text, reply.reasoning, reply.finish_reason, reply.answered_by):
        text.encode()
    if reply.state in {"ok", "truncated"}:
        assert reply.visible_text.startswith("Answer:")


@given(st.text(alphabet="ab\n<>/think ", max_size=40) | st.text())
def test_text_without_thinking_is_untouched(text: str) -> None:
    """A text without think tags is visible as it is, character by character."""
    visible, thoughts = split_reasoning(text)
    if "think>" not in text.lower():
        assert (visible, thoughts) == (text, "")
