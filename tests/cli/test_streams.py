"""Streams that are closed, full or of another encoding: one line and an exit code, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

WAVELOCK = Path(sys.executable).with_name("wavelock")
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
# A listing, a single line, a raw document, and what Click prints by itself.
PRINTING = [("items", "list"), ("ledger", "head"), ("wave", "show", "1"), ("--help",)]


def shell(
    study: Path, redirect: str, *words: Any, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command with a redirection that only a shell can make."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirect}', "sh", WAVELOCK, "--study", study, *words],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
@pytest.mark.parametrize(
    ("redirect", "reason"),
    [(">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")],
)
def test_output_that_does_not_arrive_is_told(
    study_path: Path, redirect: str, reason: str, words: tuple[str, ...]
) -> None:
    """Whoever asked for data and did not get it hears so in one line, and the exit code says it."""
    done = shell(study_path, redirect, *words)
    assert done.returncode == 2
    assert done.stderr == (f"wavelock: what was asked for could not be read or written: {reason}\n")


@pytest.mark.parametrize("redirect", ["2>&-", "2>/dev/full"])
def test_an_error_that_nobody_can_be_told_keeps_its_code(study_path: Path, redirect: str) -> None:
    """Bad input is 2 and a failed check is 1, with or without words."""
    assert shell(study_path, redirect, "round", "status", "nosuch").returncode == 2
    assert shell(study_path, redirect, "items", "check").returncode == 1
    done = shell(study_path, redirect, "ledger", "verify")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [("rate", "--plain"), ("audit", "--plain")], ids=" ".join)
def test_a_closed_input_is_the_end_of_it(study_path: Path, words: tuple[str, ...]) -> None:
    """Nobody types anything, so nothing is opened."""
    done = shell(study_path, "<&-", *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Your access code:\n", "")


def test_no_study_is_opened_under_the_number_of_a_stream(study_path: Path) -> None:
    """With all three closed a command changes nothing in what it only reads."""
    before = study_path.read_bytes()
    assert shell(study_path, "<&- >&- 2>&-", "items", "list").returncode == 2
    assert study_path.read_bytes() == before


def test_data_are_utf_8_whatever_the_locale(study_path: Path) -> None:
    """A file or a program gets every character; JSON stays JSON."""
    for words in (("report", "--replicates", "100"), ("items", "check")):
        done = shell(study_path, "", *words, **ASCII)
        assert "Traceback" not in done.stderr
        assert "–" in done.stdout
    told = shell(study_path, "", "items", "list", "--json", **ASCII)
    assert json.loads(told.stdout)["rows"]


@pytest.mark.parametrize("columns", ["0", "1", "7", "20", "-3", "x"])
def test_any_width_is_drawn(study_path: Path, columns: str) -> None:
    """Tables and figures in a terminal of hardly any width, or of one that is no number."""
    done = shell(study_path, "", "report", "--replicates", "100", COLUMNS=columns)
    assert (done.returncode, done.stderr) == (0, "")


UNTEXT = "x\udcffy"  # what Python makes of a byte that is no UTF-8


@pytest.mark.parametrize(
    "words",
    [
        ("round", "status", UNTEXT),
        ("round", "plan", UNTEXT),
        ("items", "show", UNTEXT),
        ("wave", "withdraw", "1", "S01", "--reason", UNTEXT),
        ("runs", "drop", "2", "--reason", UNTEXT),
        ("sets", "declare", UNTEXT, "--models", "m", "--reason", "r"),
        ("items", "exclude", "S06", "--kind", "k", "--reason", UNTEXT),
        ("run", "--model", UNTEXT),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_an_argument_that_is_no_text_is_bad_input(
    wavelock: Any, study_path: Path, words: tuple[str, ...]
) -> None:
    """A byte that is no UTF-8 is in no name and no reason; nothing is changed by it."""
    before = study_path.read_bytes()
    done = wavelock("--study", study_path, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("wavelock: ")
    assert done.err.count("\n") == 1
    assert "‹U+DCFF›" in done.err or "\\udcff" in done.err
    assert study_path.read_bytes() == before


@pytest.mark.parametrize("words", [("items", "list"), ("rate", "--plain"), ("rate", "{}")])
def test_a_pipe_is_no_study_and_nobody_waits_for_it(
    wavelock: Any, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Whatever has no beginning to look at is refused at once."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    done = wavelock("--study", path, *(word.format(path) for word in words))
    assert done.code == 2
    assert f"{path} is no" in done.err


def test_a_study_needs_a_folder_that_can_be_written(
    wavelock: Any, study_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log stands beside the study; whoever may not write there is told what to do."""
    folder = study_path.resolve().parent
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != folder)
    done = wavelock("--study", study_path, "items", "list")
    assert (done.code, done.out) == (2, "")
    assert f"the folder of {study_path} cannot be written" in done.err
    assert "work on a copy" in done.err
