"""A whole study by commands alone, every listing for programs, and checks that fail with 1."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit.verify import study_faults
from cli.main import COMMANDS, cli
from db.file import open_study

WAVELOCK = Path(sys.executable).with_name("wavelock")


def test_a_whole_study_by_commands(wavelock: Any, tmp_path: Path) -> None:
    """From an empty folder to a verified report, each command exits 0 and names the next one."""
    path, page = tmp_path / "study.db", tmp_path / "report.html"

    def go(*arguments: Any) -> Any:
        done = wavelock("--study", path, *arguments)
        assert done.code == 0, done
        return done

    assert "next: wavelock --study" in wavelock("init", path, "--suite", "core100").err
    assert "16 scenarios checked, 0 faults" in go("items", "check").out
    planned = go("round", "plan", "r", "--kind", "rehearsal", "--json")
    codes = json.loads(planned.out)["rows"]
    assert [c["role"] for c in codes].count("rater") == 20
    assert len({c["code"] for c in codes}) == 22
    assert "next: wavelock round check r" in planned.err
    assert "the plan of round r holds" in go("round", "check", "r").err
    assert "simulated raters" in go("round", "simulate", "r", "--rounds", "3").out
    assert "cannot" not in planned.err
    go("round", "open", "r")
    assert "320 simulated ratings, 32 simulated audits" in go("round", "rehearse", "r").err
    assert "next: wavelock include r" in go("round", "close", "r").err
    assert "(simulated ratings)" in go("agreement", "r", "--replicates", "200").out
    assert "(preview, nothing recorded; simulated ratings)" in go("include", "r").out
    assert "next: wavelock wave freeze" in go("include", "r", "--commit").err
    assert "preview" not in go("include", "r").out
    frozen = go("wave", "freeze")
    assert re.fullmatch(r"sha256:[0-9a-f]{64}\n", frozen.out)
    assert "(simulated)" in frozen.err
    assert "frozen items checked, nothing was changed" in go("wave", "verify").err
    run = ("run", "--model", "scripted", "-k", "2")
    assert "nothing is preregistered" in wavelock("--study", path, *run).err
    assert "next: wavelock score" in go(*run, "--exploratory").err
    assert "new scores by forced-choice" in go("score").err
    assert go("score").err.startswith("0 new scores")
    report = go("report", "--replicates", "400")
    assert re.search(r"\[[+-]?\d\.\d\d, [+-]?\d\.\d\d\]", report.out)
    assert "simulated ratings" in report.out.splitlines()[0]
    assert "11 tables" in go("report", "--html", page, "--replicates", "400").err
    assert "simulated ratings" in page.read_text("utf-8")
    head = go("ledger", "head").out.strip()
    assert "ok: " in go("ledger", "verify", "--head", head).err


def test_a_plan_that_cannot_be_decided_says_so(wavelock: Any, tmp_path: Path) -> None:
    """A round whose numbers do not fit the rule may be planned, but not in silence."""
    path = tmp_path / "study.db"
    wavelock("init", path, "--suite", "core100")
    plan = ("--study", path, "round", "plan")
    few = wavelock(*plan, "few", "--seats", "8", "--ratings", "2")
    assert few.code == 0
    assert "asks for 5 ratings and 2 auditors; this round can be rated, but not decided" in few.err
    practice = wavelock(*plan, "p", "--kind", "practice", "--seats", "8", "--ratings", "2")
    assert "not decided" not in practice.err


LISTINGS: tuple[tuple[str, ...], ...] = (
    ("items", "list"),
    ("items", "check", "--table", "faults"),
    ("items", "check", "--table", "pairs"),
    ("round", "list"),
    ("round", "status", "people"),
    ("round", "plan", "new", "--seats", "4", "--ratings", "1"),
    ("agreement", "rehearsal", "--replicates", "200"),
    ("include", "rehearsal"),
    ("include", "people"),
    ("include", "rehearsal", "--what-if", "naturalness_at_least=4.5"),
    ("include", "people", "--show-rule"),
    ("wave", "list"),
    ("runs", "list"),
    ("ledger", "show"),
    ("report", "paired", "--replicates", "200"),
)


@pytest.mark.parametrize("command", LISTINGS, ids=" ".join)
def test_every_listing_is_there_for_programs(
    wavelock: Any, study_path: Path, command: tuple[str, ...]
) -> None:
    """--json parses and is titled, --csv has the same rows, and words go to standard error."""
    read = wavelock("--study", study_path, *command, "--json")
    table = json.loads(read.out)
    assert table["rows"]
    assert table["title"]
    command = (
        ("round", "plan", "newer", *command[3:]) if command[:2] == ("round", "plan") else command
    )
    rows = list(csv.DictReader(StringIO(wavelock("--study", study_path, *command, "--csv").out)))
    assert len(rows) == len(table["rows"])
    assert set(table["rows"][0]) <= set(rows[0])


def test_a_history_is_there_for_programs(wavelock: Any, study_path: Path) -> None:
    """--json has the revisions and the decisions, --csv the revisions."""
    command = ("--study", study_path, "items", "show", "S01")
    revisions, decisions = json.loads(wavelock(*command, "--json").out)
    assert [row["condition"] for row in revisions["rows"]] == [
        "Active",
        "Removed",
        "Explicit",
        "SalienceControl",
    ]
    assert [row["verdict"] for row in decisions["rows"]] == ["include"]
    read = list(csv.DictReader(StringIO(wavelock(*command, "--csv").out)))
    assert [row["hash"] for row in read] == [row["hash"] for row in revisions["rows"]]


def test_a_report_is_one_json(wavelock: Any, study_path: Path) -> None:
    """Several tables are one JSON list, in reading order."""
    done = wavelock("--study", study_path, "report", "--json", "--replicates", "200")
    names = [table["name"] for table in json.loads(done.out)]
    assert names[:5] == ["paired", "human", "states", "agreement", "decisions"]
    assert names[5:7] == ["judged-grade-1", "judges-parser-grade-1"]
    assert all(name.startswith("construction-") for name in names[7:])


def test_a_page_of_one_table(wavelock: Any, study_path: Path, tmp_path: Path) -> None:
    """Naming tables restricts the page as it restricts the terminal."""
    page = tmp_path / "p.html"
    done = wavelock("--study", study_path, "report", "human", "--html", page, "--replicates", "200")
    assert (done.code, "1 tables" in done.err) == (0, True)
    assert "Paired metrics" not in page.read_text("utf-8")


def test_the_verification_of_a_wave_is_json(wavelock: Any, study_path: Path) -> None:
    """A sound wave says ok; a changed byte says no, with item and field, and exit code 1."""
    sound = wavelock("--study", study_path, "wave", "verify", "--json")
    assert (sound.code, json.loads(sound.out)) == (0, {"ok": True, "items": 20, "faults": []})
    with closing(sqlite3.connect(study_path)) as plain:
        plain.execute("DROP TRIGGER revisions_unchanged")
        plain.execute("UPDATE revisions SET text = text || '.' WHERE id = 1")
        plain.commit()
    broken = wavelock("--study", study_path, "wave", "verify", "--json")
    found = json.loads(broken.out)
    assert (broken.code, found["ok"]) == (1, False)
    assert [(f["item"], f["field"]) for f in found["faults"]] == [("S01/Active", "text")]
    assert broken.err.count("\n") == 1
    told = wavelock("--study", study_path, "wave", "verify")
    assert (told.code, "S01/Active: text" in told.out) == (1, True)
    run = wavelock("--study", study_path, "run", "--model", "scripted", "-k", "9")
    assert (run.code, "no model was asked" in run.err) == (1, True)


def test_a_broken_ledger_exits_1(wavelock: Any, study_path: Path) -> None:
    """Breaks are listed on standard output, counted on standard error, and the code is 1."""
    head = wavelock("--study", study_path, "ledger", "head").out.strip()
    with closing(sqlite3.connect(study_path)) as plain:
        plain.execute("DROP TRIGGER ledger_kept")
        plain.execute("DELETE FROM ledger WHERE sequence = (SELECT max(sequence) FROM ledger)")
        plain.commit()
    done = wavelock("--study", study_path, "ledger", "verify", "--head", head)
    assert done.code == 1
    assert "the guard ledger_kept was removed or changed" in done.out
    assert f"the published head {head} is not in the ledger: its tail was cut" in done.out
    assert re.fullmatch(r"wavelock: \d+ breaks, listed above\n", done.err)


def test_construction_faults_exit_1(wavelock: Any, study_path: Path) -> None:
    """Drafts that break the suite's rules are listed, and the code is 1."""
    done = wavelock("--study", study_path, "items", "check")
    assert done.code == 1
    assert "S01" in done.out
    assert "breaches of the construction rules" in done.err
    told = done.err.removeprefix("wavelock: ").partition(";")[0]
    planned = wavelock("--study", study_path, "round", "plan", "more", "--seats", 4, "--ratings", 1)
    assert f"note: {told}; see wavelock items check" in planned.err


