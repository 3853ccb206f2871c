"""Whether withdrawals, erasures and replacements stand as their entries say, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts, Passed
from core.study import LedgerEntry
from db.file import StudyFile
from db.voids import VOIDING

REPLACED, WITHDRAWN, ERASED = "seat replaced", "person withdrawn", "person erased"
MARKS = {WITHDRAWN: "withdrawal", ERASED: "erasure"}
REASONS = {REPLACED: "replaced", WITHDRAWN: "withdrawn"}  # why a seat was left


def _void(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    if entry.payload.get("void") != study.voids.digest(entry.sequence):
        person = entry.payload.get("person")
        yield f"what {person} gave is not void as entry {entry.sequence} says"


def _voids(study: StudyFile, passed: Passed) -> Iterator[str]:
    for sequence in sorted(study.voids.entries()):
        if passed.event(sequence) not in VOIDING:
            yield f"ratings or audits are void by entry {sequence}, which does not say so"
    for person in study.seals.left_of_erased():
        yield f"something that {person} said is there, although it was erased"


def _marks(study: StudyFile, _passed: Passed) -> Iterator[str]:
    """Yield where the marks of people and the entries that say so differ."""
    stand = {
        (event, person, number)
        for event, marked in (
            (WITHDRAWN, study.people.marked("withdrawn")),
            (ERASED, study.people.marked("erased")),
        )
        for person, number in marked.items()
    }
    said = {
        (entry.event, str(entry.payload.get("person")), entry.sequence)
        for entry in study.ledger.intact(WITHDRAWN, ERASED)
    }
    for event, person, number in sorted(said - stand):
        yield f"the {MARKS[event]} of {person} (entry {number}) was taken back"
    for event, person, number in sorted(stand - said):
        yield f"the {MARKS[event]} of {person} is not what entry {number} says"


def _seats(study: StudyFile, _passed: Passed) -> Iterator[str]:
    """Yield where the ends of people's time in a seat and the entries that say so differ."""
    stand = study.seats.endings()
    said = {
        (str(entry.payload.get("person")), REASONS[entry.event], entry.at)
        for entry in study.ledger.intact(*REASONS)
    }
    for person, reason, at in sorted(stand - said):
        yield f"{person} left a seat at {at} ({reason}) without an entry that says so"
    for person, reason, at in sorted(said - stand):
        if reason == "replaced":
            yield f"{person} was replaced at {at}, and is shown in the seat as if not"
    for person in sorted(study.seats.sitting() & study.people.marked("withdrawn").keys()):
        yield f"{person} has withdrawn, and is shown in a seat as if not"


CHECKS: Mapping[str, Check] = {REPLACED: _void, WITHDRAWN: _void}
FACTS: tuple[Facts, ...] = (_voids, _marks, _seats)
