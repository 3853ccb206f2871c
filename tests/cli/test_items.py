"""``wavelock items``: drafts from a file to a rewrite, as a script meets it."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from core.items import Scenario
from db.file import create_study, open_study
from suites.core100.pool import scenarios
from tests.audit.drafts import synthetic, write
from tests.cli.test_bad_input import one_line, sqlite_dump


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A study of the first three scenarios that ship."""
    made = tmp_path / "study.db"
    drafted: tuple[Scenario, ...] = scenarios()[:3]
    create_study(made, title="t", suite="core100", scenarios=drafted, salt="salt").close()
    return made


def test_from_a_template_to_a_checked_rewrite(wavelock: Any, path: Path, tmp_path: Path) -> None:
    """Every step says what comes next, and the ledger verifies at the end."""

    def go(*arguments: Any) -> Any:
        return wavelock("--study", path, *arguments)

    template = tmp_path / "t.yaml"
    assert "fill it in, then: wavelock items import" in go("items", "template", template).err
    assert go("items", "import", template).code == 2
    drafts = write(tmp_path / "d.json", [synthetic(1), synthetic(2)])
    done = go("items", "import", drafts)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-2:] == [
        f"{drafts}: 2 scenarios imported",
        "next: wavelock items check",
    ]
    again = go("items", "import", drafts)
    assert (again.code, "2 scenarios in the study already, word for word" in again.err) == (0, True)
    check = go("items", "check")
    assert check.code == 0
    assert "Active - Removed" in check.out
    assert "5 scenarios checked, 0 faults" in check.out
    text = synthetic(1)["texts"]["Removed"].replace("open", "ajar")
    done = go("items", "revise", "C001/Removed", "--text", text, "--reason", "open is not enough")
    assert (done.code, done.out) == (0, "")
    assert "C001/Removed: revision 2" in done.err
    assert "every construction rule holds for C001" in done.err
    done = go("items", "exclude", "C002", "--reason", "contestable", "--kind", "contestable")
    assert done.code == 0
    listed = json.loads(go("items", "list", "--json").out)["rows"]
    states = {row["scenario"]: row["frozen"] for row in listed}
    assert (states["C001"], states["C002"]) == ("draft", "excluded")
    shown = go("items", "show", "C001/Removed").out
    assert "rewritten, entry 3: open is not enough" in shown
    assert text in shown
    assert go("ledger", "verify").code == 0


def test_a_rewrite_that_breaks_a_rule_is_kept_and_told(wavelock: Any, path: Path) -> None:
    """The rules are applied again at once."""
    done = wavelock(
        "--study", path, "items", "revise", "S01", "--condition", "Removed", "--text", "What now?",
        "--reason", "r",
    )  # fmt: skip
    assert done.code == 0
    assert "rule broken, S01/Removed: similarity: 0." in done.err
    assert wavelock("--study", path, "items", "check").code == 1


def test_all_faults_are_listed_and_nothing_is_stored(
    wavelock: Any, path: Path, tmp_path: Path
) -> None:
    """With file, line and column; --partial takes the sound scenarios and ends with 1."""
    broken = synthetic(2)
    broken["facts"]["domain"] = broken["facts"]["constraint"] = "space"
    broken["texts"]["Removed"] = ""
    drafts = write(tmp_path / "d.json", [synthetic(1), broken])
    before = sqlite_dump(path)
    done = wavelock("--study", path, "items", "import", drafts)
    lines = done.err.splitlines()
    assert (done.code, done.out, len(lines)) == (2, "", 4)
    assert all(line.startswith(f"{drafts}, line 1, column ") for line in lines[:3])
    assert lines[3] == f"wavelock: {drafts}: 3 faults, listed above; nothing was imported"
    assert sqlite_dump(path) == before
    done = wavelock("--study", path, "items", "import", drafts, "--partial")
    assert done.code == 1
    assert "left out, 1 scenario: C002" in done.err
    with open_study(path) as study:
        assert [name for name in study.items.facts() if name.startswith("C")] == ["C001"]


