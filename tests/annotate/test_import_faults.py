"""Whatever is wrong with a file from elsewhere, or with its map, is named where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.import_map import parse_map
from annotate.importing import read_source
from core.columns import read_time
from core.errors import InputError
from db.file import StudyFile
from db.ratings import RatingStore
from suites.core100.suite import SUITE
from tests.annotate.theirs import GOOD, HEADER, MAP, dump, take_in, their_file, their_map


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    made: StudyFile = workshop.create(tmp_path / "study.db", 2)
    return made


FAULTS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "scenario": (["a;S09;Active;Drive 1;5;4;;"], ["column task: there is no scenario 'S09'"]),
    "condition": (
        ["a;S01;Nosuch;Drive 1;5;4;;"],
        ["column version: there is no condition 'Nosuch'; there is Active, Removed, Explicit,"],
    ),
    "nobody": ([" ;S01;Active;Drive 1;5;4;;"], ["column worker: nobody is named"]),
    "nobody, on no item": (
        [" ;S09;Active;Drive 1;5;4;;"],
        ["column task: there is no scenario 'S09'", "column worker: nobody is named"],
    ),
    "another item's label": (
        ["a;S01;Active;Drive 2;5;4;;"],
        ["column picked: 'Drive 2' is no answer; offered are "],
    ),
    "a letter for a label": (["a;S01;Active;A;5;4;;"], ["column picked: 'A' is no answer"]),
    "no answer": (["a;S01;Active;;5;4;;"], ["column picked: choice is not answered"]),
    "beyond the scale": (
        ["a;S01;Active;Drive 1;6;4;;"],
        ["column sure: '6' is no answer; the scale goes from 1 to 5"],
    ),
    "between the points": (["a;S01;Active;Drive 1;4.5;4;;"], ["column sure: '4.5' is no answer"]),
    "a word on a scale": (["a;S01;Active;Drive 1;very;4;;"], ["column sure: 'very' is no answer"]),
    "not a number": (["a;S01;Active;Drive 1;nan;4;;"], ["column sure: 'nan' is no answer"]),
    "no time": (["a;S01;Active;Drive 1;5;4;;soon"], ["column at: 'soon' is no time"]),
    "twice": ([GOOD, GOOD], ["column worker: this rater rated S01/Active on line 2 already"]),
    "too few cells": (["a;S01"], ["2 cells for 8 columns"]),
    "too many cells": ([f"{GOOD};x"], ["9 cells for 8 columns"]),
    "an open quote": (['a;"S01'], ["not CSV: unexpected end of data"]),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_named_with_line_and_column(study: StudyFile, tmp_path: Path, kind: str) -> None:
    """Each fault says where it is and what was expected there."""
    lines, expected = FAULTS[kind]
    found = take_in(study, their_file(tmp_path, *lines), their_map())
    assert isinstance(found, list)
    assert len(found) == len(expected)
    for fault, sentence in zip(found, expected, strict=True):
        assert fault.startswith(f"line {1 + len(lines)}")
        assert sentence in fault


def test_all_faults_are_named_at_once_and_nothing_is_stored(
    study: StudyFile, tmp_path: Path
) -> None:
    """Nobody repairs a file one error at a time; until it is whole, the study stays as it was."""
    lines = [line for rows, _ in list(FAULTS.values())[:-1] for line in rows]
    before = dump(study)
    found = take_in(study, their_file(tmp_path, *lines), their_map())
    assert isinstance(found, list)
    assert len(found) >= len(FAULTS) - 1
    named = [int(fault.split()[1].strip(",:")) for fault in found]
    assert named == sorted(named)
    assert dump(study) == before


def test_what_spans_lines_is_named_by_its_first(study: StudyFile, tmp_path: Path) -> None:
    """A comment over three lines counts as one row, and the next row's line is right."""
    path = their_file(
        tmp_path,
        'ann;S01;Active;Drive 1;5;4;"one\ntwo\nthree";',
        "bob;S01;Active;Drive 9;5;4;;",
    )
    found = take_in(study, path, their_map())
    assert isinstance(found, list)
    assert found[0].startswith("line 5, column picked")


WHOLE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "line 1: the file holds no rows"),
    "a header alone": (f"{HEADER}\n".encode(), "line 1: the file holds no rows"),
    "no such column": (b"worker;task\na;b\n", "line 1, column version: the file has no such col"),
    "a column twice": (b"a;b;a\n1;2;3\n", "line 1, column a: two columns have this name"),
    "a column without a name": (b"a;;b\n", "line 1: column 2 has no name"),
    "not UTF-8": (f"{HEADER}\na;S01;".encode() + b"\xe9\n", "line 2: not UTF-8"),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_file_that_is_no_table_is_named(study: StudyFile, tmp_path: Path, kind: str) -> None:
    """An empty file, a missing column and a foreign encoding are faults, not tracebacks."""
    content, sentence = WHOLE[kind]
    path = tmp_path / "r.csv"
    path.write_bytes(content)
    found = take_in(study, path, their_map())
    assert isinstance(found, list)
    assert found[0].startswith(sentence)


JSON = {
    "not JSON": ("{", "not a row of JSON lines: Expecting"),
    "a list": ("[1]", "an object is needed"),
    "a name twice": ('{"a": 1, "a": 2}', "a name is given twice"),
    "NaN": ('{"a": NaN}', "NaN is no number"),
    "one name in two ways": ('{"a.b": 1, "a": {"b": 2}}', "two values are called a.b"),
    "half a character": ('{"a": "\\ud800"}', "surrogates not allowed"),
    "too deep": ("[" * 100_000, "not a row of JSON lines"),
}