def test_item_texts_cannot_act_on_the_terminal(
    wavelock: Any, workshop: Any, tmp_path: Path
) -> None:
    """An escape sequence in an item is shown by the listing commands, and not obeyed."""
    scenario = workshop.scenarios(1)[0]
    evil = tuple(replace(item, text=f"\x1b[31m{item.text}\x07") for item in scenario.items)
    workshop.create(tmp_path / "s.db", [replace(scenario, items=evil)]).close()
    for command in (("items", "list"), ("items", "show", "S01")):
        shown = wavelock("--study", tmp_path / "s.db", *command).out
        assert "\x1b" not in shown
        assert "␛[31mTask 1" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    """Each command in the list exists, and its help ends well."""
    done = CliRunner().invoke(cli, [name, "--help"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("Usage: ")


def test_the_version_is_that_of_the_package(wavelock: Any) -> None:
    """--version prints one line."""
    assert re.fullmatch(r"wavelock \d+\.\d+\.\d+\n", wavelock("--version").out)


def tables(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as plain:
        return {
            name: plain.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("ledger", "ratings", "pair_audits", "generations", "scores", "waves")
        }


def complete(path: Path) -> None:
    """Check that a demo's study is whole, sound, and has nothing twice."""
    counts = tables(path)
    assert (counts["ratings"], counts["pair_audits"], counts["waves"]) == (320, 32, 1)
    with closing(sqlite3.connect(path)) as plain:
        distinct = plain.execute(
            "SELECT count(*) FROM (SELECT DISTINCT run, wave_item, sample FROM generations)"
        ).fetchone()[0]
        asked = plain.execute(
            "SELECT 3 * count(*) FROM wave_items WHERE condition IN ('Active', 'Removed')"
        ).fetchone()[0]
    assert counts["generations"] == counts["scores"] == distinct == asked > 60
    with open_study(path) as study:
        assert study_faults(study, study.ledger.head()) == ()
        assert [r.state for r in study.rounds.all()] == ["closed", "open"]
        assert [r.kind for r in study.rounds.all()] == ["rehearsal", "practice"]


def test_the_demo_shows_a_whole_study(demo: Path, wavelock: Any) -> None:
    """The demo leaves a sound study and a page, and goes on where it stopped."""
    path = demo / "study.db"
    complete(path)
    before = tables(path)
    done = wavelock("demo", "--dir", demo, "--no-tui", "--model", "scripted")
    assert done.code == 0
    assert f"going on with {path}" in done.err
    assert tables(path) == before
    title, heading, _, values, ends = done.out.splitlines()[:5]
    assert title == ("Paired metrics by model (simulated ratings; scripted is a fake, no model)")
    assert {"p_A", "S", "SBA", "n", "dropped"} <= set(heading.split())
    assert values.startswith("scripted (no model)")
    assert len(re.findall(r"\[[+-]?\d\.\d\d, [+-]?\d\.\d\d\]", ends)) == 6
    assert "10,000 replicates, seed 1" in done.out
    page = (demo / "report.html").read_text("utf-8")
    assert "scripted is a fake, no model" in page
    assert "simulated ratings" in page


def test_a_fresh_demo_is_the_same_demo(demo: Path, wavelock: Any) -> None:
    """--fresh begins anew, and comes to the same tables: the demo is seeded throughout."""
    path = demo / "study.db"

    def numbers() -> str:
        arguments = ("--study", path, "report", "--json", "--replicates", "200")
        return str(wavelock(*arguments).out)

    before, head = numbers(), wavelock("--study", path, "ledger", "head").out
    assert wavelock("demo", "--dir", demo, "--no-tui", "--model", "scripted", "--fresh").code == 0
    complete(path)
    assert wavelock("--study", path, "ledger", "head").out != head
    assert numbers() == before


@pytest.mark.parametrize("stage", ["[2/6]", "[5/6]"])
def test_an_interrupted_demo_goes_on(tmp_path: Path, stage: str, wavelock: Any) -> None:
    """Ctrl-C in the middle exits 130 with one line, and the same command finishes the study."""
    folder = tmp_path / "demo"
    command = [WAVELOCK, "demo", "--dir", folder, "--no-tui", "--model", "scripted"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert child.stderr
    for line in child.stderr:
        if line.startswith(stage):
            child.send_signal(signal.SIGINT)
            break
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, "")
    assert err.splitlines()[-1] == (
        "wavelock: interrupted; what was saved is kept, the same command continues"
    )
    assert "Traceback" not in err
    assert wavelock("demo", "--dir", folder, "--no-tui", "--model", "scripted").code == 0
    complete(folder / "study.db")


@pytest.mark.parametrize(
    "words",
    [("items", "list"), ("items", "check"), ("ledger", "show"), ("report", "--json")],
    ids=" ".join,
)
def test_a_reader_that_leaves_early_is_no_error(demo: Path, words: tuple[str, ...]) -> None:
    """A pipe that closes (a pager, head) ends the command quietly, with 0: nothing has failed."""
    reader, writer = os.pipe()
    os.close(reader)  # has left before the first byte, so that no buffer can hide it
    try:
        done = subprocess.run(
            [WAVELOCK, "--study", demo / "study.db", *words],
            stdout=writer, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    finally:
        os.close(writer)
    assert (done.returncode, "Traceback" in done.stderr, "error" in done.stderr) == (
        0,
        False,
        False,
    )


def test_commands_that_are_told_can_be_pasted(tmp_path: Path, wavelock: Any) -> None:
    """Whatever a study and a round are called, what comes next is one word each for a shell."""
    study, name = tmp_path / "a study & more.db", "a b[/ $HOME"
    told = wavelock("init", study, "--suite", "core100").err.splitlines()[-1]
    assert shlex.split(told.removeprefix("next: wavelock ")) == [
        "--study", str(study), "items", "check",
    ]  # fmt: skip
    plan = ("round", "plan", name, "--seats", "4", "--ratings", "1")
    for words, expected in ((plan, "check"), (("round", "check", name), "open")):
        done = wavelock("--study", study, *words)
        assert done.code == 0, done
        line = done.err.splitlines()[-1].partition("next: wavelock ")[2]
        assert shlex.split(line) == ["round", expected, name]


def test_a_round_is_not_closed_by_accident(tmp_path: Path, wavelock: Any) -> None:
    """Closing cannot be undone, so what is not answered must be closed knowingly."""
    path = tmp_path / "study.db"
    wavelock("init", path, "--suite", "core100")

    def go(*arguments: str) -> Any:
        return wavelock("--study", path, *arguments)

    go("round", "plan", "r")
    go("round", "open", "r", "--exploratory")
    refused = go("round", "close", "r")
    assert refused.code == 2
    assert "has 0 of 352 answers" in refused.err
    assert go("round", "close", "r", "--incomplete").code == 0