def test_a_semicolon_is_named_and_can_be_said(wavelock: Any, path: Path, tmp_path: Path) -> None:
    """Nothing is guessed; with --delimiter the file is read."""
    exported = wavelock("--study", path, "export", "items", "-").out
    rows = list(csv.reader(StringIO(exported)))
    theirs = tmp_path / "theirs.csv"
    with theirs.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    done = wavelock("--study", path, "items", "import", theirs)
    assert done.code == 2
    assert "line 1: the columns are set apart by a semicolon, not by a comma" in done.err
    done = wavelock("--study", path, "items", "import", theirs, "--delimiter", ";")
    assert (done.code, "3 scenarios in the study already" in done.err) == (0, True)


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no file": (("import", "nosuch.csv"), "cannot be read"),
    "no format": (("import", "drafts.xlsx"), "must end in .csv"),
    "no template": (("template", "t.docx"), "must end in .csv, .json, .yaml"),
    "no scenario": (("show", "S99"), "there is no scenario S99"),
    "no condition": (("show", "S01/Actve"), "S01 has no condition Actve; it has Active"),
    "no table": (("check", "--table", "x"), "there is no table 'x'; tables are: pair-audit"),
    "no text": (("revise", "S01", "--reason", "r"), "say what the new text is"),
    "text of what": (("revise", "S01", "--text", "x", "--reason", "r"), "name a --condition"),
    "twice": (
        ("revise", "S01/Active", "--condition", "Active", "--text", "x", "--text", "y",
         "--reason", "r"),
        "a condition is named twice",
    ),
    "unknown": (("revise", "S99/Active", "--text", "x", "--reason", "r"), "no scenario S99"),
    "exclude what": (("exclude", "S99", "--reason", "r"), "there is no scenario S99"),
    "exclude why": (("exclude", "S01", "--reason", " "), "say why, with --reason"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line(wavelock: Any, path: Path, case: str) -> None:
    """What is wrong, exit code 2, nothing on standard output, the study as it was."""
    before = sqlite_dump(path)
    arguments, told = BAD[case]
    done = wavelock("--study", path, "items", *arguments)
    assert done.code == 2
    assert told in one_line(done)
    assert sqlite_dump(path) == before


def test_tables_of_a_check_are_there_for_programs(wavelock: Any, path: Path) -> None:
    """CSV has the faults, or the table that is named; JSON has all of them."""
    check = ("--study", path, "items", "check")
    names = [table["name"] for table in json.loads(wavelock(*check, "--json").out)]
    assert names == ["pair-audit", "pairs", "clauses", "faults"]
    assert wavelock(*check, "--csv").out.startswith("scenario,condition,rule,found")
    pairs = list(csv.DictReader(StringIO(wavelock(*check, "--csv", "--table", "pairs").out)))
    assert len(pairs) == 3 * 4
    assert {row["met"] for row in pairs if row["contrast"] == "Active - Removed"} == {"yes"}


def test_a_report_names_its_construction(wavelock: Any, study_path: Path) -> None:
    """The group is printed as one, in every form; CSV holds one of its tables."""
    report = ("--study", study_path, "report", "--replicates", "200")
    names = [table["name"] for table in json.loads(wavelock(*report, "construction", "--json").out)]
    assert names == [
        f"construction-{name}"
        for name in ("fates", "candidates", "rounds", "naturalness", "carry-over", "exposure")
    ]
    rows = list(csv.DictReader(StringIO(wavelock(*report, "construction-candidates", "--csv").out)))
    fates = {row["scenario"]: row["fate"] for row in rows}
    assert (fates["S01"], fates["S07"]) == ("frozen", "excluded")
    short = wavelock(*report).out
    assert "What became of 7 candidates" in short
    assert "Candidates, one by one" not in short


def test_a_group_begins_with_its_own_drafts(wavelock: Any, path: Path, tmp_path: Path) -> None:
    """An empty study names its next step, takes a file, and holds nothing of the suite's own."""
    own, drafts = tmp_path / "own.db", tmp_path / "drafts.csv"
    made = wavelock("init", own, "--suite", "core100", "--empty")
    assert (made.code, made.out) == (0, "")
    assert "0 scenarios, 0 drafted items" in made.err
    assert f"next: wavelock --study {own} items import" in made.err
    assert wavelock("--study", own, "ledger", "verify").code == 0
    wavelock("--study", path, "export", "items", drafts)
    assert wavelock("--study", own, "items", "import", drafts).code == 0
    assert wavelock("--study", own, "ledger", "verify").code == 0
    with open_study(own) as study, open_study(path) as other:
        assert study.items.facts() == other.items.facts()
    both = wavelock("init", tmp_path / "x.db", "--suite", "wise", "--empty", "--from", tmp_path)
    assert both.code == 2
    assert "give one" in both.err
    assert not (tmp_path / "x.db").exists()
