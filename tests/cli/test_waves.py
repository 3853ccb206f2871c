"""Waves by commands: declared, withdrawn, restricted; and every title that says so."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from audit.freezing import freeze
from db.file import open_study
from evals.scoring import score
from suites.core100.suite import SUITE

FEW = ("--replicates", "200")
# Tables in which nothing is computed over frozen texts.
UNFROZEN = {f"construction-{name}" for name in ("fates", "candidates", "carry-over", "exposure")}


@pytest.fixture
def two_waves(workshop: Any, tmp_path: Path) -> Path:
    """A study with a pilot wave of two scenarios, a main wave of three, and a run on both."""
    path = tmp_path / "two.db"
    study = workshop.create(path, 5)
    for name, kind, scenarios in (
        ("early", "pilot", ("S01", "S02")),
        ("later", "main", ("S03", "S04", "S05")),
    ):
        workshop.decided(study, name, kind=kind, scenarios=scenarios, ratings=2)
        freeze(study, SUITE)
    workshop.run(study)
    score(study, SUITE.verifiers)
    return path


def test_declared_waves_are_called_so_wherever_they_show(wavelock: Any, tmp_path: Path) -> None:
    """Freezing, listing, the ledger, every table of a report, its page and its provenance."""
    path, page = tmp_path / "study.db", tmp_path / "page.html"
    wavelock("init", path, "--suite", "core100")

    def go(*arguments: Any) -> Any:
        done = wavelock("--study", path, *arguments)
        assert done.code == 0, done
        return done

    said = "not human-validated"
    assert f"wave 1 (declared, {said}): 64 items frozen" in go("wave", "freeze", "--declared").err
    assert said in go("wave", "list").out
    assert f"wave 1 frozen (declared, {said})" in go("ledger", "show", "--kind", "wave").out
    go("run", "--model", "scripted", "-k", "1", "--exploratory")
    go("score")
    tables = json.loads(go("report", "--json", *FEW).out)
    assert tables
    assert all(said in table["title"] for table in tables)
    go("report", "--html", page, *FEW)
    assert f"wave 1 (declared, {said})" in page.read_text("utf-8")
    assert wavelock("--study", path, "wave", "freeze", "--declared").code == 2
    assert wavelock("--study", path, "wave", "freeze", "--declared", "--round", "x").code == 2


def test_broken_rules_are_told_line_by_line_and_stop_the_freezing(
    wavelock: Any, workshop: Any, tmp_path: Path
) -> None:
    """Exit code 1, a line for each, nothing frozen; with a reason it is, and that is said."""
    path = tmp_path / "study.db"
    workshop.create(path, 2)
    checked = json.loads(
        wavelock("--study", path, "items", "check", "--json", "--table", "faults").out
    )
    go = ("--study", path, "wave", "freeze", "--declared")
    refused = wavelock(*go)
    assert (refused.code, refused.out) == (1, "")
    *breaches, last = refused.err.splitlines()
    assert len(breaches) == len(checked["rows"])
    assert all(line.startswith(("S01", "S02")) for line in breaches)
    assert last.startswith(f"wavelock: nothing was frozen: {len(breaches)} breaches of")
    done = wavelock(*go, "--despite-breaches", "drafts of a test")
    assert done.code == 0
    assert (
        f"in spite of {len(breaches)} breaches of the construction rules: drafts of a" in done.err
    )
    assert "(drafts of a test)" in wavelock("--study", path, "ledger", "show").out
    assert wavelock("--study", path, "ledger", "verify").code == 0
    sound = tmp_path / "sound.db"
    wavelock("init", sound, "--suite", "core100")
    needless = wavelock("--study", sound, *go[2:], "--despite-breaches", "in case")
    assert needless.code == 0
    assert "every construction rule holds, so no reason was logged" in needless.err


def test_a_frozen_document_can_be_hashed_by_anybody(
    wavelock: Any, study_path: Path, tmp_path: Path
) -> None:
    """What is printed is byte for byte what was hashed."""
    with open_study(study_path) as study:
        wave = study.waves.all()[0]
        item = study.waves.items()[0]
    for arguments, hashed in (((), wave.hash), ((item.name,), item.hash)):
        printed = wavelock("--study", study_path, "wave", "show", "1", *arguments).out
        assert "sha256:" + hashlib.sha256(printed.encode()).hexdigest() == hashed
    assert "no item 'S01'" in wavelock("--study", study_path, "wave", "show", "1", "S01").err
    assert "no wave 7" in wavelock("--study", study_path, "wave", "show", "7").err


def test_a_withdrawal_shows_everywhere(wavelock: Any, two_waves: Path) -> None:
    """The list of waves, runs, the ledger, wave verify, and a note below every table."""
    done = wavelock(
        "--study", two_waves, "wave", "withdraw", "2", "S04", "--reason", "the gold is wrong"
    )
    assert done.code == 0
    assert "S04/Active" in done.err
    assert "4 generations of before kept and marked" in done.err
    waves = json.loads(wavelock("--study", two_waves, "wave", "list", "--json").out)["rows"]
    assert [(w["kind"], w["items"], w["withdrawn"]) for w in waves] == [
        ("rated, pilot", 8, 0), ("rated", 12, 4),
    ]  # fmt: skip
    runs = json.loads(wavelock("--study", two_waves, "runs", "list", "--json").out)["rows"]
    assert [run["withdrawn"] for run in runs] == [4]
    assert "(the gold is wrong)" in wavelock("--study", two_waves, "ledger", "show").out
    assert "(4 withdrawn)" in wavelock("--study", two_waves, "wave", "verify").err
    for table in json.loads(wavelock("--study", two_waves, "report", "--json", *FEW).out):
        notes = " ".join(table["notes"])
        if table["name"] in UNFROZEN:
            assert "Left out" not in notes
        else:
            assert "Left out: 4 frozen items withdrawn" in notes
    fates = json.loads(wavelock("--study", two_waves, "report", "construction-fates", "--json").out)
    counted = {(row["fate"], row["kind"]): row["candidates"] for row in fates["rows"]}
    assert counted["frozen", "all"] == 4
    assert counted["withdrawn", "wave 2"] == counted["withdrawn", "all"] == 1
    history = wavelock("--study", two_waves, "items", "show", "S04").out
    assert "withdrawn, wave 2, the gold is wrong" in " ".join(history.split())
    for verb in (("exclude", "S04"), ("revise", "S04", "--condition", "Active", "--text", "x")):
        refused = wavelock("--study", two_waves, "items", *verb, "--reason", "x")
        assert (refused.code, "S04 was frozen and withdrawn" in refused.err) == (2, True), refused
    assert wavelock("--study", two_waves, "wave", "withdraw", "2", "S04").code == 2


@pytest.mark.parametrize(
    ("options", "words", "n"),
    [
        ((), "", 5),
        (("--waves", "1"), "only wave 1", 2),
        (("--waves", "2,1"), "only waves 1, 2", 5),
        (("--without", "pilot"), "without pilot scenarios", 3),
        (("--waves", "2", "--without", "pilot"), "only wave 2; without pilot scenarios", 3),
    ],
)
def test_a_report_names_what_it_is_restricted_to(
    wavelock: Any, two_waves: Path, options: tuple[str, ...], words: str, n: int
) -> None:
    """Every table has the subset in its title and its size below, for people and programs.

    The construction is that of every candidate, restricted by nothing, and says so.
    """
    every = json.loads(wavelock("--study", two_waves, "report", "--json", *FEW, *options).out)
    tables = [table for table in every if not table["name"].startswith("construction-")]
    for table in every[len(tables) :]:
        assert "[only" not in table["title"]
        assert any(note.startswith(f"Not restricted ({words})") for note in table["notes"]) == bool(
            words
        )
    for table in tables:
        assert table["title"].endswith(f"[{words}]") == bool(words)
        assert any(f"{n} scenarios ({words})" in note for note in table["notes"]) == bool(words)
    by_name = {table["name"]: table for table in tables}
    paired = by_name["paired"]["rows"][0]
    assert paired["n"] + paired["dropped"] == by_name["human"]["rows"][0]["n"] == n
    assert by_name["human"]["rows"][0]["ratings"] == n * 2 * 2
    decided = [row for table in tables if table["name"] == "decisions" for row in table["rows"]]
    assert len(decided) == n
    printed = wavelock("--study", two_waves, "report", *FEW, *options).out
    assert printed.count(f"[{words}]") >= len(tables) or not words


def test_agreement_and_exports_are_restricted_too(wavelock: Any, two_waves: Path) -> None:
    """Ratings of the frozen items of a wave, and no others; a wrong wave is an error."""
    go = ("--study", two_waves)
    table = json.loads(wavelock(*go, "agreement", "later", "--waves", "2", "--json", *FEW).out)
    assert "[only wave 2]" in table["title"]
    for what, count in (("ratings", 3 * 4 * 2), ("items", 3 * 4)):
        done = wavelock(*go, "export", what, "-", "--waves", "2")
        rows = list(csv.DictReader(StringIO(done.out)))
        assert len(rows) == count
        assert {row["scenario"] for row in rows} == {"S03", "S04", "S05"}
        assert "[only wave 2]" in done.err
    for command in (("report",), ("agreement", "later"), ("export", "items", "-")):
        assert wavelock(*go, *command, "--waves", "7").code == 2
        assert "no list of wave numbers" in wavelock(*go, *command, "--waves", "x").err
        assert wavelock(*go, *command, "--without", "main").code == 2


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"word-count": {"exactly": 336}}, "word-count: the prompt does not say “336”"),
        ({"sentiment": {"kind": "glad"}}, "there is no verifier “sentiment”"),
    ],
)
@pytest.mark.parametrize("declared", [True, False])
def test_what_its_verifier_cannot_read_is_not_frozen(
    wavelock: Any, workshop: Any, tmp_path: Path, declared: bool, parameters: Any, sentence: str
) -> None:
    """A prompt that asks for 400 words with a verifier for 336 measures nothing."""
    path, (scenario,) = tmp_path / "study.db", workshop.scenarios(1)
    asked = [
        replace(item, text="Write exactly 400 words.", parameters=parameters)
        for item in scenario.items
    ]
    study = workshop.create(path, [replace(scenario, items=tuple(asked))])
    if not declared:
        workshop.decided(study)
    done = wavelock("--study", path, "wave", "freeze", *(["--declared"] if declared else []))
    assert done.code == 2
    assert f"S01/Active cannot be frozen: {sentence}" in done.err
    assert study.waves.all() == ()
    sound = replace(asked[0], parameters={"word-count": {"exactly": 400}})
    if declared:
        texts = [replace(sound, condition=item.condition) for item in asked]
        study.drafts.revise("S01", texts, "the number that the prompt says", {})
        go = ("wave", "freeze", "--declared", "--despite-breaches", "one text in all conditions")
        assert wavelock("--study", path, *go).code == 0
