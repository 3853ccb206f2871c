"""Guessing access codes: waits that double, outlive a restart, and tell nothing."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused, TooManyCodes
from db import attempts
from db.attempts import (
    FREE,
    FREE_HERE,
    FREE_OVERALL,
    LONGEST,
    LONGEST_HERE,
    ORIGIN,
)
from db.file import StudyFile, open_study


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self) -> str:
        return self.moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def on(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(attempts, "now", found)
    return found


@pytest.fixture
def study(workshop: Any, study_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyFile:
    monkeypatch.setattr("db.people._scrypt", lambda secret, salt: secret.encode() + salt)
    found: StudyFile = workshop.open(study_path)
    return found


def code_of(study: StudyFile) -> str:
    return study.people.issue_code(study.rounds.seats(study.rounds.named("people").id)[3].id)


def wait(study: StudyFile, code: str) -> int:
    """Try a wrong code; return the seconds that must be waited, 0 for a plain refusal."""
    with pytest.raises(Refused) as caught:
        study.people.seat_of(code)
    found = re.match(r"too many wrong codes; wait (\d+) second", str(caught.value))
    assert bool(found) == isinstance(caught.value, TooManyCodes)
    return int(found[1]) if found else 0


@pytest.mark.parametrize("known", [True, False])
def test_waits_double(study: StudyFile, clock: Clock, known: bool) -> None:
    """After five wrong codes each one costs twice the wait, whether or not the handle exists."""
    wrong = f"{code_of(study)[:5]}AAAAAAAA" if known else "ZZZZ-AAAAAAAA"
    assert [wait(study, wrong) for _ in range(FREE)] == [0] * FREE
    waits = []
    for _ in range(12):
        waits.append(wait(study, wrong))
        clock.on(waits[-1])
        assert wait(study, wrong) == 0
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, LONGEST, LONGEST]


def test_a_right_code_works_after_the_wait(study: StudyFile, clock: Clock) -> None:
    """Not before, with the same sentence as for any other; and it ends the counting."""
    code = code_of(study)
    for _ in range(FREE):
        wait(study, f"{code[:-1]}2" if code[-1] != "2" else f"{code[:-1]}3")
    assert wait(study, code) == 1
    clock.on(1)
    seat = study.people.seat_of(code)
    assert seat.round == study.rounds.named("people").id
    assert wait(study, f"{code[:5]}AAAAAAAA") == 0
    assert study.people.seat_of(code) == seat


def test_waiting_is_not_counted(study: StudyFile, clock: Clock) -> None:
    """Who types on during a wait does not make it longer."""
    for _ in range(FREE):
        wait(study, "ZZZZ-AAAAAAAA")
    assert {wait(study, "ZZZZ-AAAAAAAA") for _ in range(20)} == {1}
    clock.on(1)
    assert wait(study, "ZZZZ-AAAAAAAA") == 0


def test_a_restart_forgets_nothing(study: StudyFile, clock: Clock) -> None:
    """The waits are in the file, not in a process."""
    for _ in range(FREE):
        wait(study, "ZZZZ-AAAAAAAA")
    with open_study(study.path) as again:
        assert wait(again, "ZZZZ-AAAAAAAA") == 1


def test_many_handles_wait_together(study: StudyFile, clock: Clock) -> None:
    """Who tries one secret on every handle waits as well; later everything is as before."""
    letters = "ABCDEFGHJK"
    handles = [f"ZZ{one}{two}" for one in letters for two in letters]
    waits = [wait(study, f"{handle}-AAAAAAAA") for handle in handles]
    assert waits[:FREE_OVERALL] == [0] * FREE_OVERALL
    assert set(waits[FREE_OVERALL:]) == {1}
    clock.on(3600)
    assert wait(study, "ZZZZ-AAAAAAAA") == 0


def test_a_clock_set_back_locks_nobody_out(study: StudyFile, clock: Clock) -> None:
    """A wait does not grow by the time that a clock was set back."""
    code = code_of(study)
    for _ in range(FREE + 2):
        wait(study, f"{code[:5]}AAAAAAAA")
    clock.on(-86_400)
    assert study.people.seat_of(code)


def test_nothing_that_was_typed_is_kept(study: StudyFile, clock: Clock) -> None:
    """Of a wrong code the file has a salted digest; somebody may have typed a name."""
    wait(study, "Margarethe Mustermann")
    for file in study.path.parent.iterdir():
        assert b"MARG" not in file.read_bytes().upper()


def guess(number: int) -> str:
    """Return a wrong code whose handle was not tried before."""
    letters = "ABCDEFGHJK"
    return "".join(letters[int(digit)] for digit in f"{number:04}") + "-WRONGONE"


@pytest.fixture
def sit_at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that moves whoever types to another address."""
    return lambda place: monkeypatch.setenv(ORIGIN, place)


def test_one_address_waits_whatever_handles_it_tries(
    study: StudyFile, clock: Clock, sit_at: Any
) -> None:
    """Twenty wrong codes are free, then each costs twice the wait, up to five minutes."""
    sit_at("one")
    waits = []
    for number in range(FREE_HERE + 12):
        told = wait(study, guess(number))
        waits.append(told)
        clock.on(told)
        if told:
            assert wait(study, guess(number)) == 0
    assert waits[:FREE_HERE] == [0] * FREE_HERE
    doubled = [min(2**step, LONGEST_HERE) for step in range(12)]
    assert waits[FREE_HERE : FREE_HERE + 8] == doubled[:8]
    assert max(waits) <= LONGEST_HERE


def test_a_crowd_of_addresses_keeps_no_honest_person_out(
    study: StudyFile, clock: Clock, sit_at: Any
) -> None:
    """The crowd waits as a whole; a right code from a quiet address opens at once."""
    code = code_of(study)
    waited = 0
    for number in range(3 * FREE_OVERALL):
        sit_at(f"crowd {number % FREE_OVERALL}")
        waited += wait(study, guess(number)) > 0
    assert waited == 2 * FREE_OVERALL
    sit_at("crowd 3")
    assert wait(study, code) > 0
    sit_at("honest")
    assert study.people.seat_of(code).role == "rater"


def test_a_right_code_does_not_whitewash_its_address(
    study: StudyFile, clock: Clock, sit_at: Any
) -> None:
    """Who has a code of their own cannot use it to guess without end."""
    code = code_of(study)
    sit_at("one")
    for number in range(FREE_HERE):
        assert wait(study, guess(number)) == 0
        if number % 5 == 0:
            study.people.seat_of(code)
    assert wait(study, guess(FREE_HERE)) > 0


def test_an_origin_is_kept_only_where_there_is_one(study: StudyFile, sit_at: Any) -> None:
    """At the machine of the study no address is noted; through a server its digest is."""
    rows = "SELECT origin FROM code_attempt_origins ORDER BY attempt"
    before = list(study._db.execute(rows))
    wait(study, guess(1))
    assert list(study._db.execute(rows)) == before
    sit_at("a digest")
    wait(study, guess(2))
    assert list(study._db.execute(rows)) == [*before, ("a digest",)]
