"""Messages from a browser: what the page sends is understood, anything else refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotate.serve.child import LARGEST, Size
from annotate.serve.frames import Ping, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.text())
def test_typing_arrives_as_it_is(typed: str) -> None:
    """Every text, and what is no text in UTF-8 as a mark."""
    assert parse(json.dumps(["stdin", typed])) == typed.encode("utf-8", "replace")


@given(st.integers(), st.integers())
def test_sizes_stay_within_reason(width: int, height: int) -> None:
    """Whatever is asked, a terminal gets a size that it can have."""
    found = parse(json.dumps(["resize", {"width": width, "height": height}]))
    assert isinstance(found, Size)
    assert 1 <= found.columns <= LARGEST
    assert 1 <= found.rows <= LARGEST


def test_the_page_is_understood() -> None:
    assert parse('["resize", {"width": 100, "height": 30}]') == Size(100, 30)
    assert parse('["ping", "123"]') == Ping("123")
    assert parse('["focus"]') == parse('["blur"]') == b""


@given(st.text() | JSON.map(json.dumps) | st.lists(JSON, max_size=3).map(json.dumps))
@example("[" * 100_000)
@example('["stdin"]')
@example('["stdin", 1]')
@example('["stdin", "a", "b"]')
@example('["resize", {"width": true}]')
@example('["resize", {"width": 1e999, "height": 2}]')
@example(json.dumps(["ping", "x" * 65]))
@example("1" * 5000)
def test_anything_else_is_refused_and_harms_nobody(text: str) -> None:
    """A refusal is a ValueError and nothing else."""
    try:
        said: object = parse(text)
    except ValueError as error:
        said = error
    assert isinstance(said, bytes | Size | Ping) or str(said) == "no message"


def test_a_size_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="no message"):
        parse('["resize", {"width": "100", "height": 30}]')
