"""Seats during a round: states, idle time, and one person after another on the same list."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from audit.sitting import AuditSitting
from audit.verify import study_faults
from core.errors import NotFound, Refused
from core.study import Seat, SeatStatus
from db.file import StudyFile

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}
OTHER = {"choice": "B", "confidence": 2, "naturalness": 5}
NOW = datetime.now(UTC)


def made(workshop: Any, tmp_path: Path, **plan: Any) -> StudyFile:
    """A study of five scenarios with an open round, one seat per list."""
    found: StudyFile = workshop.create(tmp_path / "study.db", 5)
    workshop.opened(found, **plan)
    return found


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    return made(workshop, tmp_path)


def seat_of(study: StudyFile, number: int = 1, role: Any = "rater") -> Seat:
    return study.seats.find(1, number, role)


def rate(study: StudyFile, seat: Seat, count: int, answers: Any = GOOD) -> RatingSitting:
    sitting = RatingSitting.at_seat(study, seat)
    for _ in range(count):
        sitting.save(answers)
        sitting.forward()
    return sitting


def texts(sitting: RatingSitting) -> list[str]:
    """Walk a sitting from the first item to the last, saving, and return what was shown."""
    seen = []
    while not sitting.finished:
        seen.append(sitting.view().item.text)
        sitting.save(OTHER)
        sitting.forward()
    return seen


def planned(study: StudyFile, seat: Seat) -> list[str]:
    return [study.items.revision(a.revision).text for a in study.rounds.assignments(seat.id)]


def later(**passed: float) -> str:
    moment = NOW + timedelta(**passed)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def status(study: StudyFile, number: int = 1, **passed: float) -> SeatStatus:
    found = study.seats.status(1, later(**passed))
    return next(s for s in found if s.seat.number == number and s.seat.role == "rater")


def test_a_seat_goes_through_its_states(study: StudyFile) -> None:
    """Free, then active, then idle, abandoned after the round's limit, and done for good."""
    assert status(study).state == "free"
    sitting = rate(study, seat_of(study), 2)
    assert (status(study).state, status(study).done, status(study).total) == ("active", 2, 5)
    assert status(study, hours=2).state == "idle"
    assert not status(study, hours=71).abandoned
    assert status(study, hours=73).abandoned
    assert status(study, hours=73).idle_minutes in range(72 * 60, 73 * 60 + 1)
    texts(sitting)
    done = status(study, days=400)
    assert (done.state, done.idle_minutes, done.abandoned) == ("done", None, False)


def test_a_seat_nobody_has_taken_is_not_abandoned(study: StudyFile) -> None:
    """Nothing is waited for from nobody, and after the closing from nobody at all."""
    assert (status(study, days=99).state, status(study, days=99).abandoned) == ("free", False)
    rate(study, seat_of(study), 1)
    study.rounds.close(1)
    assert not status(study, days=99).abandoned


