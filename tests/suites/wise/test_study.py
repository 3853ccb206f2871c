"""WISE in a study file: drafted, frozen as declared, run, scored, reported, surveyed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from annotate.simulate import simulate_ratings
from annotate.sitting import RatingSitting
from cli.main import cli
from core.errors import CheckFailed, Refused
from db.file import open_study
from evals.models import parse_model
from evals.runner import run
from evals.scoring import score
from evals.verifiers.catalogue import faults
from suites.base import frozen_document
from suites.wise.suite import SUITE
from suites.wise.tasks import shipped

# What a report must be able to name: the paper's Tables 1 to 25 and Figures 2 to 8.
TABLES = {
    "forms", "exact", "controls", "avoidance", "ranking", "json", "models", "paired-failures",
    "failures", "multiplicity", "audit", "floor", "keyword", "range", "controls-models",
    "json-models", "range-models", "keyword-models", "exact-models", "avoidance-models",
    "bootstrap", "human", "human-agreement", "human-models", "surface", "reruns", "sets", "states",
}  # fmt: skip
FIGURES = {"across", "errors-avoidance", "gaps-avoidance", "directions-avoidance",
           "contrasts-exact", "contrasts-avoidance"}  # fmt: skip


def call(path: Path, *words: str) -> str:
    done = CliRunner().invoke(cli, ["--study", str(path), *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four tasks, frozen, run by the fake, scored, and a rehearsed survey; only copied."""
    folder = tmp_path_factory.mktemp("wise")
    lines = [
        json.dumps({"id": t.id, "task": t.task, "target": t.target, "keyword": t.keyword,
                    "fields": list(t.fields)})
        for t in shipped()[:4]
    ]  # fmt: skip
    (folder / "tasks.jsonl").write_text("\n".join(lines), "utf-8")
    path = folder / "study.db"
    call(path, "init", str(path), "--suite", "wise", "--from", str(folder))
    call(path, "items", "check")
    call(path, "wave", "freeze", "--declared")
    with open_study(path) as study:
        done = run(study, parse_model("scripted"), conditions=SUITE.run_conditions,
                   samples=SUITE.run_defaults.samples)  # fmt: skip
        assert (done.present, done.expected) == (300, 300)
        assert score(study) == 300
    call(path, "round", "plan", "survey", "--kind", "rehearsal", "--design", "crossed",
         "--seats", "5", "--auditors", "0", "--conditions", "wording/*")  # fmt: skip
    call(path, "round", "check", "survey")
    with open_study(path) as study:
        campaign = study.rounds.open(study.rounds.named("survey").id)
        assert simulate_ratings(study, campaign, seed=1) == 120
        study.rounds.close(campaign.id)
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "study.db"))


def test_what_people_rate_for_its_own_sake_is_not_frozen(path: Path) -> None:
    """Declaring freezes what models are asked, each item readable; the survey can be planned."""
    with open_study(path) as study:
        frozen = study.waves.items()
        latest = study.items.latest()
        facts = study.items.facts()
    assert {item.condition for item in frozen} == set(SUITE.run_conditions)
    assert {r.condition for r in latest} - {i.condition for i in frozen} == set(SUITE.surveyed)
    documents = [frozen_document(SUITE, r, facts[r.scenario], "salt") for r in latest]
    assert [fault for document in documents for fault in faults(document)] == []
    again = CliRunner().invoke(cli, ["--study", str(path), "wave", "freeze", "--declared"])
    assert isinstance(again.exception, Refused)
    call(path, "round", "plan", "later", "--design", "crossed", "--seats", "5", "--auditors", "0",
         "--conditions", "wording/*")  # fmt: skip


def test_what_people_were_surveyed_on_does_not_keep_the_rest_from_being_declared(
    path: Path,
) -> None:
    """A survey decides nothing, so it may come before the wave as well as after it."""
    early = path.parent / "early.db"
    own = path.parent / "own"
    own.mkdir()
    (own / "tasks.csv").write_text("id,task,target\nx,Name a fruit.,5\n", "utf-8")
    call(early, "init", str(early), "--suite", "wise", "--from", str(own))
    call(early, "round", "plan", "survey", "--design", "crossed", "--seats", "2", "--ratings", "2",
         "--auditors", "0", "--conditions", "wording/*")  # fmt: skip
    with open_study(early) as study:
        study.rounds.open(study.rounds.named("survey").id)
    done = CliRunner().invoke(cli, ["--study", str(early), "wave", "freeze", "--declared"])
    assert done.exit_code == 0, done.output
    assert "24 items that people rate for their own sake stay unfrozen" in done.stderr


