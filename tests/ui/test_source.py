"""Lines from a pipe or a script, and what is done while there are none."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

import pytest

from ui.source import LineSource


@pytest.fixture
def pipe() -> Iterator[tuple[LineSource, int]]:
    """A source that reads a pipe, and the end to write into."""
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as stream:
        yield LineSource(stream), writing


def test_lines_come_one_at_a_time_whatever_arrives_together(pipe: tuple[LineSource, int]) -> None:
    """What came in one piece is given line by line, and a last line needs no end."""
    source, writing = pipe
    os.write(writing, "one\r\n\nzwei ä\nlast".encode())
    os.close(writing)
    assert [source.line() for _ in range(6)] == ["one", "", "zwei ä", "last", None, None]


def test_bytes_that_are_no_text_are_marked(pipe: tuple[LineSource, int]) -> None:
    """Nothing is raised for them."""
    source, writing = pipe
    os.write(writing, b"\xff\xfea\n")
    os.close(writing)
    assert source.line() == "��a"


def test_something_is_done_while_nothing_comes(pipe: tuple[LineSource, int]) -> None:
    """Again and again, until a line is there; never between lines that have come already."""
    source, writing = pipe
    calls: list[int] = []

    def meanwhile() -> None:
        calls.append(1)
        if len(calls) == 3:
            os.write(writing, b"here\nand here\n")

    assert source.line(meanwhile, every=0.01) == "here"
    assert len(calls) == 3
    assert source.line(meanwhile, every=0.01) == "and here"
    assert len(calls) == 3
    os.close(writing)


def test_a_stream_that_is_no_file_is_read_all_the_same() -> None:
    """Nothing can be waited for there."""
    source = LineSource(io.StringIO("a\r\nb"))
    assert [source.line(), source.line(), source.line()] == ["a", "b", None]
