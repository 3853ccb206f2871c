"""``wavelock packet`` as a script meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.file import open_study
from tests.annotate.packets import GOOD, OTHER, Office, dump
from tests.cli.conftest import Wavelock
from tests.ui.studies import Planted, plant


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    return plant(tmp_path / "study.db")


@pytest.fixture
def office(planted: Planted, tmp_path: Path) -> Any:
    """The planted study, whose people work in packets."""
    with open_study(planted.path) as study:
        codes = {number: planted.code("rater", number) for number in range(1, 5)}
        yield Office(study, study.rounds.round(planted.round), codes, tmp_path / "out")


Run = Callable[..., Any]


@pytest.fixture
def run(wavelock: Wavelock, planted: Planted) -> Run:
    return lambda *words: wavelock("--study", planted.path, "packet", *words)


def files(out: str) -> list[Path]:
    return [Path(row["file"]) for row in json.loads(out)["rows"]]


def test_out_and_in_and_nothing_new(run: Run, office: Office, tmp_path: Path) -> None:
    """All seats out, two come back, in again; each command says what it did in one table."""
    made = run("out", "CANARY-ROUND", "--all", "--to", tmp_path / "out", "--json")
    assert made.code == 0
    paths = files(made.out)
    assert [path.suffix for path in paths] == [".packet"] * 4
    assert "CANARY" not in "".join(path.name for path in paths)
    office.rate(paths[0], 1, 2)
    office.rate(paths[1], 2, 1)
    done = run("in", *paths, "--json")
    assert (done.code, done.err) == (0, "")
    results = [(row["ratings"], row["result"]) for row in json.loads(done.out)["rows"]]
    assert results == [(2, "merged"), (1, "merged"), (0, "nothing new"), (0, "nothing new")]
    before = dump(office.study.path)
    again = run("in", *paths, "--csv")
    assert again.out.count("nothing new") == 4
    assert dump(office.study.path) == before
    listed = run("list", "CANARY-ROUND", "--csv").out.splitlines()
    assert [line.split(",")[3:6] for line in listed[1:]] == [
        ["partly in", "2", "4"], ["partly in", "1", "4"], ["out", "0", "4"], ["out", "0", "4"],
    ]  # fmt: skip


def test_a_refused_file_keeps_no_other_out(run: Run, office: Office, tmp_path: Path) -> None:
    """Each refusal is one line with its file; what can be merged is; the exit code says that."""
    paths = files(run("out", "CANARY-ROUND", "--all", "--to", tmp_path / "out", "--json").out)
    for number, path in enumerate(paths, start=1):
        office.rate(path, number, 1)
    paths[1].write_bytes(paths[1].read_bytes().replace(b'"confidence":4', b'"confidence":5'))
    paths[2].write_bytes(b"")
    done = run("in", *paths, tmp_path / "none")
    assert done.code == 2
    assert done.out.count("merged") == 2
    assert done.err.splitlines() == [
        f"wavelock: {paths[1]}: it was damaged or changed since it was handed out; "
        "nothing of it was taken",
        f"wavelock: {paths[2]}: this is no packet",
        f"wavelock: {tmp_path / 'none'}: it cannot be read: No such file or directory",
    ]


def test_conflicts_are_named(run: Run, office: Office, tmp_path: Path) -> None:
    """What stood in the study stands, and the researcher reads which items that was."""
    (path,) = files(run("out", "CANARY-ROUND", "--seat", 1, "--to", tmp_path, "--json").out)
    office.rate(path, 1, 2, OTHER)
    office.rate(office.study.path, 1, 1, GOOD)
    done = run("in", path)
    assert done.code == 0
    assert done.err == f"{path}: had an answer already, which stands: 1 on the list of the seat\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["out", "CANARY-ROUND", "--to", "x"], "say which seats"),
        (["out", "CANARY-ROUND", "--to", "x", "--all", "--seat", "1"], "say which seats"),
        (["out", "CANARY-ROUND", "--to", "x", "--seat", "9"], "has no rater seat 9"),
        (["out", "none", "--to", "x", "--all"], "there is no round 'none'"),
        (["in"], "Missing argument 'FILE...'"),
        (["in", "--round", "none", "x"], "there is no round 'none'"),
        (["list", "none"], "there is no round 'none'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(run: Run, words: list[str], sentence: str) -> None:
    """One line that says what is wrong, and exit code 2."""
    done = run(*words)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["items", "list"], ["round", "list"], ["round", "close", "packet"], ["include", "packet"],
        ["people", "list"], ["ledger", "verify"], ["wave", "list"], ["runs", "list"], ["report"],
        ["packet", "list"], ["packet", "out", "packet", "--all", "--to", "x"], ["audit"],
        ["export", "ratings", "x.csv"], [],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_packet_is_no_study(
    wavelock: Wavelock, office: Office, tmp_path: Path, words: list[str]
) -> None:
    """Every command but rating says so, and leaves it as it is."""
    (path,) = office.out(1)
    before = path.read_bytes()
    done = wavelock("--study", path, *words)
    assert done.code == 2
    assert done.err == (
        f"wavelock: {path} is a packet, not a study; it is for: wavelock rate {path}\n"
    )
    assert path.read_bytes() == before


def test_a_replaced_seat_names_its_packet(
    wavelock: Wavelock, office: Office, planted: Planted
) -> None:
    """Who gives a seat away reads that what is still out is no longer taken."""
    office.rate(office.study.path, 1, 1)
    (path,) = office.out(1)
    done = wavelock("--study", planted.path, "round", "replace", "CANARY-ROUND", 1)
    assert f"packet {path.name[8:13]} of this seat is no longer taken" in done.err


def test_a_packet_that_is_not_there(wavelock: Wavelock, tmp_path: Path) -> None:
    """Who opens a file that is not there, or is something else, reads which one and what is so."""
    done = wavelock("rate", "--plain", tmp_path / "none.packet")
    assert done.code == 2
    assert f"File '{tmp_path / 'none.packet'}' does not exist." in done.err
    (tmp_path / "letter.txt").write_text("Dear all")
    done = wavelock("rate", "--plain", tmp_path / "letter.txt")
    assert (done.code, done.out) == (2, "")
    assert "is no packet, and was left untouched" in done.err


@pytest.mark.parametrize("words", [(), ("--plain",)], ids=["screens", "lines"])
def test_a_study_is_no_packet(wavelock: Wavelock, planted: Planted, words: tuple[str, ...]) -> None:
    """Nobody is asked for a code in a study taken for a packet, or told to send the study away."""
    done = wavelock("rate", planted.path, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"wavelock: {planted.path} is no packet, and was left untouched; ask for the file again\n"
    )