def test_every_table_and_figure_is_there_by_name(path: Path) -> None:
    """Each by name in `wavelock report NAME`; all together in the report."""
    whole = json.loads(call(path, "report", "--replicates", "40", "--json"))
    names = {table["name"] for table in whole}
    assert names >= TABLES
    page = path.parent / "page.html"
    call(path, "report", "--replicates", "40", "--html", str(page))
    assert page.read_text("utf-8").count("<svg") >= len(FIGURES) - 1
    for name in ("audit", "contrasts-exact"):
        assert call(path, "report", name, "--replicates", "40").strip()
    wrong = CliRunner().invoke(cli, ["--study", str(path), "report", "nosuch"])
    assert "nosuch" in str(wrong.exception)
    for figure in FIGURES:
        assert figure in str(wrong.exception)


def test_the_survey_reaches_the_tables_without_a_wave_and_says_simulated(path: Path) -> None:
    """Five annotators, 24 items, judgments, agreement and the join; a rehearsal is called so."""
    # The fake is at the floor, which would leave the primary set empty.
    call(path, "sets", "declare", "primary", "--models", "scripted", "--reason", "the only one")
    tables = json.loads(
        call(path, "report", "human", "human-agreement", "human-models", "--replicates", "40",
             "--json")
    )  # fmt: skip
    for table in tables:
        assert "simulated ratings" in table["title"]
    human, agreement, beside = tables
    assert [row["n"] for row in human["rows"]] == [20] * 6
    assert {row["items"] for row in agreement["rows"]} == {24}
    assert [row["measure"] for row in agreement["rows"]] == [
        "exact", "clarity", "naturalness", "ambiguity", "complexity",
    ]  # fmt: skip
    assert beside["rows"][0]["compliance"]["value"] is not None


def test_people_take_the_place_of_a_rehearsal(path: Path) -> None:
    """Simulated and human judgments are never mixed: once people have rated, only they count."""
    call(path, "round", "plan", "people", "--design", "crossed", "--seats", "2", "--ratings", "2",
         "--auditors", "0", "--conditions", "wording/*")  # fmt: skip
    answers = {"exact": True, "clarity": 5, "naturalness": 2, "ambiguity": 1, "complexity": 3}
    with open_study(path) as study:
        campaign = study.rounds.open(study.rounds.named("people").id)
        for seat in study.rounds.seats(campaign.id, "rater"):
            sitting = RatingSitting.at_seat(study, seat)
            while not sitting.finished:
                sitting.save(answers)
                sitting.forward()
            sitting.leave()
        study.rounds.close(campaign.id)
    human = json.loads(call(path, "report", "human", "--replicates", "40", "--json"))
    assert "simulated" not in human["title"]
    assert [(row["n"], row["share"]["value"]) for row in human["rows"]] == [(8, 1.0)] * 6


def test_a_target_changed_after_freezing_stops_every_run(path: Path) -> None:
    """The wave no longer holds what was frozen: no model is asked anything."""
    with open_study(path) as study:
        db = study._db
        for table in ("revisions", "scenarios"):
            (name,) = db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name = ?",
                [f"{table}_unchanged"],
            ).fetchone()
            db.execute(f"DROP TRIGGER {name}")
        db.execute(
            'UPDATE revisions SET parameters = \'{"word-count":{"exactly":6}}\' WHERE id = '
            "(SELECT revision FROM wave_items WHERE scenario = 'W001' AND condition = 'exact/POS')"
        )
        with pytest.raises(CheckFailed, match="W001/exact/POS: parameters"):
            run(study, parse_model("scripted"), conditions=["range/POS"], samples=1)


