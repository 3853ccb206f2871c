"""Bad input gets one line that says what is wrong, and exit code 2; nothing is changed by it."""

from __future__ import annotations

import os
import pty
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest
from click.types import FloatParamType, IntParamType

from cli.main import cli
from cli.numbers import Number, NumberRange

ON_A_STUDY: tuple[tuple[str, ...], ...] = (
    ("items", "list"),
    ("items", "show", "S01"),
    ("items", "check"),
    ("round", "list"),
    ("round", "plan", "new"),
    ("round", "open", "next"),
    ("round", "status", "people"),
    ("round", "rehearse", "people"),
    ("round", "close", "people"),
    ("agreement", "rehearsal"),
    ("include", "rehearsal"),
    ("wave", "freeze"),
    ("prereg", "show"),
    ("prereg", "template"),
    ("wave", "list"),
    ("wave", "verify"),
    ("run", "--model", "scripted"),
    ("runs", "list"),
    ("sets", "show"),
    ("sets", "declare", "primary", "--models", "m", "--reason", "r"),
    ("score",),
    ("report",),
    ("ledger", "show"),
    ("ledger", "head"),
    ("ledger", "verify"),
    (),
)


def one_line(done: Any, code: int = 2) -> str:
    """Check that a command failed as it should, and return its one line."""
    assert done.code == code, done
    assert done.err.startswith("wavelock: ")
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    if code == 2:
        assert done.out == ""
    return str(done.err)


@pytest.mark.parametrize("command", ON_A_STUDY, ids=" ".join)
@pytest.mark.parametrize("kind", ["missing", "text", "foreign"])
def test_a_wrong_study_file_is_left_alone(
    wavelock: Any, tmp_path: Path, command: tuple[str, ...], kind: str
) -> None:
    """Every command names a file that is no study, and neither changes nor makes one."""
    path = tmp_path / "study.db"
    if kind == "text":
        path.write_text("notes")
    if kind == "foreign":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE t (x)")
    before = path.read_bytes() if path.exists() else None
    line = one_line(wavelock("--study", path, *command))
    assert str(path) in line
    assert ("wavelock init" in line) == (kind == "missing")
    assert (path.read_bytes() if path.exists() else None) == before


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown command": (("nosuch",), "No such command 'nosuch'"),
    "unknown part": (("round", "nosuch"), "No such command 'nosuch'"),
    "unknown option": (("items", "list", "--nosuch"), "No such option"),
    "missing argument": (("include",), "Missing argument 'ROUND'"),
    "argument too many": (("score", "x"), "unexpected extra argument"),
    "round that is not there": (("round", "status", "nosuch"), "rounds are: rehearsal, tried"),
    "opening what is not there": (("round", "open", "nosuch"), "there is no round 'nosuch'"),
    "agreement of what is not there": (("agreement", "nosuch"), "there is no round 'nosuch'"),
    "including what is not there": (("include", "nosuch"), "there is no round 'nosuch'"),
    "opening an open round": (("round", "open", "people"), "people is open already"),
    "closing a planned round": (("round", "close", "next"), "next is planned, not open"),
    "closing twice": (("round", "close", "tried"), "tried is closed, not open"),
    "simulating people": (("round", "rehearse", "people"), "only rehearsals are simulated"),
    "simulating before opening": (("round", "rehearse", "next"), "only rehearsals are simulated"),
    "a name that is taken": (("round", "plan", "people"), "there is a round 'people' already"),
    "a blank name": (("round", "plan", " "), "is no name for a round"),
    "numbers that cannot be": (
        ("round", "plan", "new", "--seats", "10"),
        "use --seats 20, or --ratings 2",
    ),
    "no ratings": (("round", "plan", "new", "--ratings", "0"), "Invalid value for '--ratings'"),
    "no seats": (("round", "plan", "new", "--seats", "0"), "Invalid value for '--seats'"),
    "no auditors": (("round", "plan", "new", "--auditors", "-1"), "Invalid value for '--audit"),
    "a seed below zero": (("round", "plan", "new", "--seed", "-1"), "Invalid value for '--seed'"),
    "a seed beyond the file": (("round", "plan", "new", "--seed", "9" * 25), "for '--seed'"),
    "an unknown kind": (("round", "plan", "new", "--kind", "x"), "Invalid value for '--kind'"),
    "an unknown design": (("round", "plan", "new", "--design", "x"), "for '--design'"),
    "deciding an open round": (("include", "people", "--commit"), "wavelock round close people"),
    "deciding practice": (("include", "tried", "--commit"), "practice never feeds a decision"),
    "deciding twice": (("include", "rehearsal", "--commit"), "rehearsal was decided already"),
    "freezing nothing": (("wave", "freeze"), "there is nothing to freeze"),
    "an unknown scenario": (("items", "show", "nosuch"), "there is no scenario nosuch"),
    "an unknown table": (("report", "nosuch"), "tables are: paired, human, states"),
    "an unknown table as a page": (("report", "nosuch", "--html", "x.html"), "no table 'nosuch'"),
    "an unknown wave": (("report", "--waves", "9"), "there is no wave 9"),
    "a wave in words": (("report", "--waves", "one"), "'one' is no list of wave numbers"),
    "too few replicates": (("report", "--replicates", "1"), "replicates must be at least"),
    "replicates in words": (("report", "--replicates", "many"), "for '--replicates'"),
    "far too many replicates": (("report", "--replicates", "9" * 25), "must be at most 1,000,000"),
    "far too many for judges": (
        ("judge", "agreement", "--replicates", "9" * 25),
        "must be at most 1,000,000",
    ),
    "a page without a name": (("report", "--html", ""), "a file to write needs a name"),
    "a wave beyond the file": (("wave", "show", "9" * 25), "Invalid value for 'WAVE'"),
    "a run beyond the file": (("runs", "check", str(2**63)), "Invalid value for '[RUN]'"),
    "a report seed below zero": (("report", "--seed", "-1"), "seed"),
    "several tables as CSV": (("report", "--csv"), "CSV holds one table; name the one"),
    "a page in place of a folder": (("report", "--html", "."), "is a directory"),
    "a page where none can be": (("report", "--html", "/proc/nosuch/x.html"), "/proc/nosuch"),
    "no model": (("run",), "say which models"),
    "a run that is not registered": (
        ("run", "--model", "scripted", "-k", "9"),
        "samples is 9, registered 2; round rehearsal of wave 1 is exploratory",
    ),
    "an unknown model": (("run", "--model", "gpt"), "is no model; use embedded, scripted, or"),
    "a key in the address": (
        ("run", "--model", "http://u:p@127.0.0.1/v1"),
        "the URL of a model may carry no key",
    ),
    "no samples": (("run", "--model", "scripted", "-k", "0"), "at least one condition"),
    "samples without end": (
        ("run", "--model", "scripted", "-k", "9" * 11),
        "Invalid value for '--samples'",
    ),
    "no workers": (("run", "--model", "scripted", "--workers", "0"), "at least one condition"),
    "a condition that is not frozen": (
        ("run", "--model", "scripted", "--conditions", "Nosuch"),
        "there is no frozen condition 'Nosuch'; there is Active, Removed",
    ),
    "running an unknown wave": (("run", "--model", "scripted", "--waves", "9"), "no wave 9"),
    "a cold model": (
        ("run", "--model", "http://127.0.0.1:9/v1", "--temperature", "-1"),
        "a temperature is 0 or more",
    ),
    "rating without a terminal": (("rate",), "the screens need a terminal"),
    "auditing without a terminal": (("audit",), "the screens need a terminal"),
    "the app without a terminal": ((), "the screens need a terminal"),
    "cases that are not there": (("selftest", "--cases", "nosuch.json"), "nosuch.json"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_line(wavelock: Any, study_path: Path, kind: str) -> None:
    """What cannot be done as asked is said in one line, with what can be done where that helps."""
    before = sqlite_dump(study_path)
    arguments, sentence = BAD[kind]
    line = one_line(wavelock("--study", study_path, *arguments))
    assert sentence in line
    assert sqlite_dump(study_path) == before


def sqlite_dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump())


