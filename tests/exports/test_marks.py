"""Each number of a report is marked, everywhere it is written, with the reason why not."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from audit.freezing import freeze as freeze_wave
from audit.inclusion import commit
from audit.registration import amend, freeze
from audit.standing import open_round
from cli.tables import full_report, in_short
from core.estimate import Estimate
from core.figures import Interval, IntervalFigure
from core.registration import Known, Registration
from core.rules import rule_to_json
from core.subsets import Subset
from core.tables import Column, Table
from db.file import StudyFile, open_study
from evals.scoring import score
from exports.cells import written
from exports.families import family_tables
from exports.html import page
from exports.marks import ELSEWHERE, Marks, mark, mark_figure, report_marks
from exports.plain import to_csv, to_json
from suites.core100.suite import SUITE

S = Estimate(0.5, 9, 0.1, 0.8, p=0.01, replicates=100, scheme="iid", seed=1)
TABLE = Table(
    "paired",
    "Paired",
    (Column("model", "Model"), Column("s", "S", "signed"), Column("u", "UA", "share"),
     Column("n", "n", "count")),
    ({"model": "one", "s": S, "u": S, "n": 9}, {"model": "two", "s": S, "u": S, "n": 9}),
    runs=((1,), (2,)),
)  # fmt: skip
NAMED = Marks("sha256:abc…", metrics={"paired.s": "", "paired.u": ""})
HOLM = {"correction": "holm", "alpha": 0.05}


def standings(table: Table) -> list[str | None]:
    return [
        cell.standing for row in table.rows for cell in row.values() if isinstance(cell, Estimate)
    ]


@pytest.mark.parametrize(
    ("marks", "expected", "note"),
    [
        (NAMED, "pppp", "† Preregistered: sha256:abc…."),
        (Marks(whole=("nothing is preregistered",)), "eeee",
         "Exploratory, every number: nothing is preregistered."),
        (replace(NAMED, whole=("seed 2 instead of 1",)), "eeee",
         "Exploratory, every number: seed 2 instead of 1."),
        (replace(NAMED, metrics={"paired.s": ""}), "pepe",
         "† Preregistered: sha256:abc…. All others are exploratory: "
         "UA: not among the registered metrics."),
        (replace(NAMED, metrics={"paired.s": "", "paired.u": "too late"}), "pepe",
         "† Preregistered: sha256:abc…. All others are exploratory: UA: too late."),
        (replace(NAMED, runs={2: "run 2 is exploratory"}), "ppee",
         "† Preregistered: sha256:abc…. All others are exploratory: two: run 2 is exploratory."),
    ],
)  # fmt: skip
def test_marks_are_by_number(marks: Marks, expected: str, note: str) -> None:
    """By metric, by run, or for the whole report; the note says which and why."""
    table = mark(TABLE, marks)
    assert "".join(str(standing)[0] for standing in standings(table)) == expected
    assert table.notes == (note,)


def test_a_table_that_names_no_runs_rests_on_all(workshop: Any) -> None:
    """What does not say which runs are below it may rest on the exploratory one."""
    marks = replace(NAMED, runs={2: "run 2 is exploratory"})
    assert set(standings(mark(replace(TABLE, runs=None), marks))) == {"exploratory"}
    assert set(standings(mark(replace(TABLE, runs=((), ())), marks))) == {"preregistered"}


def test_a_table_without_estimates_is_left_alone() -> None:
    """Counts and texts are facts; nothing is said of them."""
    table = replace(TABLE, rows=({"model": "one", "n": 9},))
    assert mark(table, NAMED) == table


def test_the_mark_is_in_every_form() -> None:
    """Terminal and page have a sign, CSV a column, JSON a field."""
    table = mark(TABLE, replace(NAMED, metrics={"paired.s": ""}))
    cell = table.rows[0]["s"]
    assert written(cell, TABLE.columns[1]) == "+0.500 † [+0.10, +0.80]"
    assert "†" not in written(table.rows[0]["u"], TABLE.columns[2])
    (row, _) = csv.DictReader(StringIO(to_csv(table)))
    assert (row["s_standing"], row["u_standing"]) == ("preregistered", "exploratory")
    assert json.loads(to_json(table))["rows"][0]["s"]["standing"] == "preregistered"
    html = page("t", "s", [table], [], {})
    assert "+0.500 †" in html
    assert "All others are exploratory" in html
    assert "standing" not in to_csv(TABLE)


def figure(*metrics: str) -> IntervalFigure:
    return IntervalFigure("f", "F", "S", (Interval("one", S),), (-1, 1), metrics=metrics)


@pytest.mark.parametrize(
    ("metrics", "notes"),
    [
        (("paired.s",), ("Preregistered, every number.",)),
        (("paired.u",), ("Exploratory, every number.",)),
        (("paired.s", "paired.u"),
         ("Preregistered: one (paired.s), two (paired.s); exploratory: one (paired.u), "
          "two (paired.u).",)),
        ((), (ELSEWHERE,)),
    ],
)  # fmt: skip
def test_a_figure_says_what_its_tables_say(metrics: Sequence[str], notes: Sequence[str]) -> None:
    """A figure draws columns of tables, and its note says how they are marked."""
    table = mark(TABLE, replace(NAMED, metrics={"paired.s": ""}))
    assert mark_figure(figure(*metrics), [table]).notes == notes


def plan(*families: Mapping[str, Any]) -> Registration:
    return Registration(0, {"families": list(families)}, "h", Known(0, 0, 0, 0), "t")


def test_a_family_is_corrected_among_its_own() -> None:
    """Only preregistered numbers are in it; Holm is worked by hand: 2 x .01, then .04."""
    rows = ({"model": "one", "s": S}, {"model": "two", "s": replace(S, p=0.04)},
            {"model": "three", "s": replace(S, p=0.001)})  # fmt: skip
    table = mark(
        replace(TABLE, rows=rows, runs=((1,), (2,), (3,))), replace(NAMED, runs={3: "exploratory"})
    )
    (found,) = family_tables(plan({"name": "F1", "tests": ["paired.s"], **HOLM}), [table])
    assert [(r["test"], r["corrected"], r["rejected"]) for r in found.rows] == [
        ("one: paired.s", 0.02, "yes"),
        ("two: paired.s", 0.04, "yes"),
    ]
    assert found.notes == ("F1: holm over 2 tests, rejected at corrected p <= 0.05.",)


def test_a_family_with_a_hole_is_not_corrected() -> None:
    """A number without a p would make the family smaller than it was planned."""
    rows = ({"model": "one", "s": S}, {"model": "two", "s": replace(S, p=None)})
    table = mark(replace(TABLE, rows=rows), NAMED)
    (found,) = family_tables(plan({"name": "F1", "tests": ["paired.s"], **HOLM}), [table])
    assert [r["corrected"] for r in found.rows] == [None, None]
    assert found.notes[1] == "F1 is not corrected: two: paired.s has no p-value."


def test_two_configurations_of_one_model_are_two_tests() -> None:
    """Rows of one label are kept apart, in marks and in families."""
    rows = ({"model": "one", "s": S}, {"model": "one", "s": replace(S, p=0.04)})
    family = {"name": "F1", "tests": ["paired.s"], **HOLM}
    (found,) = family_tables(plan(family), [mark(replace(TABLE, rows=rows), NAMED)], ["simulated"])
    assert [r["test"] for r in found.rows] == ["one: paired.s", "one: paired.s (2)"]
    assert found.title == "Registered families of tests (simulated)"
    half = mark(replace(TABLE, rows=rows), replace(NAMED, runs={2: "run 2 is exploratory"}))
    assert standings(half) == ["preregistered", "exploratory"]


def test_without_families_there_is_no_table() -> None:
    """Nothing registered, nothing shown; a family of which nothing was run says so."""
    assert family_tables(None, [TABLE]) == family_tables(plan(), [TABLE]) == ()
    (empty,) = family_tables(plan({"name": "F1", "tests": ["paired.s"], **HOLM}), [TABLE])
    assert empty.rows == ()


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    """A registered study of four scenarios with one registered run."""
    found: StudyFile = workshop.create(tmp_path / "study.db", 4)
    campaign = workshop.plan(found)
    analysis = {"seed": 1, "replicates": 200, "metrics": ["paired.selectivity"]}
    document = workshop.document(
        found, [campaign], rule=rule_to_json(campaign.rule), analysis=analysis
    )
    freeze(found, document)
    open_round(found, campaign)
    commit(found, workshop.rate(found, campaign))
    freeze_wave(found, SUITE)
    workshop.run(found, exploratory=False)
    score(found, SUITE.verifiers)
    return found


def paired(study: StudyFile, **asked: Any) -> dict[str, tuple[str, str]]:
    """Return the standing of S and of UA by model."""
    return {model: (s, ua) for model, s, ua in marked(study, **asked)}


def marked(study: StudyFile, **asked: Any) -> list[tuple[str, str, str]]:
    """Return model, standing of S and standing of UA, row by row."""
    report = full_report(study, **{"seed": 1, "replicates": 200, **asked})
    (table,) = (table for table in report.tables if table.name == "paired")
    return [
        (str(row["model"]), row["selectivity"].standing, row["ua"].standing)  # type: ignore[union-attr]
        for row in table.rows
    ]


P, E = "preregistered", "exploratory"


def test_an_imported_run_is_never_preregistered(study_path: Path) -> None:
    """Whatever rests on it is exploratory, and the reason says that it was imported."""
    with open_study(study_path) as study:
        run = study.runs.start("scripted", "imported", {"samples": 2})
        marks = report_marks(study, study.waves.all(), code="x", seed=1, replicates=10)
    assert marks.runs[run.id] == f"run {run.id} was imported"


def test_a_registered_study_is_marked_so(study: StudyFile, workshop: Any) -> None:
    """The registered metric of the registered run; an exploratory run beside it is not."""
    name = "scripted (no model)"
    assert paired(study) == {name: (P, E)}
    workshop.run(study, "another")
    workshop.run(study, samples=3)
    score(study, SUITE.verifiers)
    assert sorted(marked(study)) == [
        ("another (no model)", E, E), (name, E, E), (name, P, E)
    ]  # fmt: skip
    report = in_short(full_report(study, seed=1, replicates=200).tables)
    names = [table.name for table in report if not table.name.startswith("construction")]
    assert names == ["paired", "human", "states", "families", "agreement", "decisions"]


@pytest.mark.parametrize("asked", [{"seed": 2}, {"replicates": 300}])
def test_another_analysis_is_exploratory(study: StudyFile, asked: dict[str, int]) -> None:
    """Another seed and other replicates are not those of the plan."""
    assert set(paired(study, **asked).values()) == {(E, E)}


@pytest.mark.parametrize("subset", [Subset(waves=(1,)), Subset(without_pilot=True)])
def test_a_restricted_analysis_is_exploratory(study: StudyFile, subset: Subset) -> None:
    """Whoever may choose the items after the answers came has registered nothing about them."""
    assert set(paired(study, subset=subset).values()) == {(E, E)}
    (table, *_) = full_report(study, seed=1, replicates=200, subset=subset).tables
    assert any(f"restricted: {subset.words}" in note for note in table.notes)


def test_other_code_is_exploratory(study: StudyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the code that computes is not the registered one, no number is preregistered."""
    monkeypatch.setattr("cli.tables.analysis_version", lambda: "sha256:other")
    assert set(paired(study).values()) == {(E, E)}


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"metrics": ["paired.selectivity", "paired.ua"]},
         "UA: named only by amendment 1, after 16 ratings and 16 outputs"),
        ({"seed": 2}, "seed changed by amendment 1, after 16 ratings and 16 outputs"),
    ],
)  # fmt: skip
def test_what_is_named_late_is_exploratory(
    study: StudyFile, change: dict[str, Any], note: str
) -> None:
    """An amendment that could have looked makes no number preregistered."""
    document = {**study.registrations.versions()[0].document}
    document["analysis"] = {**document["analysis"], **change}
    amend(study, document, reason="x", seen_ratings=True, seen_outputs=True)
    report = full_report(study, seed=document["analysis"]["seed"], replicates=200)
    (table,) = (table for table in report.tables if table.name == "paired")
    assert note in " ".join(table.notes)
    ua = table.rows[0]["ua"]
    assert isinstance(ua, Estimate)
    assert ua.standing == E


def test_an_early_amendment_is_as_good_as_a_plan(workshop: Any, tmp_path: Path) -> None:
    """Before anything was there to see, a plan may be bettered."""
    study = workshop.create(tmp_path / "s.db", 4)
    campaign = workshop.plan(study)
    analysis = {"seed": 1, "replicates": 200, "metrics": ["paired.p_a"]}
    document = workshop.document(
        study, [campaign], rule=rule_to_json(campaign.rule), family=[], analysis=analysis
    )
    freeze(study, document)
    document = {**document, "analysis": {**analysis, "metrics": ["paired.selectivity"]}}
    amend(study, document, reason="better", seen_ratings=False, seen_outputs=False)
    open_round(study, campaign)
    commit(study, workshop.rate(study, campaign))
    freeze_wave(study, SUITE)
    workshop.run(study, exploratory=False)
    score(study, SUITE.verifiers)
    assert paired(study) == {"scripted (no model)": (P, E)}
