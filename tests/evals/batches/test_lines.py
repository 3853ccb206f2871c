"""One line of results: the same reply as for a single request, and never an error as an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.batches.lines import Line, read_anthropic, read_openai
from evals.mock.protocols import Said, answer
from evals.providers.catalogue import PROVIDERS

REPLIES = {
    "ok": Said("Answer: A"),
    "truncated": Said("Answer", "", "length"),
    "empty": Said("", "Let me think.", "length"),
    "refused": Said("", "", "refusal"),
}


def openai(body: Any, status: int = 200, **changed: Any) -> bytes:
    response = {"status_code": status, "request_id": "r", "body": body}
    line = {"id": "b", "custom_id": "m-1", "response": response, "error": None}
    return json.dumps({**line, **changed}).encode()


def anthropic(result: Any) -> bytes:
    return json.dumps({"custom_id": "m-1", "result": result}).encode()


@pytest.mark.parametrize("state", REPLIES)
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_line_brings_the_reply_of_its_body(provider: Any, state: str) -> None:
    """Text, reasoning, state, usage: all as if the body had come alone."""
    protocol = "anthropic" if provider == "anthropic" else "completions"
    alone = answer(protocol, REPLIES[state], 40)
    if provider == "openai":
        line = read_openai(openai(json.loads(alone)))
    else:
        line = read_anthropic(anthropic({"type": "succeeded", "message": json.loads(alone)}))
    assert (line.name, line.says) == ("m-1", "body")
    read = PROVIDERS[provider].read
    assert read(line.body) == read(alone)
    assert read(line.body).state == state


@pytest.mark.parametrize(
    ("raw", "says", "error"),
    [
        (openai({"error": {"message": "slow down"}}, 429), "errored", "HTTP 429: slow down"),
        (openai(None, 500), "errored", "HTTP 500"),
        (openai(None, response=None, error={"code": "batch_expired", "message": "late"}),
         "expired", "late"),
        (openai(None, response=None, error={"code": "batch_cancelled"}),
         "cancelled", "batch_cancelled"),
        (openai(None, response=None, error={"code": "other", "message": "no"}), "errored", "no"),
        (openai(None, response=None), "errored", "neither a response nor an error"),
        (openai({"choices": []}, "200"), "errored", "HTTP 200"),  # type: ignore[arg-type]
        (openai({"choices": []}, error="no \ud800"), "errored", "no \ufffd"),
        (openai({"choices": []}, error=["no"]), "errored", "an error"),
    ],
)  # fmt: skip
def test_what_went_wrong_at_openai(raw: bytes, says: str, error: str) -> None:
    """An error line, a failed status, an expiry and a cancellation are told apart."""
    line = read_openai(raw)
    assert (line.name, line.says) == ("m-1", says)
    assert error in line.error


def test_without_a_status_the_body_decides() -> None:
    """An answer is kept, and the document of an error stays an error."""
    for body, state in ((json.loads(answer("completions", REPLIES["ok"], 40)), "ok"),
                        ({"error": {"message": "no"}}, "error"), (None, "error")):  # fmt: skip
        line = read_openai(openai(None, response={"body": body}))
        assert line.says == "body"
        assert PROVIDERS["openai"].read(line.body).state == state


@pytest.mark.parametrize(
    ("result", "says", "error"),
    [
        ({"type": "errored", "error": {"type": "error", "error": {"message": "slow"}}},
         "errored", "slow"),
        ({"type": "expired"}, "expired", "before it was asked"),
        ({"type": "canceled"}, "cancelled", "cancelled"),
        ({"type": "new"}, "errored", "of the kind new"),
        (None, "errored", "no result"),
    ],
)  # fmt: skip
def test_what_went_wrong_at_anthropic(result: Any, says: str, error: str) -> None:
    """An error, an expiry, a cancellation and a kind that nobody knows are told apart."""
    line = read_anthropic(anthropic(result))
    assert (line.name, line.says) == ("m-1", says)
    assert error in line.error


def test_a_body_that_holds_no_number_is_refused_as_alone() -> None:
    """NaN in a body is an error of that reply, not of the file."""
    raw = openai({"choices": [], "x": float("nan")})
    assert read_openai(raw).says == "body"
    reply = PROVIDERS["openai"].read(read_openai(raw).body)
    assert (reply.state, "not JSON" in reply.error) == ("error", True)


@pytest.mark.parametrize("read", [read_openai, read_anthropic])
@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"null", b'{"custom_id": 7}', b'{"custom_id": ""}', b"\xff", b"[" * 99999],
)
def test_what_is_no_line(read: Any, raw: bytes) -> None:
    """Whatever bytes come, a line is read or it is unreadable; nothing raises."""
    assert read(raw) == Line("", "unreadable")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["custom_id", "response", "status_code", "body", "error", "message", "code",
                         "result", "type", "choices", "content"]), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_any_line_is_read(value: Any) -> None:
    """Every JSON value is read by both, and what says ``body`` is read by the provider."""
    raw = json.dumps(value).encode()
    for read, provider in ((read_openai, "openai"), (read_anthropic, "anthropic")):
        line = read(raw)
        assert (line.says == "unreadable") is (line.name == "")
        if line.says == "body":
            assert PROVIDERS[provider].read(line.body).state in {*REPLIES, "error"}  # type: ignore[index]
        else:
            assert line.body == b""


@pytest.mark.parametrize("status", ['"\\ud800"', '["\\udfff"]', '"\\u0007"'])
def test_a_status_that_no_file_can_keep(status: str) -> None:
    """Whatever stands for a status, what is said of it can be written down."""
    line = read_openai(f'{{"custom_id": "a", "response": {{"status_code": {status}}}}}'.encode())
    assert line.says == "errored"
    assert line.error.encode().decode().isprintable()
