"""Following a round, once and live; forms that are chosen when it is planned."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from tests.cli.test_bad_input import one_line

WAVELOCK = Path(sys.executable).with_name("wavelock")


def test_a_status_is_what_came_in_and_who_sits_where(wavelock: Any, study_path: Path) -> None:
    """For people both tables, for programs the seats."""
    shown = wavelock("--study", study_path, "round", "status", "people").out
    assert shown.startswith("Round people (main) is open")
    assert re.search(r"ratings +1 of 4 +2 of 4 seats", shown)
    assert "choice: not computable: no shared item." in shown
    seats = json.loads(wavelock("--study", study_path, "round", "status", "people", "--json").out)
    assert [row["done"] for row in seats["rows"]] == [1, 0, 0, 0, 1]


WATCHED = [("round", "status", "people"), ("runs", "status")]


@pytest.mark.parametrize("command", WATCHED, ids=" ".join)
def test_watching_needs_a_terminal(wavelock: Any, study_path: Path, command: Any) -> None:
    """Nothing is drawn into a pipe for ever, nor JSON into a terminal."""
    done = wavelock("--study", study_path, *command, "--watch")
    assert "--watch needs a terminal" in one_line(done)
    for form in ("--json", "--csv"):
        done = wavelock("--study", study_path, *command, "--watch", form)
        assert f"without it {form} prints everything once" in one_line(done)


@pytest.mark.parametrize("lines", [12, 24])
@pytest.mark.parametrize("command", WATCHED, ids=" ".join)
def test_watching_never_scrolls(
    workshop: Any, study_path: Path, command: tuple[str, ...], lines: int
) -> None:
    """However much there is, a picture ends above the last line, and counts what is missing."""
    study = workshop.open(study_path)
    for number in range(30):
        config = {"conditions": [], "samples": 1, "waves": []}
        study.runs.start(f"a-model-with-a-name-{number}", "chat", config)
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    child = subprocess.Popen(
        [WAVELOCK, "--study", study_path, *command, "--watch"],
        stdin=follower, stdout=follower, stderr=subprocess.PIPE,
        env=dict(os.environ),  # readline, which pytest loads, sets LINES behind Python's back
    )  # fmt: skip
    os.close(follower)
    try:
        seen = read_until(leader, "without --watch")
    finally:
        child.kill()
        child.communicate()
        os.close(leader)
    assert re.search(r"\.\.\. and \d+ more", seen)
    assert seen.count("\n") < lines


def test_watching_shows_what_comes_in_until_it_is_interrupted(
    workshop: Any, study_path: Path
) -> None:
    """A new rating appears by itself; Ctrl-C ends it with 130 and one line."""
    command = [WAVELOCK, "--study", study_path, "round", "status", "people", "--watch"]
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [*command, "--every", "0.2"], stdin=follower, stdout=follower, stderr=subprocess.PIPE
    )
    os.close(follower)
    try:
        read_until(leader, "1 of 4")
        study = workshop.open(study_path)
        campaign = study.rounds.named("people")
        sitting = RatingSitting.at_seat(study, study.rounds.seats(campaign.id, "rater")[1])
        sitting.save({"choice": "A", "confidence": 3, "naturalness": 3}, seconds=5)
        read_until(leader, "2 of 4")
        child.send_signal(signal.SIGINT)
        _, told = child.communicate(timeout=20)
    finally:
        child.kill()
        child.communicate()
        os.close(leader)
    assert child.returncode == 130
    assert told.decode().splitlines()[-1].startswith("wavelock: interrupted")
    assert b"Traceback" not in told


def read_until(leader: int, wanted: str, seconds: float = 30) -> str:
    """Read from a terminal until a text has come, not longer than that; return what came."""
    seen, end = "", time.monotonic() + seconds
    os.set_blocking(leader, False)
    while wanted not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen):
        assert time.monotonic() < end, seen
        try:
            seen += os.read(leader, 65536).decode("utf-8", "replace")
        except BlockingIOError:
            time.sleep(0.02)
    return seen


def test_agreement_is_shown_by_family(wavelock: Any, study_path: Path) -> None:
    """--by adds the values of a fact; an unknown fact is named with those that there are."""
    command = ("--study", study_path, "agreement", "rehearsal", "--replicates", "200")
    rows = json.loads(wavelock(*command, "--by", "domain", "--json").out)["rows"]
    assert {"all", "Active", "domain: travel"} <= {row["group"] for row in rows}
    assert {"kappa", "alpha", "AC1", "ICC(2,k)"} <= set(wavelock(*command).out.split())
    assert "facts are: constraint, domain" in one_line(wavelock(*command, "--by", "nosuch"))


PLAN = ("--seats", "4", "--ratings", "1")


@pytest.mark.parametrize("form", ["wise", "grading", "compliance"])
def test_a_round_is_planned_with_a_shipped_form(wavelock: Any, study_path: Path, form: str) -> None:
    """Its questions are those of the form, and that no rule can decide on it is said at once."""
    done = wavelock("--study", study_path, "round", "plan", "new", *PLAN, "--form", form)
    assert done.code == 0, done
    assert f"note: the form {form} can be rated and analysed, but not decided on" in done.err
    wavelock("--study", study_path, "round", "open", "new", "--exploratory")
    closed = wavelock("--study", study_path, "round", "close", "new", "--incomplete")
    assert closed.err == "round new is closed; next: wavelock report\n"  # include would refuse it
    refused = wavelock("--study", study_path, "include", "new")
    assert f"its form {form} does not require choice, confidence" in one_line(refused)


def test_a_round_is_planned_with_a_form_of_ones_own(
    wavelock: Any, study_path: Path, tmp_path: Path
) -> None:
    """A TOML file is checked when it is loaded: file and line for a fault, and no round."""
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\n[[question]]\nid = "q"\nkind = "star"\ntext = "?"\n')
    command = ("--study", study_path, "round", "plan", "new", *PLAN, "--form", path)
    assert f"{path}, line 4, question q: kind must be one of" in one_line(wavelock(*command))
    path.write_text(path.read_text().replace("star", "yes-no"))
    assert wavelock(*command).code == 0
    assert "there is no form 'zeal'" in one_line(wavelock(*command[:-1], "zeal"))
