"""At any moment at most one process works at a seat, and nobody is kept out for long."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from audit.sitting import AuditSitting
from core.errors import Refused, SeatInUse, SeatLost
from core.study import Seat
from db import processes, sittings
from db.file import StudyFile, open_study

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    """A study of five scenarios with an open round, one seat per list."""
    found: StudyFile = workshop.create(tmp_path / "study.db", 5)
    workshop.opened(found)
    return found


@pytest.fixture
def seat(study: StudyFile) -> Seat:
    return study.seats.find(1, 1)


@pytest.fixture
def code(study: StudyFile, seat: Seat) -> str:
    return study.people.issue_code(seat.id)


def at(monkeypatch: pytest.MonkeyPatch, **passed: float) -> None:
    moment = datetime.now(UTC) + timedelta(**passed)
    text = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    monkeypatch.setattr(sittings, "now", lambda: text)


def test_a_second_window_asks_first(study: StudyFile, code: str) -> None:
    """The same code opened twice is asked about; taking over goes on where the other one was."""
    one = RatingSitting.enter(study, code)
    one.save(GOOD)
    one.forward()
    with pytest.raises(SeatInUse, match="this code is open elsewhere; take it over\\?"):
        RatingSitting.enter(study, code)
    one.save(GOOD)
    two = RatingSitting.enter(study, code, take_over=True)
    assert (two.done, two.view().number) == (2, 3)
    one.forward()
    with pytest.raises(SeatLost) as caught:
        one.save(GOOD)
    assert str(caught.value).count(".") == 0
    assert study.ratings.of_seat(1).keys() == {1, 2}
    two.save(GOOD)
    assert len(study.ratings.of_seat(1)) == 3


def test_an_auditor_is_asked_as_well(study: StudyFile) -> None:
    """Auditors' seats are held like raters'."""
    code = study.people.issue_code(study.seats.find(1, 1, "auditor").id)
    one = AuditSitting.enter(study, code)
    with pytest.raises(SeatInUse):
        AuditSitting.enter(study, code)
    AuditSitting.enter(study, code, take_over=True).save(only_intended=True)
    with pytest.raises(SeatLost):
        one.save(only_intended=False)
    assert study.audits.of_round(1)[0].only_intended


def test_who_leaves_can_come_back_at_once(study: StudyFile, code: str) -> None:
    """Leaving frees the seat; leaving twice, or after a take-over, does nothing."""
    one = RatingSitting.enter(study, code)
    one.leave()
    two = RatingSitting.enter(study, code)
    one.leave()
    two.save(GOOD)
    with pytest.raises(SeatLost):
        one.alive()
    assert two.done == 1


def test_a_silent_window_holds_nothing(
    study: StudyFile, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After two minutes without a sign the code opens; with a sign it does not."""
    one = RatingSitting.enter(study, code)
    at(monkeypatch, seconds=110)
    one.alive()
    at(monkeypatch, seconds=220)
    with pytest.raises(SeatInUse):
        RatingSitting.enter(study, code)
    at(monkeypatch, seconds=235)
    RatingSitting.enter(study, code)
    with pytest.raises(SeatLost, match="opened elsewhere"):
        one.save(GOOD)


def test_a_revoked_code_ends_who_works_there(study: StudyFile, seat: Seat, code: str) -> None:
    """After a revocation the open window saves nothing more, and is told why."""
    one = RatingSitting.enter(study, code)
    one.save(GOOD)
    study.people.revoke_codes(seat.id)
    with pytest.raises(SeatLost, match="this code no longer works; what was saved here is kept"):
        one.save({**GOOD, "confidence": 1})
    with pytest.raises(Refused, match="not known"):
        RatingSitting.enter(study, code)


def test_the_file_names_no_machine(study: StudyFile, code: str) -> None:
    """Of the machine a digest is stored, and of the token as well."""
    held = RatingSitting.enter(study, code)._held
    assert held.token not in repr(held)
    for file in study.path.parent.iterdir():
        assert held.token.encode() not in file.read_bytes()
    assert processes.machine().startswith("sha256:")


