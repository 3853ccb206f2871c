"""Calls about batches: what is tried again, what never is, and what a person is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.errors import Unavailable
from evals.batches.rhythm import Rhythm
from evals.batches.wire import CutOff, Refusal, Sent, Unsure, Wire
from evals.models import ModelSpec

KEY = "sk-canary-0123456789-abcdefghij"


@pytest.fixture
def wire(endpoint: Any) -> Iterator[Callable[..., Wire]]:
    """A wire to the misbehaving endpoint; its waits are kept in `waits`."""
    opened: list[Wire] = []

    def make(waits: list[float] | None = None, **changed: Any) -> Wire:
        rhythm = Rhythm(sleep=(waits if waits is not None else []).append, **changed)
        spec = ModelSpec("m", "chat", base_url=endpoint.url, provider="openai", api_model="m")
        opened.append(Wire(spec, KEY, rhythm, lambda: None))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


GET = Sent("GET", "/batches/b")
POST = Sent("POST", "/batches", {})


def test_a_call_is_tried_again_until_it_is_answered(endpoint: Any, say: Any, wire: Any) -> None:
    """500 and 429 pass; what Retry-After asks for is waited, in pieces."""
    answers = [say(status=500), say(status=429, headers={"retry-after": "45"}), say(b'{"id": "b"}')]
    endpoint.behave = lambda *_: answers.pop(0)
    waits: list[float] = []
    assert wire(waits).call(GET) == {"id": "b"}
    assert waits == [0.5, 20.0, 20.0, 5.0]


@pytest.mark.parametrize("call", ["call", "make"])
def test_what_asks_for_too_long_is_given_up(endpoint: Any, say: Any, wire: Any, call: str) -> None:
    """A Retry-After of an hour is told, not slept through."""
    endpoint.behave = lambda *_: say(b"{}", status=429, headers={"retry-after": "3600"})
    with pytest.raises(Unavailable, match="it asks for 3600 s"):
        getattr(wire(), call)(POST if call == "make" else GET)


def test_a_call_that_makes_something_is_made_once(endpoint: Any, say: Any, wire: Any) -> None:
    """After a 500, a broken connection or a senseless answer nobody knows, so nobody repeats."""
    for answer in (say(status=500), say(b"{", length=100), say(b"no json"), say(status=503)):
        endpoint.requests.clear()
        endpoint.behave = lambda *_, answer=answer: answer
        with pytest.raises(Unsure):
            wire().make(POST)
        assert len(endpoint.requests) == 1


def test_a_call_that_makes_something_waits_its_turn(endpoint: Any, say: Any, wire: Any) -> None:
    """429 says that nothing was made, so it is tried again."""
    answers = [say(b"{}", status=429, headers={"retry-after": "7"}), say(b'{"id": "b"}')]
    endpoint.behave = lambda *_: answers.pop(0)
    waits: list[float] = []
    assert wire(waits).make(POST) == {"id": "b"}
    assert waits == [7.0]


@pytest.mark.parametrize("call", ["call", "make"])
def test_a_refusal_is_final(endpoint: Any, say: Any, wire: Any, call: str) -> None:
    """4xx is told in the provider's words, without the key."""
    endpoint.behave = lambda *_: say(f'{{"error": {{"message": "not {KEY}"}}}}'.encode(), 401)
    with pytest.raises(Refusal, match=r"HTTP 401: not \[key\]") as caught:
        getattr(wire(), call)(POST)
    assert caught.value.status == 401
    assert len(endpoint.requests) == 1


def test_nobody_listens(endpoint: Any, wire: Any) -> None:
    """A connection that was never made cannot have made anything."""
    endpoint.die()
    for call in ("call", "make"):
        with pytest.raises(Unavailable, match=r"the connection broke .* \(6 attempts\)"):
            getattr(wire(), call)(POST)


def test_lines_as_they_come(endpoint: Any, say: Any, wire: Any) -> None:
    """Line by line, empty ones left out, the key masked; the last may lack its end."""
    endpoint.behave = lambda *_: say(f'{{"a": 1}}\n\n{{"b": "{KEY}"}}\r\n{{"c": 2}}'.encode())
    found = [line.strip() for line in wire().lines("/files/f/content")]
    assert found == [b'{"a": 1}', b'{"b": "[key]"}', b'{"c": 2}']


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"body": b'{"a": 1}\n{"b', "length": 500}, "the connection broke"),
        ({"body": b'{"a": 1}\n{"b'}, "the last line is not whole"),
        ({"body": b"<html>", "headers": {"content-type": "text/html; charset=x"}}, "as text/html"),
        ({"status": 500, "body": b"{}"}, "HTTP 500"),
    ],
)
def test_what_is_no_whole_download(
    endpoint: Any, say: Any, wire: Any, answer: Any, said: str
) -> None:
    """A cut, a piece of a line, a page and an error: what came before is whole, and it is said."""
    endpoint.behave = lambda *_: say(**answer)
    lines = wire().lines("/files/f/content")
    if b'{"a"' in answer["body"]:
        assert next(lines) == b'{"a": 1}'
    with pytest.raises(CutOff, match=said):
        next(lines)


def test_a_file_that_is_gone(endpoint: Any, say: Any, wire: Any) -> None:
    """404 of a download is no cut: it is final."""
    endpoint.behave = lambda *_: say(b'{"error": {"message": "expired"}}', 404)
    with pytest.raises(Refusal, match="HTTP 404: expired"):
        list(wire().lines("/files/f/content"))
