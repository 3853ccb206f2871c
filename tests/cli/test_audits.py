"""``import audits``, ``export audits``, ``audit disagreements``: from two files to a wave."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from audit.wording import NAME
from db.file import open_study
from tests.audit.auditors import GOOD, HEADER, MAP
from tests.cli.test_bad_input import one_line, sqlite_dump


@pytest.fixture
def exported(wavelock: Any, workshop: Any, tmp_path: Path) -> Path:
    """A folder with an empty study and what another study exported: ratings and audits."""
    first = workshop.create(tmp_path / "first.db", 3)
    workshop.rate(first, workshop.opened(first, ratings=5, auditors=2))
    for what in ("ratings", "audits"):
        target = tmp_path / f"{what}.csv"
        assert wavelock("--study", tmp_path / "first.db", "export", what, target).code == 0
    workshop.create(tmp_path / "study.db", 3).close()
    return tmp_path


def test_an_imported_round_is_decided_and_frozen(wavelock: Any, exported: Path) -> None:
    """Ratings and audits from elsewhere, in, decided, frozen, verified: each by its command."""
    study = ("--study", exported / "study.db")
    done = wavelock(
        *study, "import", "ratings", exported / "ratings.csv",
        "--audits", exported / "audits.csv", "--round", "theirs",
    )  # fmt: skip
    assert (done.code, done.out) == (0, "")
    assert "round theirs: 60 imported ratings by 20 raters, a latin-square design" in done.err
    assert "round theirs: 6 imported audits by 2 auditors" in done.err
    assert "next: wavelock include theirs" in done.err
    committed = wavelock(*study, "include", "theirs", "--commit", "--json")
    assert {row["verdict"] for row in json.loads(committed.out)["rows"]} == {"include"}
    assert wavelock(*study, "wave", "freeze", "--despite-breaches", "of a test").code == 0
    assert wavelock(*study, "wave", "verify").code == 0
    assert wavelock(*study, "ledger", "verify").code == 0
    events = [
        row["event"] for row in json.loads(wavelock(*study, "ledger", "show", "--json").out)["rows"]
    ]
    assert events.index("ratings imported") < events.index("audits imported")


def test_audits_alone_are_a_round_of_their_own(wavelock: Any, exported: Path) -> None:
    """They are listed, counted and exported again, and what they lack is said."""
    study = ("--study", exported / "study.db")
    done = wavelock(*study, "import", "audits", exported / "audits.csv", "--round", "theirs")
    assert (done.code, done.out) == (0, "")
    assert "next: wavelock audit disagreements theirs" in done.err
    refused = wavelock(*study, "include", "theirs")
    assert (refused.code, "holds audits alone" in one_line(refused)) == (2, True)
    listed = wavelock(*study, "audit", "disagreements", "theirs")
    assert "Disagreements of auditors in round theirs (imported audits)" in listed.out
    assert "3 pairs with two verdicts or more: 0 disputed, 3 agreed on (3 yes, 0 no)." in listed.out
    everything = wavelock(*study, "audit", "disagreements", "theirs", "--all", "--csv").out
    assert len(list(csv.DictReader(StringIO(everything)))) == 6
    assert (
        "Audits in round theirs"
        in wavelock(*study, "audit", "disagreements", "theirs", "--all", "--json").out
    )


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_audits_are_written_in_every_format(
    wavelock: Any, study_path: Path, tmp_path: Path, form: str
) -> None:
    """All auditors, by pseudonym; standard error says how many."""
    target = tmp_path / f"a.{form}"
    done = wavelock("--study", study_path, "export", "audits", target)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"{target}: 7 audits by 2 auditors\n"
    assert target.stat().st_size


def test_every_event_is_asked_for(wavelock: Any, exported: Path) -> None:
    """--events has a row per change, and the last is the audit."""
    done = wavelock("--study", exported / "first.db", "export", "audits", "-", "--events")
    rows = list(csv.DictReader(StringIO(done.out)))
    assert {(row["event"], row["last"]) for row in rows} == {("1", "true")}
    assert "6 events by 2 auditors" in done.err


def test_exporting_nothing_is_an_error(wavelock: Any, study_path: Path, tmp_path: Path) -> None:
    """Exit 2, one line, no file."""
    target = tmp_path / "a.csv"
    done = wavelock("--study", study_path, "export", "audits", target, "--round", "next")
    assert (done.code, "there is no audit yet in next" in one_line(done)) == (2, True)
    assert not target.exists()


def test_a_foreign_file_with_its_map(wavelock: Any, exported: Path) -> None:
    """Columns of another tool, and a note about what it does not say."""
    theirs, mapped = exported / "theirs.csv", exported / "map.toml"
    theirs.write_text(f"{HEADER}\n{GOOD}\n")
    mapped.write_text(MAP)
    command = ("--study", exported / "study.db", "import", "audits", theirs, "--map", mapped)
    done = wavelock(*command, "--round", "theirs")
    assert "round theirs: 1 imported audit by 1 auditor" in done.err
    assert "note: nobody is said to have been shown the differing words" in done.err
    assert "imported into round theirs already" in one_line(wavelock(*command, "--round", "theirs"))
    again = wavelock(*command, "--round", "again")
    assert "note: the same file is in round theirs as well" in again.err


def test_faults_of_both_files_are_listed(wavelock: Any, exported: Path) -> None:
    """Every one by file, line and column; nothing is stored."""
    audits, ratings = exported / "audits.csv", exported / "ratings.csv"
    audits.write_text(audits.read_text().replace(",true,", ",perhaps,", 1))
    ratings.write_text(ratings.read_text().replace("S01,Active", "S0X,Active", 1))
    before = sqlite_dump(exported / "study.db")
    done = wavelock(
        "--study", exported / "study.db", "import", "ratings", ratings, "--audits", audits,
        "--round", "theirs",
    )  # fmt: skip
    lines = done.err.splitlines()
    assert done.code == 2
    assert lines[0].startswith(f"{ratings}, line 2, column scenario: there is no scenario 'S0X'")
    assert lines[1].startswith(f"{audits}, line 2, column only_intended: 'perhaps' is no answer")
    assert f"{ratings} and {audits}: 2 faults, listed above; nothing was imported" in lines[-1]
    assert sqlite_dump(exported / "study.db") == before


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "a map of audits without audits": (
        ("ratings", "ratings.csv", "--round", "x", "--audits-map", "map.toml"), "with --audits"
    ),
    "no audits": (("audits", "nosuch.csv", "--round", "x"), "nosuch.csv cannot be read"),
    "no map": (("audits", "audits.csv", "--round", "x", "--map", "no.toml"), "no.toml: No such"),
    "an unknown ending": (("audits", "first.db", "--round", "x"), "first.db must end in .csv"),
    "no round": (("audits", "audits.csv"), "Missing option '--round'"),
    "practice": (("audits", "audits.csv", "--round", "x", "--kind", "practice"), "Invalid value"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_imported_changes_nothing(
    wavelock: Any, exported: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Exit 2, one line, and a study as it was."""
    monkeypatch.chdir(exported)
    before = sqlite_dump(exported / "study.db")
    arguments, sentence = BAD[kind]
    assert sentence in one_line(wavelock("--study", exported / "study.db", "import", *arguments))
    assert sqlite_dump(exported / "study.db") == before


