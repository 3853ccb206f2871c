"""Every attempt of every judge, in an order and in bytes that repeat."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.judging import Judged, JudgementKey, Scope
from core.runs import Reply
from db.file import StudyFile, open_study
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.runner import judge
from exports.data import encoded
from exports.judgements import judgements_data


@pytest.fixture
def study(study_path: Path) -> Any:
    with open_study(study_path) as found:
        yield found


def _ask(study: StudyFile, name: str, rubric: str) -> None:
    judge(study, chosen_judge(name, Path()), load_rubric(rubric), docket(study, [1]))


def test_every_judgement_stands_beside_what_it_is_about(study: StudyFile) -> None:
    """Judge, rubric, run and item stand in every row, and say what the study says of them."""
    rows = judgements_data(study).rows
    items = {item.id: item for item in study.waves.items()}
    expected = [
        (g.run, items[g.wave_item].scenario, items[g.wave_item].condition, g.sample)
        for g in study.runs.generations(1)
    ]
    assert [(r["run"], r["scenario"], r["condition"], r["sample"]) for r in rows] == expected
    verdicts = Counter(said.verdict for said in study.judges.last(1))
    assert Counter(row["verdict"] for row in rows) == verdicts
    (only,) = study.judges.all()
    for row in rows:
        assert (row["judge"], row["model"], row["model_kind"]) == (1, only.model, "scripted")
        assert (row["rubric"], row["rubric_version"]) == ("grade", "1")
        assert row["rubric_hash"] == only.rubric_hash
        assert row["time"]
        assert row["last"]
    assert not any(row["withdrawn"] or row["dropped"] for row in rows)


def test_what_no_analysis_counts_is_marked(study: StudyFile) -> None:
    """Judgements of a dropped run and of withdrawn items stay in the file, and say so."""
    study.waves.withdraw(1, "S01/Active", "two answers are right")
    study.run_drops.drop(1, "its endpoint changed in mid-run")
    rows = judgements_data(study).rows
    gone = {(row["scenario"], row["condition"]) for row in rows if row["withdrawn"]}
    assert gone == {("S01", "Active")}
    assert all(row["dropped"] for row in rows)


def test_an_attempt_without_a_verdict_is_a_row_with_its_state(study: StudyFile) -> None:
    """Unreadable and failed attempts stand before the one that has a verdict, which is the last."""
    entry = study.judges.take(dict(study.judges.rubric(study.judges.all()[0].rubric_hash)),
                              "slow", "chat", {})  # fmt: skip
    call, asked = study.judges.begin(entry, Scope((1,))), study.runs.generations(1)[0]
    key = JudgementKey(entry.id, asked.id, "sha256:00")
    study.judges.keep([(call, Judged(key, Reply("error", error="no connection"), None))])
    study.judges.keep([(call, Judged(key, Reply("ok", visible_text="Hm."), None))])
    study.judges.keep([(call, Judged(key, Reply("ok", visible_text="GRADE: C"), "correct", 9.5))])
    rows = [row for row in judgements_data(study, text=True).rows if row["judge"] == entry.id]
    assert [(r["attempt"], r["state"], r["verdict"], r["score"], r["last"]) for r in rows] == [
        (1, "error", None, None, False),
        (2, "ok", None, None, False),
        (3, "ok", "correct", 9.5, True),
    ]
    assert [row["text"] for row in rows] == ["", "Hm.", "GRADE: C"]


def test_the_words_of_a_judge_are_asked_for(study: StudyFile) -> None:
    """Without the option no column holds them."""
    assert "text" not in judgements_data(study).columns
    whole = judgements_data(study, text=True)
    said = {each.visible_text for each in study.judges.last(1)}
    assert {row["text"] for row in whole.rows} == said


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_the_same_study_gives_the_same_bytes(study: StudyFile, form: Any) -> None:
    """In every format, however many judges there are."""
    _ask(study, "scripted-judge-mumbling", "grade-neutral")
    data = judgements_data(study, text=True)
    assert {row["judge"] for row in data.rows} == {1, 2}
    assert encoded(data, form) == encoded(judgements_data(study, text=True), form)


def test_nothing_is_exported_where_no_judge_was_asked(workshop: Any, tmp_path: Path) -> None:
    """An empty file would look like judges who found nothing."""
    with pytest.raises(InputError, match="no judge has said anything"):
        judgements_data(workshop.create(tmp_path / "study.db"))
