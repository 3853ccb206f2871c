"""Who withdraws counts nowhere from then on, and can be forgotten without a broken chain."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from audit.agreement import agreement_table
from audit.freezing import freeze
from audit.inclusion import commit, decide_round
from audit.sitting import AuditSitting
from audit.verify import study_faults
from core.errors import InputError, NotFound, Refused
from core.study import Round
from db.file import StudyFile
from exports.ratings import ratings_data
from exports.report import collect
from suites.core100.suite import SUITE

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}
SECRET = "a-word-that-nobody-else-says"


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    """A study of four scenarios with an open round, two seats per list."""
    found: StudyFile = workshop.create(tmp_path / "study.db", 4)
    workshop.opened(found, ratings=2)
    return found


@pytest.fixture
def closed(workshop: Any, study: StudyFile) -> Round:
    found: Round = workshop.rate(study, study.rounds.named("main"))
    return found


def person(study: StudyFile, number: int = 1, role: Any = "rater") -> str:
    found = study.people.occupant(study.seats.find(1, number, role).id)
    assert found
    return found.pseudonym


def rated(study: StudyFile, number: int = 1, count: int = 2) -> RatingSitting:
    sitting = RatingSitting.at_seat(study, study.seats.find(1, number))
    for _ in range(count):
        sitting.save(GOOD, comment=f"{SECRET} once")
        sitting.save(GOOD, comment=f"{SECRET} twice")
        sitting.forward()
    return sitting


def test_a_withdrawal_counts_in_every_reader(study: StudyFile, closed: Round) -> None:
    """Ratings, events, agreement, decisions, exports, reports and progress leave the person out."""
    name = person(study)
    before = study.ratings.of_round(1)
    done = study.withdrawals.withdraw(name)
    assert (done.ratings, done.audits, done.rounds) == (4, 0, ("main",))
    after = study.ratings.of_round(1)
    assert [r for r in before if r.person != name] == list(after)
    assert {e.rating.person for e in study.ratings.events_of_round(1)} == {r.person for r in after}
    table = agreement_table(study, closed, replicates=40, seed=1)
    assert table.rows[0]["ratings"] == 28
    exported = ratings_data(study, [closed])
    assert len(exported.rows) == 28
    assert name not in str(exported.rows)
    assert any(decision.verdict == "undecided" for decision in decide_round(study, closed))
    assert sum(p.done for p in study.rounds.progress(1)) == 28 + 4
    assert study_faults(study) == ()


def test_a_withdrawn_person_has_met_nothing(workshop: Any, study: StudyFile) -> None:
    """What somebody rated before they withdrew is no carry-over into a later round."""
    name = rated(study).person.pseudonym
    later = workshop.plan(study, "later", ratings=2)
    with closing(sqlite3.connect(study.path)) as plain:
        seat = study.seats.find(later.id, 1).id
        plain.execute(
            "INSERT INTO occupancies (seat, person, since) SELECT ?, id, '' FROM people", [seat]
        )
        plain.commit()
    assert {met.person for met in study.exposures.of_round(later.id)} == {name}
    study.withdrawals.withdraw(name)
    assert study.exposures.of_round(later.id) == ()


def test_a_withdrawn_auditor_counts_nowhere(study: StudyFile, closed: Round) -> None:
    """Verdicts of an auditor who withdraws are no evidence any more."""
    done = study.withdrawals.withdraw(person(study, 1, "auditor"))
    assert (done.ratings, done.audits) == (0, 4)
    assert study.audits.of_round(1) == ()
    assert all(d.verdict == "undecided" for d in decide_round(study, closed))


def test_reports_leave_the_person_out(workshop: Any, tmp_path: Path) -> None:
    """Tables of a frozen wave are made without what a person gave who withdrew later."""
    study = workshop.create(tmp_path / "study.db", 3)
    workshop.decided(study, ratings=2)
    freeze(study, SUITE)
    before = collect(study, (), seed=1, replicates=40)
    name = person(study)
    study.withdrawals.withdraw(name)
    after = collect(study, (), seed=1, replicates=40)
    assert [r for r in before.ratings if r.person != name] == list(after.ratings)
    assert study_faults(study) == ()


def test_decisions_of_before_still_verify(study: StudyFile, closed: Round) -> None:
    """What was decided rested on what stood then; a withdrawal and an erasure change no digest."""
    commit(study, closed)
    assert study_faults(study) == ()
    name = person(study)
    study.withdrawals.withdraw(name)
    assert study_faults(study) == ()
    study.withdrawals.erase(name)
    assert study_faults(study) == ()


def test_a_round_can_be_closed_after_a_withdrawal(study: StudyFile) -> None:
    """The evidence of a closing is what stood then, also when more people withdraw later."""
    rated(study, 1)
    rated(study, 2)
    study.withdrawals.withdraw(person(study, 1))
    study.rounds.close(1)
    assert study_faults(study) == ()
    study.withdrawals.withdraw(study.ratings.of_round(1)[0].person)
    assert study.ratings.of_round(1) == ()
    assert study_faults(study) == ()


def test_the_ledger_says_when_and_how_many(study: StudyFile) -> None:
    """One entry for the withdrawal, one for the erasure, with counts and without answers."""
    rated(study)
    name = person(study)
    study.withdrawals.withdraw(name)
    study.withdrawals.erase(name)
    withdrawn, erased = study.ledger.entries()[-2:]
    assert (withdrawn.event, erased.event) == ("person withdrawn", "person erased")
    for entry in (withdrawn, erased):
        assert (entry.payload["person"], entry.payload["ratings"]) == (name, 2)
    assert SECRET not in str((withdrawn, erased))


def test_who_withdraws_is_out(study: StudyFile) -> None:
    """The code stops working, an open screen saves nothing more, and the seat is free again."""
    seat = study.seats.find(1, 1)
    code = study.people.issue_code(seat.id)
    sitting = RatingSitting.enter(study, code)
    sitting.save(GOOD)
    study.withdrawals.withdraw(person(study))
    with pytest.raises(Refused, match="no longer yours"):
        sitting.save({**GOOD, "confidence": 1})
    with pytest.raises(Refused, match="not known"):
        RatingSitting.enter(study, code)
    assert study.seats.status(1)[0].state == "free"
    again = RatingSitting.enter(study, study.seats.invite(seat))
    assert (again.total, again.done) == (4, 0)
    assert study.people.occupant(seat.id) is not None


def test_nothing_of_an_erased_person_is_in_the_file(study: StudyFile) -> None:
    """No byte of a comment, a note or its history is left in the study file or beside it."""
    rated(study, 1, 3)
    audit = AuditSitting.at_seat(study, study.seats.find(1, 1, "auditor"))
    for _ in range(3):
        audit.save(only_intended=True, note=f"{SECRET} note " * 500)
        audit.forward()
    names = [person(study), person(study, 1, "auditor")]
    for name in names:
        study.withdrawals.withdraw(name)
        assert study.withdrawals.erase(name).gone
    for file in study.path.parent.glob("study.db*"):
        assert SECRET.encode() not in file.read_bytes(), file
    with closing(sqlite3.connect(study.path)) as plain:
        for table in ("ratings", "pair_audits"):
            found = plain.execute(f"SELECT hash, salt FROM {table}").fetchall()
            assert len(found) == 3
            assert all(sealed.startswith("sha256:") and not salt for sealed, salt in found)
        assert {row[0] for row in plain.execute("SELECT answers FROM rating_history")} == {"{}"}
    assert study_faults(study) == ()


def test_only_who_has_withdrawn_is_erased(study: StudyFile) -> None:
    """Erasing comes after withdrawing, each happens once, and unknown people are named."""
    rated(study)
    name = person(study)
    with pytest.raises(Refused, match="has not withdrawn; first: wavelock people withdraw"):
        study.withdrawals.erase(name)
    study.withdrawals.withdraw(name.lower())
    with pytest.raises(Refused, match="has withdrawn already"):
        study.withdrawals.withdraw(name)
    study.withdrawals.erase(name)
    with pytest.raises(Refused, match="erased already"):
        study.withdrawals.erase(name)
    with pytest.raises(NotFound, match="nobody is called 'P-NONE'"):
        study.withdrawals.withdraw("p-none")


def test_nobody_else_is_touched(study: StudyFile) -> None:
    """Erasing one person leaves every answer of the others as it was."""
    rated(study, 1)
    rated(study, 2)
    kept = [r for r in study.ratings.of_round(1) if r.person != person(study)]
    name = person(study)
    study.withdrawals.withdraw(name)
    study.withdrawals.erase(name)
    assert list(study.ratings.of_round(1)) == kept
    assert SECRET in kept[0].comment


def test_a_withdrawal_that_was_taken_back_is_found(study: StudyFile) -> None:
    """Who removes the guards and makes a person count again is found out, and so is a forgery."""
    rated(study)
    name = person(study)
    study.withdrawals.withdraw(name)
    with closing(sqlite3.connect(study.path)) as plain:
        for trigger in ("people_one_way", "ratings_changes"):
            plain.execute(f"DROP TRIGGER {trigger}")
        plain.execute("UPDATE people SET withdrawn = NULL")
        plain.execute("UPDATE ratings SET void = NULL WHERE id = 1")
        plain.commit()
    found = " | ".join(study_faults(study))
    assert f"the withdrawal of {name} (entry 4) was taken back" in found
    assert "is not void as entry" in found


def test_a_filled_tombstone_is_found(study: StudyFile) -> None:
    """An erased rating that says something again is called changed."""
    rated(study)
    name = person(study)
    study.withdrawals.withdraw(name)
    study.withdrawals.erase(name)
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute("DROP TRIGGER ratings_changes")
        plain.execute("UPDATE ratings SET comment = 'invented' WHERE id = 1")
        plain.commit()
    assert any(f"by {name} was changed" in fault for fault in study_faults(study))


def test_exporting_only_the_withdrawn_is_an_error(study: StudyFile) -> None:
    """Where nothing counts any more, nothing is exported, and that is said."""
    rated(study)
    study.withdrawals.withdraw(person(study))
    with pytest.raises(InputError, match="nothing to export"):
        ratings_data(study, [study.rounds.named("main")])
