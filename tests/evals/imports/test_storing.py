"""What is stored of a file, what is not, and what happens when it comes again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.verify import study_faults
from core.errors import CheckFailed, Refused
from db.waves import FrozenDocument
from evals.imports import storing
from evals.models import parse_model
from evals.registered import standing
from evals.run_tables import check, status_table
from evals.runner import run as run_model
from evals.scoring import score
from evals.verifiers.catalogue import verifier
from exports.report import collect
from suites.core100.choices import model_answers
from tests.evals.conftest import document
from tests.evals.imports.theirs import json_lines


def row(importer: Any, item: int = 0, said: str = "a", **more: Any) -> dict[str, Any]:
    return {"key": importer.key(item), "response": said, "model": "m", **more}


def test_one_wrong_row_refuses_the_whole_file(importer: Any) -> None:
    """Nothing is stored; --partial takes the rest, and the ledger has the counts."""
    rows = [row(importer), {"prompt": "Who?", "response": "a", "model": "m"}]
    path = importer.file("x.jsonl", json_lines(rows))
    before = "\n".join(importer.study._db.conn.iterdump())
    with pytest.raises(CheckFailed, match="1 unmatched; nothing was imported; --partial"):
        importer.take(path)
    assert "\n".join(importer.study._db.conn.iterdump()) == before
    assert [each.generations for each in importer.take(path, partial=True).added] == [1]
    entry = importer.study.ledger.entries()[-1]
    assert entry.event == "generations imported"
    told = entry.payload
    assert (told["partial"], told["records"], told["generations"]) == (True, 2, 1)
    assert told["left"] == {"duplicate": 0, "conflict": 0, "unmatched": 1, "unreadable": 0}
    wrong = importer.file("y.jsonl", json_lines(rows[1:]))
    with pytest.raises(CheckFailed, match=r"1 unmatched; nothing was imported$"):
        importer.take(wrong, partial=True)


def test_twice_and_in_conflict(importer: Any) -> None:
    """The same again is left out; of two that differ neither is taken."""
    rows = [
        row(importer, 0, "a", sample=1), row(importer, 0, "a", sample=1),
        row(importer, 1, "a", sample=1), row(importer, 1, "b", sample=1),
        row(importer, 1, "c", sample=1), row(importer, 1, "a", sample=2),
    ]  # fmt: skip
    path = importer.file("x.jsonl", json_lines(rows))
    taken = importer.take(path, partial=True)
    assert taken.reasons == [
        ("duplicate", "line 2", "S01/Active, sample 1: the same as line 1"),
        ("conflict", "line 3", "S01/Removed, sample 1: line 4 says something else"),
        ("conflict", "line 4", "S01/Removed, sample 1: line 3 says something else"),
        ("conflict", "line 5", "S01/Removed, sample 1: line 3 says something else"),
    ]
    assert taken.counts == {"new": 2, "duplicate": 1, "conflict": 3}
    assert [(name, n, text) for name, n, _, text in importer.texts(1)] == [
        ("S01/Active", 1, "a"), ("S01/Removed", 2, "a"),
    ]  # fmt: skip
    assert importer.take(importer.file("y.jsonl", json_lines(rows[:2]))).counts == {
        "stored": 1, "duplicate": 1,
    }  # fmt: skip


def test_the_same_file_again_adds_nothing(importer: Any) -> None:
    """No run, no generation and no entry in the ledger."""
    path = importer.file("x.jsonl", json_lines([row(importer), row(importer, 1)]))
    importer.take(path)
    before = "\n".join(importer.study._db.conn.iterdump())
    again = importer.take(path)
    assert (again.counts, again.added) == ({"stored": 2}, ())
    assert "\n".join(importer.study._db.conn.iterdump()) == before


def test_a_second_file_of_the_same_run(importer: Any) -> None:
    """Other samples are added to the run; what contradicts it is refused."""
    importer.take(importer.file("x.jsonl", json_lines([row(importer), row(importer, 1)])))
    more = importer.file("y.jsonl", json_lines([row(importer, 0, "b"), row(importer, 1, "b")]))
    looked = importer.look(more)
    assert looked.reasons[0] == (
        "conflict", "line 1", "S01/Active, sample 1: run 1 has another answer",
    )  # fmt: skip
    assert [each.run for each in importer.take(more, sample_offset=1).added] == [1]
    assert Counter(sample for _, sample, _, _ in importer.texts(1)) == {1: 2, 2: 2}
    assert importer.take(more, sample_offset=1).counts == {"stored": 2}
    assert study_faults(importer.study) == ()
    other = importer.file("z.jsonl", json_lines([row(importer, 0, "b", temperature=1)]))
    assert [each.run for each in importer.take(other).added] == [2]


def test_an_answer_takes_the_place_of_an_error(importer: Any) -> None:
    """What failed may come again; an answer stands, and both imports verify."""
    importer.take(importer.file("x.jsonl", json_lines([row(importer, error="boom")])))
    taken = importer.take(importer.file("y.jsonl", json_lines([row(importer, 0, "b")])))
    assert taken.counts == {"new": 1}
    assert importer.texts(1) == [("S01/Active", 1, "ok", "b")]
    failed = importer.file("z.jsonl", json_lines([row(importer, error="boom again")]))
    with pytest.raises(CheckFailed, match="1 conflict"):
        importer.take(failed)
    assert study_faults(importer.study) == ()


def test_a_wave_that_came_after_a_run_gets_a_run_of_its_own(importer: Any) -> None:
    """Outputs of a run never come before what it was asked was frozen."""
    importer.take(importer.file("x.jsonl", json_lines([row(importer)])))
    facts = importer.study.items.facts()
    fresh = [
        FrozenDocument(r.item, r.id, document(r, facts[r.scenario]))
        for r in importer.study.items.latest()
        if r.condition == "Explicit"
    ]
    importer.study.waves.freeze("declared", {}, fresh)
    importer.items = importer.study.waves.items()
    rows = [row(importer, n) for n in range(len(importer.items))]
    taken = importer.take(importer.file("y.jsonl", json_lines(rows)))
    assert taken.counts == {"new": 5, "stored": 1}
    assert {each.run: each.generations for each in taken.added} == {1: 3, 2: 2}
    assert study_faults(importer.study) == ()


def test_a_dropped_run_takes_no_more(importer: Any) -> None:
    """The same file comes into a run of its own."""
    path = importer.file("x.jsonl", json_lines([row(importer)]))
    importer.take(path)
    importer.study.run_drops.drop(1, "the settings were wrong")
    assert [each.run for each in importer.take(path).added] == [2]


def test_a_file_that_changes_while_it_is_read(
    importer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is stored."""
    path = importer.file("x.jsonl", json_lines([row(importer)]))
    begun: Callable[..., Any] = storing._begun

    def changing(*arguments: Any) -> Any:
        path.write_text(json_lines([row(importer, 0, "b")]))
        return begun(*arguments)

    monkeypatch.setattr(storing, "_begun", changing)
    with pytest.raises(CheckFailed, match="changed while it was read"):
        importer.take(path)
    assert importer.study.runs.all() == ()
    assert importer.study.ledger.entries()[-1].event == "wave frozen"


