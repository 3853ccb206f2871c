"""A panel's majority reaches a suite's tables beside its verifiers' scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.tables import full_report
from core.judging import Judged, JudgementKey, Scope
from core.runs import Reply
from core.tables import Column, Table
from db.file import StudyFile
from db.panels import panels
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.of_record import verdicts_of_record
from evals.judges.rubric import rubric_to_json
from evals.judges.runner import judge
from exports.marks import report_marks
from suites.base import Suite, SuiteData
from suites.core100.suite import SUITE

Study = Callable[..., StudyFile]
COUNTED = ("correct", "incorrect", "no-majority", "unreadable", "open")


def toy_tables(data: SuiteData) -> tuple[Table, ...]:
    """Count what the panel under ``grade`` says, and every state without a verdict as itself."""
    columns = tuple(Column(name, name, "count") for name in COUNTED)
    if "grade" not in data.judged:
        return (Table("toy", "Judged", columns, ()),)
    panel = data.judged["grade"]
    counts = Counter([*panel.verdicts.values(), *panel.without.values()])
    title = f"Judged ({'; '.join((*data.caveats, *panel.caveats))})"
    return (Table("toy", title, columns, ({name: counts[name] for name in COUNTED},)),)


TOY: Suite = replace(SUITE, rubrics=("grade",), tables=toy_tables, figures=lambda _: ())


@pytest.fixture
def study(answered: Study, by_action: Any) -> StudyFile:
    """24 replies that choose the heavy action; the scripted judge knows which are right."""
    return answered(lambda document, _: by_action(document, "heavy"))


def ask(study: StudyFile, name: str, rubric: str = "grade") -> None:
    judge(study, chosen_judge(name, Path()), load_rubric(rubric), docket(study, [1]))


def record(study: StudyFile, rubrics: tuple[str, ...] = ("grade",)) -> Any:
    return verdicts_of_record(study, rubrics, panels(study.judges), study.waves.standing())


def toy(study: StudyFile, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr("cli.tables.load", lambda _: TOY)
    return next(t for t in full_report(study, replicates=50).tables if t.name == "toy")


def test_a_panels_majority_reaches_the_tables_of_a_suite(
    study: StudyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One judge is its own majority; two that differ have none, and nothing is called wrong."""
    assert toy(study, monkeypatch).rows == ()
    ask(study, "scripted-judge")
    (alone,) = toy(study, monkeypatch).rows
    assert alone == {"correct": 18, "incorrect": 6, "no-majority": 0, "unreadable": 0, "open": 0}
    ask(study, "scripted-judge-lenient")
    table = toy(study, monkeypatch)
    assert table.rows[0] == {**alone, "incorrect": 0, "no-majority": 6}
    assert "judges 1, 2 are fakes, no models" in table.title


def test_what_is_no_verdict_is_a_state(study: StudyFile) -> None:
    """Open and unreadable replies stand apart; one that was never to be judged is in neither."""
    entry = study.judges.take(rubric_to_json(load_rubric("grade")), "slow", "chat", {})
    call = study.judges.begin(entry, Scope((1,), ("Active",)))
    active = {item.id for item in study.waves.standing() if item.condition == "Active"}
    first, second, *rest = (g.id for g in study.runs.generations(1) if g.wave_item in active)
    for reply, text, verdict in ((first, "GRADE: C", "correct"), (second, "Hm.", None)):
        said = Judged(JudgementKey(entry.id, reply, "h"), Reply("ok", visible_text=text), verdict)
        study.judges.keep([(call, said)])
    found = record(study)["grade"]
    assert found.verdicts == {first: "correct"}
    assert found.without == {second: "unreadable", **dict.fromkeys(rest, "open")}
    assert (found.rubric, found.judges) == ("grade 1", (entry.id,))


def test_only_the_rubrics_that_a_suite_names(study: StudyFile) -> None:
    """What other judges say is nobody's score; a rubric that nobody judged under is not there."""
    ask(study, "scripted-judge", "grade-neutral")
    assert record(study) == {}
    assert list(record(study, ("grade", "grade-neutral"))) == ["grade-neutral"]


def test_exploratory_judges_make_the_numbers_of_their_suite_exploratory(
    study: StudyFile, workshop: Any
) -> None:
    """With a plan that names no judge, no number of a suite that scores by judges may be marked."""
    ask(study, "scripted-judge")
    study.registrations.freeze(workshop.document(study))
    how: dict[str, Any] = {"code": "c", "seed": 1, "replicates": 50}
    marks = report_marks(study, study.waves.all(), **how, judged=record(study))
    assert "judges under grade 1 are exploratory: no judge is registered" in marks.whole
    assert not any("judges" in why for why in report_marks(study, study.waves.all(), **how).whole)
