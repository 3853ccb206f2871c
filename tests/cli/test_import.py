"""``wavelock import``: a study that another tool collected, from its file to agreement here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.annotate.theirs import GOOD, HEADER, MAP
from tests.cli.test_bad_input import one_line, sqlite_dump


@pytest.fixture
def files(workshop: Any, tmp_path: Path) -> tuple[Path, Path, Path]:
    """A study of two scenarios, a file from another tool, and its map."""
    path, theirs, mapped = (tmp_path / name for name in ("study.db", "theirs.csv", "map.toml"))
    workshop.create(path, 2).close()
    rows = [GOOD, GOOD.replace("ann", "bob"), GOOD.replace("ann", "cy").replace("Drive 1", "idk")]
    theirs.write_text("\n".join([HEADER, *rows]))
    mapped.write_text(MAP)
    return path, theirs, mapped


def test_a_file_becomes_a_closed_round(wavelock: Any, files: tuple[Path, Path, Path]) -> None:
    """The round is listed as imported, and agreement on it says so in its title."""
    path, theirs, mapped = files
    done = wavelock(
        "--study", path, "import", "ratings", theirs, "--map", mapped, "--round", "theirs"
    )
    assert (done.code, done.out) == (0, "")
    assert "round theirs: 3 imported ratings by 3 raters, a crossed design" in done.err
    assert "next: wavelock agreement theirs" in done.err
    (listed,) = json.loads(wavelock("--study", path, "round", "list", "--json").out)["rows"]
    assert (listed["source"], listed["state"], listed["done"]) == ("imported", "closed", "3 of 3")
    status = wavelock("--study", path, "round", "status", "theirs").out
    assert "Round theirs (main, imported ratings) is closed" in status
    agreement = wavelock("--study", path, "agreement", "theirs", "--replicates", "200").out
    assert "agreement in round theirs (imported ratings)" in agreement
    assert (
        "(preview, nothing recorded; imported ratings)"
        in wavelock("--study", path, "include", "theirs").out
    )
    assert wavelock("--study", path, "ledger", "verify").code == 0


def test_our_own_export_needs_no_map(
    wavelock: Any, workshop: Any, study_path: Path, tmp_path: Path
) -> None:
    """What wavelock export wrote is imported as it is; simulated people stay simulated."""
    written, path = tmp_path / "r.csv", tmp_path / "new.db"
    wavelock("--study", study_path, "export", "ratings", written, "--round", "rehearsal")
    workshop.create(path, 6).close()
    command = ("--study", path, "import", "ratings", written, "--round", "again")
    refused = wavelock(*command)
    assert refused.code == 2
    assert "column rater_kind: a simulated rater belongs in a rehearsal" in refused.err
    assert wavelock(*command, "--kind", "rehearsal").code == 0
    title = wavelock("--study", path, "agreement", "again", "--replicates", "200").out
    assert "(simulated ratings; imported ratings)" in title.splitlines()[0]


def test_faults_are_listed_and_counted(wavelock: Any, files: tuple[Path, Path, Path]) -> None:
    """The first faults are named with file, line and column, all are counted, none is stored."""
    path, theirs, mapped = files
    theirs.write_text("\n".join([HEADER, *(f"a{n};S01;Active;Drive 9;5;4;;" for n in range(30))]))
    before = sqlite_dump(path)
    done = wavelock("--study", path, "import", "ratings", theirs, "--map", mapped, "--round", "x")
    lines = done.err.splitlines()
    assert (done.code, done.out, len(lines)) == (2, "", 22)
    assert lines[0].startswith(f"{theirs}, line 2, column picked: 'Drive 9' is no answer; offered")
    assert lines[20] == "and 10 more"
    assert lines[21] == f"wavelock: {theirs}: 30 faults, listed above; nothing was imported"
    assert sqlite_dump(path) == before


def test_the_same_file_twice(wavelock: Any, files: tuple[Path, Path, Path]) -> None:
    """Into the same round it is refused; into another one it is said."""
    path, theirs, mapped = files
    command = ("--study", path, "import", "ratings", theirs, "--map", mapped, "--round")
    wavelock(*command, "theirs")
    before = sqlite_dump(path)
    assert "imported into round theirs already" in one_line(wavelock(*command, "theirs"))
    assert sqlite_dump(path) == before
    again = wavelock(*command, "again")
    assert again.code == 0
    assert "note: the same file is in round theirs as well; count its people once" in again.err


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no round": (("theirs.csv", "--map", "map.toml"), "Missing option '--round'"),
    "no file": (("nosuch.csv", "--map", "map.toml", "--round", "x"), "nosuch.csv cannot be read"),
    "no map": (("theirs.csv", "--map", "nosuch.toml", "--round", "x"), "nosuch.toml: No such file"),
    "a map that is none": (
        ("theirs.csv", "--map", "theirs.csv", "--round", "x"),
        "theirs.csv, line 1: not TOML",
    ),
    "an unknown form": (("theirs.csv", "--round", "x", "--form", "zeal"), "no form 'zeal'"),
    "a map of another form": (
        ("theirs.csv", "--map", "map.toml", "--round", "x", "--form", "wise"),
        "the form wise asks no 'confidence'",
    ),
    "an unknown ending": (("map.toml", "--round", "x"), "map.toml must end in .csv"),
    "practice": (("theirs.csv", "--round", "x", "--kind", "practice"), "Invalid value for '--kind"),
    "a blank name": (("theirs.csv", "--map", "map.toml", "--round", " "), "is no name for a round"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_imported_changes_nothing(
    wavelock: Any,
    files: tuple[Path, Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    """Exit 2, one line, and a study as it was."""
    path = files[0]
    monkeypatch.chdir(path.parent)
    before = sqlite_dump(path)
    arguments, sentence = BAD[kind]
    assert sentence in one_line(wavelock("--study", path, "import", "ratings", *arguments))
    assert sqlite_dump(path) == before


def test_a_foreign_file_without_a_map_is_asked_for_one(
    wavelock: Any, files: tuple[Path, Path, Path]
) -> None:
    """Columns that Wavelock does not write are missing, one by one, and the map is mentioned."""
    path, theirs, _ = files
    theirs.write_text("worker,task\na,b\n")
    done = wavelock("--study", path, "import", "ratings", theirs, "--round", "x")
    assert done.code == 2
    assert f"{theirs}, line 1, column scenario: the file has no such column" in done.err
    assert "say with --map" in done.err.splitlines()[-1]
