"""``wavelock grading``: sample, status and agreement, and what is refused in a line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.annotate.graded import with_responses

Run = Callable[..., Any]
STRATA = ("--stratify", "verdict,condition")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "study.db"
    with_responses(made).close()
    return made


def test_a_sample_its_codes_and_its_status(wavelock: Run, path: Path) -> None:
    """A dry run plans nothing; the real one prints a code per grader, once, and the strata."""
    asked = ("--study", path, "grading", "sample", "humans", "--runs", "1,2", "--size", 8, *STRATA)
    dry = wavelock(*asked, "--dry-run")
    assert (dry.code, "nothing was planned" in dry.err) == (0, True)
    assert "judged under grade 1 by judge 1 (scripted-judge)" in " ".join(dry.out.split())
    done = wavelock(*asked, "--kind", "practice", "--json")
    assert (done.code, len(json.loads(done.out)["rows"])) == (0, 2)
    assert "next: wavelock round open humans" in done.err
    found = wavelock("--study", path, "grading", "status", "--json")
    tables = {table["name"]: table["rows"] for table in json.loads(found.out)}
    assert tables["rounds"][0]["left"] == 16
    assert [row["person"] for row in tables["graders"]] == ["nobody yet"] * 2
    verdicts = {r["value"]: r["drawn"] for r in tables["strata"] if r["stratum"] == "verdict"}
    assert verdicts == {"correct": 4, "incorrect": 4}
    listed = wavelock("--study", path, "grading", "status", "--csv")
    assert next(csv.DictReader(io.StringIO(listed.out)))["round"] == "humans"
    assert wavelock("--study", path, "round", "check", "humans").code == 0


def test_a_rehearsal_from_end_to_end(wavelock: Run, path: Path) -> None:
    """Simulated graders, the agreement in all forms, and the ledger that verifies."""
    study = ("--study", path)
    sampled = ("grading", "sample", "humans", "--runs", "1,2", "--size", 8, *STRATA)
    assert wavelock(*study, *sampled, "--kind", "rehearsal", "--graders", 3).code == 0
    assert wavelock(*study, "round", "open", "humans").code == 0
    rehearsed = wavelock(*study, "round", "rehearse", "humans")
    assert rehearsed.err.splitlines()[-1] == "round humans: 24 simulated grades"
    closed = wavelock(*study, "round", "close", "humans")
    assert "next: wavelock grading agreement humans" in closed.err
    few = ("--replicates", 50)
    shown = wavelock(*study, "grading", "agreement", "humans", *few)
    assert shown.out.count("(simulated grades; ") == 7  # tables of two scales are shown apart
    tables = json.loads(wavelock(*study, "grading", "agreement", "humans", *few, "--json").out)
    assert [table["name"] for table in tables] == [
        "people", "judge", "consensus", "strata", "population",
    ]  # fmt: skip
    one = wavelock(*study, "grading", "agreement", "humans", *few, "--table", "people", "--csv")
    assert one.out.startswith("on,between,estimator,")
    assert "simulated grades" in wavelock(*study, "grading", "status", "humans").out
    assert wavelock(*study, "ledger", "verify").code == 0
    assert "responses drawn for grading round humans" in wavelock(*study, "ledger", "show").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("sample", "x", "--runs", "one"), "'one' is no list of runs"),
        (("sample", "x", "--runs", "9"), "there is no run 9"),
        (("sample", "x", "--runs", "1", "--quota", "correct"), "no quota like correct=150"),
        (("sample", "x", "--runs", "1", "--quota", "a=1", "--quota", "a=1"), "given twice"),
        (("sample", "x", "--runs", "1", "--judge", "7"), "there is no judge 7"),
        (("sample", "x", "--runs", "1", "--form", "core100"), "asks for an option of an item"),
        (("sample", "x", "--runs", "1", "--size", "900"), "900 responses wanted, and there are"),
        (("sample", "x", "--runs", "1", "--positive", "good"), "'good' is no verdict"),
        (("agreement", "x"), "there is no round 'x'"),
        (("sample", "x", "--runs", "1", "--quota", "correct=0", *STRATA), "every quota is 0"),
        (("sample", "x", "--runs", "1", "--quota", "correct=" + "9" * 5000), "is no quota like"),
        (("sample", "x", "--runs", "9" * 30, "--size", "2"), "is not in the range"),
        (("sample", "x", "--runs", "-1", "--size", "2"), "is not in the range"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    wavelock: Run, path: Path, words: tuple[str, ...], told: str
) -> None:
    done = wavelock("--study", path, "grading", *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.count("\n") == 1


def test_a_rating_round_is_no_grading_round(wavelock: Run, study_path: Path) -> None:
    for words in (("status", "rehearsal"), ("agreement", "rehearsal")):
        done = wavelock("--study", study_path, "grading", *words)
        assert (done.code, "round rehearsal rates items" in done.err) == (2, True)
    for words in (("include", "grades"), ("agreement", "grades")):
        done = wavelock("--study", study_path, *words)
        assert (done.code, "see wavelock grading agreement grades" in done.err) == (2, True)