def test_panels_that_own_tasks_lack_are_not_asked_and_that_is_said(tmp_path: Path) -> None:
    """Tasks without keywords and keys can be run; what is not frozen is named."""
    (tmp_path / "tasks.csv").write_text("id,task,target\nx,Name a fruit.,5\n", "utf-8")
    own = tmp_path / "own.db"
    call(own, "init", str(own), "--suite", "wise", "--from", str(tmp_path))
    call(own, "wave", "freeze", "--declared")
    done = CliRunner().invoke(
        cli, ["--study", str(own), "run", "--exploratory", "--model", "scripted"]
    )
    assert done.exit_code == 0
    assert "not frozen, so not asked: keyword/POS" in done.stderr
    with open_study(own) as study:
        assert len(study.runs.generations()) == (6 + 6 + 4 + 3) * 3
        score(study)
    tables = {t["name"] for t in json.loads(call(own, "report", "--replicates", "40", "--json"))}
    assert "range" in tables
    assert "keyword" not in tables


def test_a_run_takes_the_suite_s_defaults(path: Path) -> None:
    """Three samples, all panels, and no prefill, which would be counted as words."""
    call(path, "run", "--exploratory", "--model", "scripted", "--conditions", "range/*")
    with open_study(path) as study:
        latest = study.runs.all()[-1]
        assert latest.config["samples"] == 3
        assert latest.config["conditions"] == ["range/AVOID", "range/NEG", "range/POS"]
    both = CliRunner().invoke(
        cli,
        [
            "--study",
            str(path),
            "run",
            "--model",
            "scripted",
            "--model",
            "http://127.0.0.1:9",
            "--api-model",
            "m",
        ],
    )
    assert isinstance(both.exception, Refused)  # once for all models, not once for each
    assert "nothing is preregistered" in str(both.exception)
    assert SUITE.run_defaults.max_tokens == 120
    assert SUITE.run_defaults.prefill == ""
    assert set(SUITE.run_conditions).isdisjoint(SUITE.surveyed)


def test_imported_outputs_are_a_model_of_their_own(path: Path) -> None:
    """Every title says so, and nobody else is held against the repetitions that they have."""
    exported, answers = path.with_name("p.jsonl"), path.with_name("a.jsonl")
    call(path, "export", "prompts", str(exported), "--conditions", "exact/*")
    rows = [json.loads(line) for line in exported.read_text("utf-8").splitlines()]
    assert len({row["prompt_hash"] for row in rows}) == len(rows)
    lines = [
        json.dumps({**row, "response": "one two three four five", "model": "theirs", "sample": n})
        for row in rows for n in range(1, 6)
    ]  # fmt: skip
    answers.write_text("\n".join(lines), "utf-8")
    call(path, "import", "generations", str(answers))
    call(path, "score")
    (states,) = [json.loads(call(path, "report", "states", "--replicates", "50", "--json"))]
    found = {(row["model"], row["panel"]): row for row in states["rows"]}
    theirs, fake = found["theirs", "exact"], found["scripted", "exact"]
    assert (theirs["expected"], theirs["ok"]) == (3 * len(rows), len(lines))
    assert fake["expected"] == fake["ok"] == 3 * len(rows)
    assert "theirs: imported outputs" in states["title"]
    (models,) = [json.loads(call(path, "report", "models", "--replicates", "50", "--json"))]
    (row,) = [row for row in models["rows"] if row["model"] == "theirs"]
    assert (row["provider"], row["last"], row["panels"]) == ("imported", "imported", "exact")


def test_a_text_of_several_items_comes_back_by_its_key(path: Path) -> None:
    """Panels run copies of one wording: by text alone nobody could tell whose the reply is."""
    exported, answers = path.with_name("p.jsonl"), path.with_name("a.jsonl")
    call(path, "export", "prompts", str(exported), "--conditions", "*/POS")
    rows = [json.loads(line) for line in exported.read_text("utf-8").splitlines()]
    assert len({row["prompt"] for row in rows}) < len(rows)
    told = [{"key": row["key"], "prompt": row["prompt"], "response": "a b"} for row in rows]
    answers.write_text("\n".join(map(json.dumps, told)), "utf-8")
    call(path, "import", "generations", str(answers), "--model", "theirs")
    told = [{"prompt": row["prompt"], "response": "a b"} for row in rows]
    answers.write_text("\n".join(map(json.dumps, told)), "utf-8")
    words = ["import", "generations", str(answers), "--model", "others"]
    done = CliRunner().invoke(cli, ["--study", str(path), *words])
    assert isinstance(done.exception, CheckFailed)
    assert "frozen items have this prompt" in " ".join(done.stdout.split())
