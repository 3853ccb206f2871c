"""The subset experiment: who is drawn, that it is the same for every rubric, and its table."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from audit.verify_judges import judge_faults
from core.errors import InputError, Refused
from core.judging import Draw
from core.resampling import Resampling
from core.runs import Reply
from db.file import StudyFile
from db.panels import panels
from evals.judges.agreement import agreement_tables
from evals.judges.ballots import ballots
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.drawing import drawn_in_words
from evals.judges.library import load_rubric
from evals.judges.runner import judge
from tests.evals.judges.conftest import CONDITIONS

TWELVE = Draw(12, nonconforming=True, seed=1)
TWO = Draw(2, nonconforming=True, seed=1)


def closed(study: StudyFile) -> StudyFile:
    for run in study.runs.all():
        study.runs.close(run.id)
    return study


def runs(study: StudyFile) -> list[int]:
    return [run.id for run in study.runs.all()]


def go(study: StudyFile, rubric: str, draw: Draw | None, name: str = "scripted-judge") -> None:
    wanted = docket(study, runs(study), draw=draw)
    judge(study, chosen_judge(name, Path()), load_rubric(rubric), wanted)


def content(study: StudyFile, draw: Draw) -> set[tuple[str, str, str, int]]:
    """What was drawn, by what it is."""
    return {
        (study.runs.run(r.generation.run).model, r.scenario, r.condition, r.generation.sample)
        for r in docket(study, runs(study), draw=draw).replies
    }


@pytest.fixture
def three(answered: Any, by_action: Any) -> StudyFile:
    """Three models of which one says nothing conforming about S02."""

    def say(document: dict[str, Any], sample: int, model: str) -> str | Reply:
        if model == "m2" and document["scenario"] == "S02":
            return "It depends." if sample == 1 else Reply("empty")
        return str(by_action(document, document["gold"]))

    return closed(answered(say, models=("m1", "m2", "m3")))


def test_so_many_per_model_and_condition(three: StudyFile) -> None:
    """Two conforming replies of every cell, every nonconforming one, nothing that is empty."""
    found = content(three, TWO)
    cells = Counter((model, condition) for model, scenario, condition, _ in found
                    if not (model == "m2" and scenario == "S02"))  # fmt: skip
    assert cells == Counter({(m, c): 2 for m in ("m1", "m2", "m3") for c in CONDITIONS})
    assert len(found) == 24 + 4
    without = Draw(2, nonconforming=False, seed=1)
    assert content(three, without) == {f for f in found if not (f[0] == "m2" and f[1] == "S02")}
    assert content(three, Draw(2, nonconforming=True, seed=2)) != found


def test_a_draw_depends_on_content_alone(answered: Any, by_action: Any) -> None:
    """Other row numbers, another order of models, another file: the same replies."""

    def say(document: dict[str, Any], sample: int, model: str) -> str:
        return str(by_action(document, document["gold"]))

    names = ["m1", "m2", "m3", "m4"]
    first = closed(answered(say, models=names, samples=3))
    random.Random(5).shuffle(names)
    other = closed(answered(say, models=names, samples=3))
    assert content(first, TWO) == content(other, TWO)
    again = docket(first, runs(first)[::-1], draw=TWO)
    assert again == docket(first, runs(first), draw=TWO)


def test_both_rubrics_judge_the_same(three: StudyFile) -> None:
    """The draw stands in the call, is told by the ledger, and stands for whoever comes next."""
    go(three, "grade-neutral", TWO)
    (scope,) = three.judges.scopes(1)
    assert scope.draw is not None
    assert len(scope.draw.drawn) == 28
    (begun,) = three.ledger.intact("judging begun")
    assert begun.payload["scope"]["draw"]["drawn"] == list(scope.draw.drawn)
    (item, *_) = [i for i in three.waves.items() if i.scenario == "S01"]
    three.waves.withdraw(1, f"S01/{item.condition}", "no use")
    go(three, "grade-metadata", TWO)
    assert three.judges.scopes(2) == {scope}
    asked = [{said.generation for said in three.judges.last(number)} for number in (1, 2)]
    assert asked[1] < asked[0] == set(scope.draw.drawn)  # nobody is asked about what is withdrawn
    counted = [len(ballots(three, panel).ballots) for panel in panels(three.judges)]
    assert counted == [len(asked[1])] * 2
    go(three, "grade-neutral", Draw(2, nonconforming=True, seed=2))
    assert len(three.judges.scopes(1)) == 2
    assert list(judge_faults(three)) == []


def test_what_cannot_be_drawn_yet(answered: Any, by_action: Any) -> None:
    """A run that goes on, or replies that the parser has not read: the draw would change."""
    study = answered(lambda d, _: by_action(d, "heavy"))
    with pytest.raises(Refused, match="run 1 is not closed; a draw is made when all"):
        docket(study, [1], draw=TWO)
    closed(study)
    study._db.execute("DROP TRIGGER scores_kept")
    study._db.execute("DELETE FROM scores WHERE generation < 4")
    with pytest.raises(Refused, match=r"has not read 3 of 24 replies; .* wavelock score"):
        docket(study, [1], draw=TWO)
    with pytest.raises(InputError, match="--per-cell are 1 or more"):
        docket(study, [1], draw=Draw(0, nonconforming=False, seed=1))


def test_thin_cells_are_told(three: StudyFile) -> None:
    """Where a cell has fewer conforming replies than were asked for, all are drawn, and told."""
    wanted = docket(three, runs(three), draw=TWELVE)
    told = list(drawn_in_words(three, wanted.scope, wanted.replies))
    assert told[0] == ("drawn with seed 1: 64 conforming replies in 12 cells of model and "
                       "condition, 4 nonconforming")  # fmt: skip
    assert "m2, Removed: only 4 of 12" in told
    assert len(told) == 13


WRONG = {"S01", "S02", "S03"}
MODELS = tuple(f"m{number}" for number in range(10))


def test_the_form_of_table_15(answered: Any, by_action: Any) -> None:
    """Ten models, four conditions, 504 records: a judge told the constraint fails Removed alone.

    96 of the 120 conforming replies in Removed are right, as in the paper, and 24 nonconforming
    ones are spread over all; 15 of them name their choice in other words.
    """
    other = iter(["labelled"] * 15 + ["unclear"] * 9)

    def say(document: dict[str, Any], sample: int, model: str) -> str:
        place, condition = int(model[1:]), document["condition"]
        last = document["scenario"] == "S13"
        if last and (condition == "Removed" or (condition == "Active" and place < 7)
                     or (condition == "Explicit" and place < 7)):  # fmt: skip
            if next(other) == "unclear":
                return "It depends."
            labels = {o["action"]: o["label"] for o in document["options"]}
            return f"I would say: {labels[document['gold']]}."
        missed = condition == "Removed" and document["scenario"] in WRONG
        missed = missed and (place < 4 or document["scenario"] != "S03")
        return str(by_action(document, "heavy" if missed else document["gold"]))

    study = closed(answered(say, scenarios=13, samples=1, models=MODELS))
    wanted = docket(study, runs(study), draw=TWELVE)
    assert len(wanted.replies) == 504
    for rubric in ("grade-neutral", "grade-metadata"):
        go(study, rubric, TWELVE)
    tables = agreement_tables(study, panels(study.judges), Resampling(replicates=50))
    short, neutral, metadata = tables
    whole = {**dict.fromkeys(CONDITIONS, "120/120"), "Overall": "480/480"}
    rows = [{name: row[name] for name in (*whole, "recovered")} for row in short.rows]
    assert rows[0] == {**whole, "recovered": "15/24"}
    # The paper's judge let one of the 96 pass: 25/120.
    assert {**whole, "Removed": "24/120", "Overall": "384/480"}.items() <= rows[1].items()
    strict = {str(row["condition"]): row["stricter"] for row in metadata.rows}
    assert strict == {**dict.fromkeys(CONDITIONS, 0), "Removed": 96, "Overall": 96}
    assert [row["nonconforming"] for row in neutral.rows][-1] == 24
    assert list(judge_faults(study)) == []
