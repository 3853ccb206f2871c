"""Rows from bytes: what is read, on which line, and what is refused instead of guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rows import Bare, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ROWS = st.lists(st.dictionaries(st.sampled_from("abcd"), TEXT, min_size=1), min_size=1, max_size=6)


@given(ROWS, st.sampled_from([None, 2]))
def test_json_and_json_lines_say_the_same(rows: list[dict[str, str]], indent: int | None) -> None:
    """A list and its lines give the same cells, however the list is laid out."""
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    whole = json.dumps(rows, indent=indent, ensure_ascii=False).encode()
    as_lines, as_list = read(lines, "jsonl"), read(whole, "json")
    assert [r.cells for r in as_list.records] == [r.cells for r in as_lines.records] == rows
    assert as_list.faults == as_lines.faults == ()


def test_an_entry_of_a_list_has_its_line() -> None:
    """Entries are numbered by the line on which they begin."""
    data = b'[\n {"a": 1},\n\n {"a":\n  2}, {"a": 3}\n]\n'
    assert [(r.line, r.cells["a"]) for r in read(data, "json").records] == [
        (2, "1"), (4, "2"), (5, "3"),
    ]  # fmt: skip


def test_a_number_is_told_from_a_text() -> None:
    """Digits keep their spelling, and say that they were no text; nothing is an empty one."""
    (record,) = read(
        b'[{"a": 1.50, "b": "1.50", "c": null, "d": true, "e": [1, "x"]}]', "json"
    ).records
    bare = {name: isinstance(cell, Bare) for name, cell in record.cells.items()}
    assert bare == {"a": True, "b": False, "c": True, "d": True, "e": True}
    assert list(record.cells.values()) == ["1.50", "1.50", "", "true", '[1, "x"]']


FAULTS = {
    "not a list": (b'{"a": 1}', "json", "line 1: a JSON file must hold a list"),
    "a name twice": (b'[{"a": 1,\n "a": 2}]', "json", "a name is given twice: a"),
    "not a number": (b'[\n{"a": NaN}]', "json", "line 2: not JSON: NaN is no number"),
    "infinite": (b'{"a": -Infinity}', "jsonl", "-Infinity is no number"),
    "no comma": (b'[{"a": 1}\n{"a": 2}]', "json", "line 2: not JSON: a comma or ] is missing"),
    "no end": (b'[{"a": 1}', "json", "a comma or ] is missing"),
    "more": (b'[{"a": 1}]\n{}', "json", "something follows the list"),
    "broken": (b'[\n\n{"a": }]', "json", "line 3: not JSON"),
    "no object": (b'[\n3]', "json", "line 2: not a row: an object is needed"),
    "half a character": (b'[{"a": "\\ud800"}]', "json", "line 1: not a row"),
    "nested for ever": (b"[" + b"[" * 100_000, "json", "not JSON"),
    "nothing": (b"", "csv", "line 1: the file holds no ratings"),
    "semicolons": (b"a;b;c\n1;2;3\n", "csv", "set apart by a semicolon, not by a comma"),
    "tabs": (b"a\tb\n1\t2\n", "csv", "set apart by a tab, not by a comma"),
    "UTF-16": ("a,b\n".encode("utf-16"), "csv", "line 1: not UTF-8 but UTF-16; save it as UTF-8"),
    "UTF-32": ("a,b\n".encode("utf-32"), "csv", "not UTF-8 but UTF-32"),
    "Latin-1": ("a,b\nx,é\n".encode("latin-1"), "csv", "line 2: not UTF-8 at byte 6 (0xE9)"),
    "two names": (b"a,a\n1,2\n", "csv", "column a: two columns have this name"),
    "no name": (b"a,\n1,2\n", "csv", "column 2 has no name"),
    "huge": (b"a\n" + b"x" * 200_000, "csv", "not CSV: field larger than field limit"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAULTS)
def test_what_is_wrong_is_named(kind: str) -> None:
    """Each kind of fault is said with its line, and no row is made of it."""
    data, form, told = FAULTS[kind]
    content = read(data, form)  # type: ignore[arg-type]
    assert told in str(content.faults[0])
    assert content.records == () or kind in ("no comma", "no end", "more")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_utf_8_is_read_with_and_without_its_mark(mark: bytes) -> None:
    """A byte order mark is no part of the first column's name."""
    (record,) = read(mark + "a,b\né,ü\n".encode(), "csv").records
    assert record.cells == {"a": "é", "b": "ü"}


@given(st.binary(max_size=200), st.sampled_from(["csv", "jsonl", "json"]))
def test_any_bytes_are_read_or_refused(data: bytes, kind: str) -> None:
    """Nothing that a file can hold is a crash."""
    content = read(data, kind)  # type: ignore[arg-type]
    assert content.records or content.faults or kind in ("csv", "json")