def test_nothing_frozen_and_something_changed(
    make_study: Callable[..., Any], importer: Any
) -> None:
    """Without a wave there is nothing to import; a frozen item that was edited is said first."""
    path = importer.file("x.jsonl", json_lines([row(importer)]))
    importer.study = make_study(frozen=())
    with pytest.raises(Refused, match="nothing is frozen yet"):
        importer.take(path)


def test_imported_runs_are_shown_as_such_and_are_never_continued(importer: Any) -> None:
    """Tables say imported; a run of the same name is another one; scores are as of any run."""
    rows = [row(importer, n, "Answer: A") for n in (0, 1)]
    importer.take(importer.file("x.jsonl", json_lines(rows)), model="scripted")
    study = importer.study
    assert score(study) == 2
    found = check(study, 1)
    assert found.faults == ()
    assert [r["expected"] for r in found.tables[0].rows] == [None, None]
    assert "Run 1 was imported: it has 1 sample of 2 items" in found.tables[0].notes[-1]
    (shown,) = status_table(study).rows
    assert (shown["is"], shown["expected"], shown["per_minute"]) == ("imported", None, None)
    summary = run_model(study, parse_model("scripted"), conditions=("Active",), samples=1)
    assert (summary.run, summary.complete) == (2, True)
    assert len(importer.texts(1)) == 2