def test_an_unknown_round_has_no_disagreements(wavelock: Any, study_path: Path) -> None:
    """One line, and the rounds that there are."""
    done = wavelock("--study", study_path, "audit", "disagreements", "nosuch")
    assert (done.code, "there is no round 'nosuch'" in one_line(done)) == (2, True)


def test_a_planned_round_has_it_in_its_plan(
    wavelock: Any, study_path: Path, tmp_path: Path
) -> None:
    """The command stores it with the round, and its hash is part of what is preregistered."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / NAME).write_text("Compare.\n", "utf-8")
    plan = ("--study", study_path, "round", "plan")
    assert wavelock(*plan, "own", "--texts", tmp_path / "texts", "--seats", "4", "--ratings", "1",
                    "--json").code == 0  # fmt: skip
    shipped = wavelock(*plan, "shipped", "--seats", "4", "--ratings", "1", "--json")
    assert json.loads(shipped.out)["rows"]
    none = wavelock(*plan, "none", "--seats", "4", "--ratings", "1", "--auditors", "1")
    assert none.code == 0
    with open_study(study_path) as study:
        texts = {r.name: study.rounds.texts(r.id) for r in study.rounds.all()}
        assert texts["own"][NAME] == "Compare.\n"
        assert texts["shipped"][NAME].startswith("# What to do")
        hashes = {study.rounds.plan_hash(study.rounds.named(n).id) for n in ("own", "shipped")}
        assert len(hashes) == 2
