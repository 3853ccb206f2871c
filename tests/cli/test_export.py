"""``wavelock export``: a whole file or none, in the format that was asked for."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_bad_input import one_line


def test_ratings_are_written_in_the_format_of_the_name(
    wavelock: Any, study_path: Path, tmp_path: Path
) -> None:
    """CSV and JSON lines hold the same rows; standard error says how many, by how many people."""
    written, lines = tmp_path / "r.csv", tmp_path / "r.jsonl"
    done = wavelock("--study", study_path, "export", "ratings", written)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"{written}: 25 ratings by 5 raters\n"
    wavelock("--study", study_path, "export", "ratings", lines)
    rows = list(csv.DictReader(StringIO(written.read_text("utf-8"))))
    objects = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    assert [row["text"] for row in rows] == [entry["text"] for entry in objects]
    assert len(rows) == 25
    assert {row["round"] for row in rows} == {"rehearsal", "people"}


def test_a_dash_is_standard_output(wavelock: Any, study_path: Path) -> None:
    """Data goes to standard output, words to standard error."""
    done = wavelock("--study", study_path, "export", "ratings", "-", "--round", "people")
    (row,) = csv.DictReader(StringIO(done.out))
    assert (row["round"], row["rater_kind"]) == ("people", "human")
    assert done.err == "standard output: 1 ratings by 1 raters\n"
    lines = wavelock("--study", study_path, "export", "items", "-", "--format", "jsonl").out
    assert len([json.loads(line) for line in lines.splitlines()]) == 28


def test_rounds_may_be_named(wavelock: Any, study_path: Path) -> None:
    """Each round is written once, in the order in which it is named."""
    command = ("--study", study_path, "export", "ratings", "-")
    both = wavelock(*command, *("--round", "people", "--round", "rehearsal", "--round", "people"))
    rounds = [row["round"] for row in csv.DictReader(StringIO(both.out))]
    assert rounds == ["people"] + ["rehearsal"] * 24


def test_events_are_asked_for(wavelock: Any, study_path: Path) -> None:
    """--events gives a row per change, with its number."""
    done = wavelock("--study", study_path, "export", "ratings", "-", "--events")
    assert {row["event"] for row in csv.DictReader(StringIO(done.out))} == {"1"}
    assert "25 events by 5 raters" in done.err


def test_judgements_are_written(wavelock: Any, study_path: Path, tmp_path: Path) -> None:
    """A row per attempt; the raw text only when it is asked for; a subset says so."""
    written = tmp_path / "j.csv"
    done = wavelock("--study", study_path, "export", "judgements", written)
    assert (done.code, done.out) == (0, "")
    rows = list(csv.DictReader(StringIO(written.read_text("utf-8"))))
    assert done.err == f"{written}: {len(rows)} judgements by 1 judge\n"
    assert "text" not in rows[0]
    command = ("--study", study_path, "export", "judgements", "-", "--format", "jsonl", "--text")
    lines = [json.loads(line) for line in wavelock(*command).out.splitlines()]
    assert [line["verdict"] or "" for line in lines] == [row["verdict"] for row in rows]
    assert all(line["text"] for line in lines)
    item = f"{rows[0]['scenario']}/{rows[0]['condition']}"
    withdrawn = ("wave", "withdraw", "1", item, "--reason", "two answers are right")
    assert wavelock("--study", study_path, *withdrawn).code == 0
    some = wavelock(*command, "--without", "pilot")
    assert 0 < len(some.out.splitlines()) < len(lines)
    assert some.err.endswith("judgements by 1 judge [without pilot scenarios]\n")


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no ratings": (("ratings", "new.csv", "--round", "next"), "there is no rating yet in next"),
    "no such round": (("ratings", "new.csv", "--round", "nosuch"), "there is no round 'nosuch'"),
    "no format": (("ratings", "new.txt"), "does not say its format"),
    "an unknown format": (("ratings", "new.csv", "--format", "xlsx"), "Invalid value for '--form"),
    "no file": (("ratings",), "Missing argument 'FILE'"),
    "a folder that cannot be": (("items", "/proc/nosuch/x.csv"), "cannot be written"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_exported_writes_nothing(
    wavelock: Any, study_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Exit 2, one line, no file: neither a new one nor half of an old one."""
    arguments, sentence = BAD[kind]
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert sentence in one_line(wavelock("--study", study_path, "export", *arguments))
    assert sorted(tmp_path.iterdir()) == before


def test_a_failed_export_keeps_the_file_of_before(
    wavelock: Any, study_path: Path, tmp_path: Path
) -> None:
    """What was exported yesterday stays when today there is nothing to export."""
    path = tmp_path / "r.csv"
    path.write_text("yesterday")
    wavelock("--study", study_path, "export", "ratings", path, "--round", "next")
    assert path.read_text() == "yesterday"


def test_parquet_that_is_not_installed_names_the_extra(
    wavelock: Any, study_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without pyarrow there is one line that says what to install, and no file."""
    monkeypatch.setattr("exports.data.find_spec", lambda name: None)
    path = tmp_path / "r.parquet"
    line = one_line(wavelock("--study", study_path, "export", "ratings", path))
    assert "wavelock[parquet]" in line
    assert not path.exists()