def test_a_port_that_nobody_listens_on(wavelock: Any, study_path: Path) -> None:
    """An endpoint that is not there is named, and no answer is invented for it."""
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"
    line = one_line(wavelock("--study", study_path, "run", "--model", url))
    assert url in line
    one_line(wavelock("--study", study_path, "run", "--model", url, "--api-model", "m"))
    with closing(sqlite3.connect(study_path)) as connection:
        assert connection.execute("SELECT count(*) FROM generations WHERE run > 4").fetchone() == (
            0,
        )


@pytest.mark.parametrize(
    ("place", "suite", "sentence"),
    [
        ("taken", "core100", "taken exists already; choose another name"),
        ("new", "nosuch", "there is no suite 'nosuch'; suites are: "),
        ("taken/below", "core100", "cannot be created"),
        (".", "core100", "exists already"),
    ],
)
def test_init_makes_nothing_from_bad_input(
    wavelock: Any, tmp_path: Path, place: str, suite: str, sentence: str
) -> None:
    """A place that is taken and a suite that is not there leave everything as it was."""
    (tmp_path / "taken").write_text("mine")
    assert sentence in one_line(wavelock("init", tmp_path / place, "--suite", suite))
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
def test_the_demo_never_touches_another_study(
    wavelock: Any, study_path: Path, fresh: tuple[str, ...]
) -> None:
    """A study that is not the demo's is neither continued nor removed, not even by --fresh."""
    before = study_path.read_bytes()
    done = wavelock("demo", "--dir", study_path.parent, "--no-tui", "--model", "scripted", *fresh)
    assert "is a study, but not the demo's; choose another --dir" in one_line(done)
    assert study_path.read_bytes() == before


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
def test_the_demo_never_touches_what_is_no_study(
    wavelock: Any, tmp_path: Path, fresh: tuple[str, ...]
) -> None:
    """Some other file in the demo's place is left alone."""
    path = tmp_path / "study.db"
    path.write_text("my notes")
    done = wavelock("demo", "--dir", tmp_path, "--no-tui", "--model", "scripted", *fresh)
    assert "is not a Wavelock study" in one_line(done)
    assert path.read_text() == "my notes"