@pytest.mark.parametrize("kind", JSON)
def test_json_that_could_mean_two_things_is_refused(
    study: StudyFile, tmp_path: Path, kind: str
) -> None:
    """NaN, doubled names and half characters do not pass as data."""
    line, sentence = JSON[kind]
    path = tmp_path / "r.jsonl"
    path.write_text(f"\n{line}\n")
    (found,) = take_in(study, path, their_map())  # type: ignore[misc]
    assert found.startswith("line 2: ")
    assert sentence in found


def test_what_fails_on_the_way_leaves_nothing(
    study: StudyFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Round, seats, people, ratings and ledger stand or fall together."""
    path = their_file(tmp_path, GOOD, GOOD.replace("S01", "S02").replace("Drive 1", "Drive 2"))
    before, save, calls = dump(study), RatingStore.save, []

    def failing(self: RatingStore, *arguments: Any) -> None:
        calls.append(arguments)
        if len(calls) == 2:
            raise OSError("the disk is full")
        save(self, *arguments)

    monkeypatch.setattr(RatingStore, "save", failing)
    with pytest.raises(OSError, match="full"):
        take_in(study, path, their_map())
    assert dump(study) == before


@given(st.datetimes(min_value=datetime(1980, 1, 1)))
def test_a_time_of_ours_comes_back_as_it_was(moment: Any) -> None:
    """What the study file writes as a time is read as the same text."""
    text = moment.isoformat(timespec="milliseconds") + "Z"
    assert read_time(text, None) == text


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("2026-01-02T03:04:05", "has no time zone"),
        ("20260102", "is no time"),
        ("1e300", "is no time"),
        ("inf", "is no time"),
        ("0001-01-01T00:00:00+14:00", "no time that can be kept"),
    ],
)
def test_a_time_that_is_none_is_refused(cell: str, why: str) -> None:
    """A time needs its zone, and a number must be seconds since 1970."""
    with pytest.raises(ValueError, match=why):
        read_time(cell, None)


MAPS: dict[str, tuple[Callable[[str], str], int, str]] = {
    "a key twice": (lambda m: m.replace('time = "at"', 'rater = "x"'), 7, "a key is given twice"),
    "an unknown table": (lambda m: m + "[more]\n", 21, "unknown table 'more'"),
    "an unknown column": (lambda m: m.replace("comment", "colour"), 6, "unknown 'colour'"),
    "no rater": (lambda m: m.replace('rater = "worker"', ""), 2, "the rater is missing"),
    "no item": (lambda m: m.replace('condition = "version"', ""), 2, "scenario and condition, or"),
    "an empty column": (lambda m: m.replace('"worker"', '""'), 3, "rater must name a column"),
    "an unknown question": (
        lambda m: m.replace("confidence", "zeal"),
        10,
        "the form core100 asks no 'zeal'; it asks choice, confidence, naturalness",
    ),
    "a question left out": (
        lambda m: m.replace('naturalness = "nat"', ""),
        9,
        "the column of naturalness is missing",
    ),
    "a number for a column": (lambda m: m.replace('"sure"', "3"), 10, "confidence must name a col"),
    "no way of reading": (lambda m: m.replace('reads = "label"', ""), 13, "say how choice reads"),
    "another way of reading": (lambda m: m.replace('"label"', '"key"'), 15, "reads must be one of"),
    "reading a scale": (
        lambda m: m.replace('"sure"', '{ column = "sure", reads = "label" }'),
        10,
        "only choices are read",
    ),
    "an unknown field": (lambda m: m.replace("values", "means"), 16, "unknown field 'means'"),
    "a value that is a list": (
        lambda m: m.replace('"It depends"', "[1]"),
        16,
        "a value must be a text",
    ),
    "a delimiter of two": (lambda m: m.replace('";"', '";;"'), 19, "delimiter must be"),
    "no zone": (lambda m: m.replace('"+02:00"', '"Nowhere/Land"'), 20, "is no time zone"),
}


@pytest.mark.parametrize("kind", MAPS)
def test_a_map_is_held_against_the_form(kind: str) -> None:
    """Whatever is wrong with a map, the error names file and line before any row is read."""
    change, line, sentence = MAPS[kind]
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        parse_map(change(MAP), "map.toml", SUITE.form)
    assert str(caught.value).startswith(f"map.toml, line {line}: ")


@pytest.mark.parametrize("name", ["r.txt", "r", "r.parquet"])
def test_an_ending_that_says_nothing_is_refused(tmp_path: Path, name: str) -> None:
    """Nobody guesses what a file is."""
    (tmp_path / name).write_text("x")
    with pytest.raises(InputError, match=r"must end in \.csv, \.tsv, \.jsonl, \.ndjson"):
        read_source(tmp_path / name, their_map())


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A path that cannot be read is bad input."""
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_source(tmp_path / "r.csv", their_map())


def test_what_a_map_leaves_out_has_a_default() -> None:
    """Without [file] a file is separated by commas, and times must have their zone."""
    columns = parse_map(MAP[: MAP.index("[file]")], "map.toml", SUITE.form)
    assert (columns.delimiter, columns.zone) == (",", None)