def test_a_clock_set_back_abandons_nobody(
    study: StudyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a clock set back now, nor one that was set back while people worked."""
    rate(study, seat_of(study), 1)
    assert not status(study, days=-400).abandoned
    assert status(study, days=-400).idle_minutes == 0
    for module in ("db.ratings", "db.people"):
        monkeypatch.setattr(f"{module}.now", lambda: later(days=-30))
    rate(study, seat_of(study, 2), 1)
    found = status(study, 2, minutes=5)
    assert found.last_at == later(days=-30)
    assert (found.state, found.abandoned) == ("active", False)


def test_an_auditor_has_a_state_as_well(study: StudyFile) -> None:
    """Auditors' seats are followed by their verdicts."""
    AuditSitting.at_seat(study, seat_of(study, 1, "auditor")).save(only_intended=True)
    found = study.seats.status(1, later(hours=1))[-1]
    assert (found.seat.role, found.state, found.done, found.total) == ("auditor", "idle", 1, 5)
    assert found.last_at


@pytest.mark.parametrize("count", [0, 1, 3, 4])
def test_a_replacement_gets_the_rest_in_the_same_order(study: StudyFile, count: int) -> None:
    """Where ratings are kept, the replacement sees what is left, in the order of the plan."""
    seat = seat_of(study)
    rate(study, seat, count)
    done = study.seats.replace(seat)
    assert (done.kept, done.void, done.left) == (count, 0, 5 - count)
    assert status(study).state == "replaced"
    sitting = RatingSitting.enter(study, done.code)
    assert (sitting.total, sitting.done, sitting.view().number) == (5 - count, 0, 1)
    assert texts(sitting) == planned(study, seat)[count:]
    given = study.ratings.of_round(1)
    assert len(given) == 5
    assert len({rating.person for rating in given}) == (2 if count else 1)
    assert status(study).state == "done"
    assert study_faults(study) == ()


@pytest.mark.parametrize("count", [0, 2, 4])
def test_where_ratings_are_void_the_whole_list_is_shown(
    workshop: Any, tmp_path: Path, count: int
) -> None:
    """Void ratings count nowhere, are never deleted, and the replacement rates everything."""
    study = made(workshop, tmp_path, on_replace="void")
    seat = seat_of(study)
    rate(study, seat, count)
    done = study.seats.replace(seat)
    assert (done.kept, done.void, done.left) == (0, count, 5)
    assert study.ratings.of_round(1) == study.ratings.events_of_round(1) == ()
    assert texts(RatingSitting.enter(study, done.code)) == planned(study, seat)
    given = study.ratings.of_round(1)
    assert [rating.answers for rating in given] == [OTHER] * 5
    with closing(sqlite3.connect(study.path)) as plain:
        assert plain.execute("SELECT count(*) FROM ratings").fetchone()[0] == 5 + count
    assert study_faults(study) == ()
    study.rounds.close(1)
    assert study_faults(study) == ()


def test_audits_are_kept_or_void_as_well(workshop: Any, tmp_path: Path) -> None:
    """An auditor who is replaced is treated like a rater."""
    study = made(workshop, tmp_path, on_replace="void")
    seat = seat_of(study, 1, "auditor")
    AuditSitting.at_seat(study, seat).save(only_intended=True)
    done = study.seats.replace(seat)
    assert (done.void, study.audits.of_round(1)) == (1, ())
    assert AuditSitting.enter(study, done.code).total == 5


def test_the_replaced_person_is_told_kindly(study: StudyFile) -> None:
    """The old code no longer works, and an open screen saves nothing more, neither new nor old."""
    seat = seat_of(study)
    code = study.people.issue_code(seat.id)
    sitting = RatingSitting.enter(study, code)
    sitting.save(GOOD)
    sitting.forward()
    study.seats.replace(seat)
    for step in (sitting.view, sitting.back):
        step()
        with pytest.raises(Refused, match="this seat is no longer yours; thank you"):
            sitting.save(OTHER)
    with pytest.raises(Refused, match="not known"):
        RatingSitting.enter(study, code)
    assert [rating.answers for rating in study.ratings.of_round(1)] == [GOOD]


def test_finished_work_is_never_taken_away(study: StudyFile) -> None:
    """A finished seat cannot be replaced, nor one that nobody has or whose round is not open."""
    texts(rate(study, seat_of(study), 0))
    with pytest.raises(Refused, match="seat 1 of round main is finished"):
        study.seats.replace(seat_of(study))
    with pytest.raises(Refused, match="nobody sits in rater seat 2"):
        study.seats.replace(seat_of(study, 2))
    with pytest.raises(NotFound, match="no rater seat 9"):
        seat_of(study, 9)
    rate(study, seat_of(study, 2), 1)
    study.rounds.close(1)
    with pytest.raises(Refused, match="main is closed, not open"):
        study.seats.replace(seat_of(study, 2))


def test_a_replacement_can_be_replaced(study: StudyFile) -> None:
    """One after the other, each has what the ones before left."""
    seat = seat_of(study)
    for left in (5, 4, 3):
        assert rate(study, seat, 1).total == left
        study.seats.replace(seat)
    assert len({rating.person for rating in study.ratings.of_round(1)}) == 3


def test_a_replacement_stands_in_the_ledger(study: StudyFile) -> None:
    """The ledger says which seat, who left, what was fixed beforehand, and names no code."""
    seat = seat_of(study)
    rate(study, seat, 2)
    person = study.people.occupant(seat.id)
    assert person
    code = study.seats.replace(seat).code
    entry = study.ledger.entries()[-1]
    assert entry.event == "seat replaced"
    wanted = {"round": "main", "role": "rater", "seat": 1, "on_replace": "keep"}
    assert wanted.items() <= entry.payload.items()
    assert entry.payload["person"] == person.pseudonym
    assert code.partition("-")[2] not in str(entry)


def test_what_is_void_cannot_be_made_to_count(workshop: Any, tmp_path: Path) -> None:
    """Who removes the guards and makes void ratings stand again is found out."""
    study = made(workshop, tmp_path, on_replace="void")
    rate(study, seat_of(study), 2)
    study.seats.replace(seat_of(study))
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute("DROP TRIGGER ratings_changes")
        plain.execute("UPDATE ratings SET void = NULL WHERE id = 1")
        plain.commit()
    assert any("is not void as entry" in fault for fault in study_faults(study))


def test_the_rule_for_replacing_is_part_of_the_plan(workshop: Any, tmp_path: Path) -> None:
    """Two plans that differ in what becomes of ratings, or in the limit, have different hashes."""
    study = workshop.create(tmp_path / "study.db", 3)
    hashes = {
        study.rounds.plan_hash(workshop.plan(study, f"r{number}", **plan).id)
        for number, plan in enumerate(
            [{"on_replace": "keep"}, {"on_replace": "void"}, {"idle_limit": 1}]
        )
    }
    assert len(hashes) == 3