def test_an_imported_run_is_never_preregistered(importer: Any) -> None:
    """It is exploratory: a plan says what is asked and when, and of this nobody here knows."""
    importer.take(importer.file("x.jsonl", json_lines([row(importer)])))
    (run,) = importer.study.runs.all()
    assert importer.study.registrations.of_run(run.id) is None
    with pytest.raises(Refused, match="nothing is preregistered"):
        standing(importer.study, run.model, run.config)


def test_an_intervention_is_a_key_of_its_own_and_in_no_table(importer: Any) -> None:
    """The same prompt under an intervention is another generation, and no answer to the item."""
    rows = [row(importer, 0, "Answer: A"), row(importer, 0, "Answer: B", intervention="nudged")]
    importer.take(importer.file("x.jsonl", json_lines(rows)))
    study = importer.study
    assert [(g.intervention, g.sample) for g in study.runs.generations(1)] == [
        ("", 1), ("nudged", 1),
    ]  # fmt: skip
    score(study)
    data = collect(study, [verifier("forced-choice")], seed=1, replicates=10)
    (answers,) = model_answers(data)
    assert [generation.intervention for generation in answers.generations] == [""]


def test_two_imported_runs_of_one_name_are_told_apart(importer: Any) -> None:
    """Other settings are another run; its label has the number of the run."""
    for place, temperature in enumerate((0, 1)):
        rows = [row(importer, 0, "Answer: A", temperature=temperature)]
        importer.take(importer.file(f"{place}.jsonl", json_lines(rows)))
    data = collect(importer.study, [], seed=1, replicates=10)
    assert [answers.label for answers in model_answers(data)] == ["m (run 1)", "m (run 2)"]


def the_same_file(importer: Any, path: Path) -> None:
    importer.take(path)


def another_file(importer: Any, _: Path) -> None:
    importer.take(importer.file("y.jsonl", json_lines([row(importer, 2, "c")])))


def a_withdrawal(importer: Any, _: Path) -> None:
    importer.study.waves.withdraw(1, "S01/Removed", "a slip")


@pytest.mark.parametrize("before", [False, True], ids=["a new run", "a run that is there"])
@pytest.mark.parametrize("meanwhile", [the_same_file, another_file, a_withdrawal])
def test_what_another_process_does_while_a_file_is_read(
    importer: Any, *, before: bool, meanwhile: Callable[..., None]
) -> None:
    """Nothing is stored twice, and nothing but what the report said; then it can come again."""
    if before:
        importer.take(importer.file("z.jsonl", json_lines([row(importer, 3, "d")])))
    path = importer.file("x.jsonl", json_lines([row(importer), row(importer, 1, "b")]))
    found = importer.look(path).found
    meanwhile(importer, path)
    held = [importer.texts(run.id) for run in importer.study.runs.all()]
    head = importer.study.ledger.head()
    if before and meanwhile is another_file:  # that one came into the same run, beside this one
        assert [each.run for each in storing.store(importer.study, found, partial=False)] == [1]
    else:
        with pytest.raises(CheckFailed, match="nothing was imported; import it again"):
            storing.store(importer.study, found, partial=False)
        assert [importer.texts(run.id) for run in importer.study.runs.all()] == held
        assert importer.study.ledger.head() == head
    importer.take(path, partial=True)
    (run,) = importer.study.runs.all()
    names = [text[:2] for text in importer.texts(run.id)]
    assert len(set(names)) == len(names) > 0
    assert study_faults(importer.study) == ()
