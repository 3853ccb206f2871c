"""How much judges have still to judge, run by run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.judging import Judged, JudgementKey, Scope
from core.runs import Reply
from db.file import StudyFile
from evals.judges.backlog import backlog_notes, still_open
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.rubric import rubric_to_json
from evals.judges.runner import judge
from evals.run_tables import check, status_table


@pytest.fixture
def study(answered: Any) -> StudyFile:
    """24 replies, of which those of Removed show nothing."""
    found: StudyFile = answered(
        lambda document, _: Reply("empty") if document["condition"] == "Removed" else "Answer: A"
    )
    return found


def begun(study: StudyFile, scope: Scope) -> tuple[int, int]:
    entry = study.judges.take(rubric_to_json(load_rubric("grade")), "slow", "chat", {})
    return entry.id, study.judges.begin(entry, scope)


def test_what_is_open_is_counted_by_run_and_judge(study: StudyFile) -> None:
    """Failed and unasked replies are open; a verdict or an unreadable one is not."""
    slow, call = begun(study, Scope((1,)))
    assert still_open(study) == {1: {slow: 18}}
    first, second, third, *_ = (g.id for g in study.runs.generations(1) if g.visible_text)
    said = {
        first: (Reply("ok", visible_text="GRADE: C"), "correct"),
        second: (Reply("ok", visible_text="Hm."), None),
        third: (Reply("error", error="no connection"), None),
    }
    study.judges.keep(
        [(call, Judged(JudgementKey(slow, g, "h"), *reply)) for g, reply in said.items()]
    )
    assert still_open(study) == {1: {slow: 16}}
    study.judges.end(call, "interrupted")
    judge(study, chosen_judge("scripted-judge", Path()), load_rubric("grade"), docket(study, [1]))
    assert still_open(study) == {1: {slow: 16, slow + 1: 0}}


def test_only_what_was_asked_for_can_be_open(study: StudyFile) -> None:
    """A narrowed call leaves the others alone; so do withdrawn items and dropped runs."""
    slow, _ = begun(study, Scope((1,), ("Active",), 1))
    assert still_open(study) == {1: {slow: 3}}
    study.waves.withdraw(1, "S01/Active", "two answers are right")
    assert still_open(study) == {1: {slow: 2}}
    study.run_drops.drop(1, "its endpoint changed")
    assert still_open(study) == {}


def test_one_line_that_fits_a_narrow_terminal(study: StudyFile) -> None:
    """It stands below the tables of runs; where no judge was asked, nothing does."""
    assert backlog_notes(study, {1}) == ()
    slow, _ = begun(study, Scope((1,)))
    line = f"Run 1, still open to judges: 18 of judge {slow}."
    assert len(line) <= 80
    assert status_table(study).notes == (line,)
    assert check(study, 1).tables[0].notes[-1] == line
    assert backlog_notes(study, {2}) == ()