def test_the_study_may_be_named_by_the_environment(
    wavelock: Any, study_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --study it is WAVELOCK_STUDY, else study.db in the folder one is in."""
    monkeypatch.chdir(tmp_path)
    assert wavelock("round", "list").code == 0
    monkeypatch.setenv("WAVELOCK_STUDY", str(tmp_path / "other.db"))
    assert "other.db does not exist" in one_line(wavelock("round", "list"))
    shutil.copy(study_path, tmp_path / "other.db")
    assert wavelock("round", "list").code == 0


@pytest.mark.parametrize("group", ["items", "prereg", "round", "wave", "runs", "ledger"])
def test_a_noun_alone_gets_its_help(wavelock: Any, group: str) -> None:
    """A group without a command lists its commands, on standard error, and is bad input."""
    done = wavelock(group)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Usage: wavelock {group}")
    assert "Commands:" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("--study", "x\x1b[31my.db", "round", "list"),
        ("items", "show", "S\x1b[31m1"),
        ("packet", "in", "x\x1b[31my.packet"),
        ("prereg", "freeze", "x\x1b[31my.toml"),
        ("x\x1b[31my",),
    ],
    ids=lambda words: " ".join(words[:3]).replace("\x1b", "ESC"),
)
def test_a_refusal_does_not_act_on_the_terminal(study_path: Path, words: tuple[str, ...]) -> None:
    """A name is repeated as it was typed, with what a terminal would obey made visible."""
    command = [Path(sys.executable).with_name("wavelock"), "--study", study_path, *words]
    reader, terminal = pty.openpty()  # Click hides such characters from a pipe, not from a terminal
    try:
        done = subprocess.run(command, stderr=terminal, stdout=subprocess.PIPE, check=False)
        shown = os.read(reader, 65536).decode()
    finally:
        os.close(terminal)
        os.close(reader)
    assert (done.returncode, done.stdout, "\x1b" in shown) == (2, b"", False)
    assert "[31m" in shown


def parameters(command: click.Command) -> Iterator[tuple[str, click.Parameter]]:
    """Every option and argument of a command and of all commands below it."""
    for parameter in command.params:
        yield f"{command.name} {parameter.opts[0]}", parameter
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from parameters(below)


def test_no_option_takes_what_is_no_number() -> None:
    """NaN passes through every comparison, so each number is asked whether it is one."""
    numbers = {name: o.type for name, o in parameters(cli) if isinstance(o.type, FloatParamType)}
    assert len(numbers) > 10
    assert {type(kind) for kind in numbers.values()} == {Number, NumberRange}, numbers
    for kind in (Number(), NumberRange(0)):
        for text in ("nan", "-nan", "inf", "-inf", "1e400"):
            with pytest.raises(click.BadParameter):
                kind.convert(text, None, None)


def test_every_whole_number_fits_into_the_file() -> None:
    """What is looked up in the study by number has bounds, for SQLite holds none beyond them."""
    unbounded = {
        name
        for name, option in parameters(cli)
        if type(option.type) is IntParamType and not name.endswith(("--seed", "--replicates"))
    }
    assert unbounded == {"run --workers", "ask --workers", "mock --port"}  # of no table


DEEP = {"toml": "a = " + "[" * 5_000 + "]" * 5_000, "json": "[" * 100_000}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("toml", ("round", "plan", "new", "--form")),
        ("toml", ("round", "plan", "new", "--rule")),
        ("toml", ("prereg", "freeze")),
        ("toml", ("models", "list", "--models")),
        ("toml", ("import", "ratings", "x.csv", "--round", "r", "--map")),
        ("json", ("selftest", "--cases")),
        ("json", ("items", "import")),
    ],
    ids=str,
)
def test_a_file_that_is_nested_too_deeply_is_refused(
    wavelock: Any, study_path: Path, tmp_path: Path, kind: str, words: tuple[str, ...]
) -> None:
    """However deep, no reader of ours gives up on a file with more than a line."""
    path = tmp_path / f"deep.{kind}"
    path.write_text(DEEP[kind])
    done = wavelock("--study", study_path, *words, path)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert str(path) in done.err


def test_a_long_argument_is_not_repeated_in_full(wavelock: Any, study_path: Path) -> None:
    """A file's content in the place of its name fills no screen."""
    line = one_line(wavelock("--study", study_path, "round", "status", "x" * 5_000))
    assert len(line) < 600
    assert "rounds are: rehearsal" in line