def test_a_process_is_known_to_be_alive_or_gone() -> None:
    """This process is there; one that has ended is not, whether or not somebody waited for it."""
    assert not processes.dead(processes.process())
    assert processes.dead(f"{processes.process()}0"), "the number was given to another process"
    child = subprocess.Popen(
        [sys.executable, "-c", "from db.processes import process as p; print(p(), flush=True)"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout
    known = child.stdout.readline().strip()
    child.stdout.read()
    while child.poll() is None and not processes.dead(known):
        pass
    child.wait(timeout=30)
    child.stdout.close()
    assert processes.dead(known)


HOLDER = """
import sys
from pathlib import Path
from annotate.sitting import RatingSitting
from core.errors import SeatInUse
from db.file import open_study
with open_study(Path(sys.argv[1])) as study:
    for line in sys.stdin:
        seat = study.rounds.seat(int(line))
        try:
            sitting = RatingSitting.at_seat(study, seat, take_over=False)
            print("held", flush=True)
        except SeatInUse:
            print("in use", flush=True)
"""


@pytest.fixture
def racers(study: StudyFile) -> Iterator[list[subprocess.Popen[str]]]:
    """Two processes that sit down at a seat when they are told its number."""
    found = [
        subprocess.Popen(
            [sys.executable, "-c", HOLDER, study.path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    yield found
    for child in found:
        child.communicate(timeout=30)


def race(racers: list[subprocess.Popen[str]], seat: int) -> list[str]:
    for child in racers:
        assert child.stdin
        child.stdin.write(f"{seat}\n")
    for child in racers:
        assert child.stdin
        child.stdin.flush()
    return sorted(child.stdout.readline().strip() for child in racers if child.stdout)


def races(study: StudyFile, racers: list[subprocess.Popen[str]], count: int) -> None:
    """Race for a seat over and over; it is freed in between by ending what holds it."""
    for turn in range(count):
        seat = 1 + turn % 4
        assert race(racers, seat) == ["held", "in use"], f"race {turn}"
        study.sittings.end_seat(seat, "left")
    assert sum(p.person is not None for p in study.rounds.progress(1)) == 4
    assert len(study.people.all()) == 4


def test_races_never_have_two_winners(
    study: StudyFile, racers: list[subprocess.Popen[str]]
) -> None:
    """Of two processes that want one seat exactly one gets it; a newcomer is one person."""
    races(study, racers, 40)


@pytest.mark.soak
def test_a_thousand_races(study: StudyFile, racers: list[subprocess.Popen[str]]) -> None:
    """The same, 1,000 times."""
    races(study, racers, 1_000)


def test_who_was_killed_comes_back_at_once(study: StudyFile, seat: Seat) -> None:
    """A killed process holds nothing on its own machine, even before anybody waits for it."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, study.path],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdin
    assert child.stdout
    child.stdin.write(f"{seat.id}\n")
    child.stdin.flush()
    assert child.stdout.readline() == "held\n"
    with pytest.raises(SeatInUse):
        RatingSitting.at_seat(study, seat, take_over=False)
    child.kill()
    child.stdout.read()  # returns when the process has ended; nobody has waited for it yet
    with open_study(study.path) as again:
        for _ in range(1_000):
            try:
                RatingSitting.at_seat(again, seat, take_over=False).save(GOOD)
                break
            except SeatInUse:
                continue
        assert len(again.ratings.of_seat(seat.id)) == 1
    child.communicate(timeout=30)


def test_those_at_work_are_told_by_pseudonym(
    study: StudyFile, seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who sits where since when; nobody who left, is silent for long, or whose process ended."""
    assert study.sittings.at_work() == ()
    held = study.sittings.begin(seat)
    (found,) = study.sittings.at_work()
    assert (found.pseudonym, found.round, found.role) == (held.person.pseudonym, "main", "rater")
    assert (found.seat, found.process) == (seat.number, processes.process())
    assert found.started_at == found.seen_at
    with monkeypatch.context() as later:
        at(later, seconds=sittings.HOLD + 1)
        assert study.sittings.at_work() == ()
    with monkeypatch.context() as ended:
        ended.setattr(processes, "dead", lambda known: True)
        assert study.sittings.at_work() == ()
    study.sittings.end(held)
    assert study.sittings.at_work() == ()
