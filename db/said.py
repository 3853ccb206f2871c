"""What people said beside their ratings: consent, training, checks, reports."""

from __future__ import annotations

from dataclasses import dataclass

from sqlite_utils import Database

from core.clock import now
from core.evidence import Quizzed
from core.hashing import digest
from db.connection import immediate
from db.rows import Row, insert, row, rows

REPORTS = """
    SELECT item_reports.*, people.pseudonym, items.scenario, items.condition,
      revisions.number AS revision, seats.number AS seat
    FROM item_reports JOIN people ON people.id = item_reports.person
    JOIN assignments ON assignments.id = item_reports.assignment
    JOIN seats ON seats.id = assignments.seat
    JOIN revisions ON revisions.id = assignments.revision JOIN items ON items.id = revisions.item
    WHERE seats.round = ? AND people.withdrawn IS NULL ORDER BY item_reports.id"""
CHECKS = """
    SELECT seats.number AS seat, people.pseudonym, count(*) AS given, sum(correct) AS correct
    FROM check_answers JOIN seats ON seats.id = check_answers.seat
    JOIN people ON people.id = check_answers.person
    WHERE seats.round = ? AND people.withdrawn IS NULL
    GROUP BY check_answers.seat, check_answers.person ORDER BY seats.number, check_answers.person"""


@dataclass(frozen=True, slots=True)
class ItemReport:
    """A problem that somebody saw with an item."""

    scenario: str
    condition: str
    revision: int
    seat: int
    person: str
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class ChecksOf:
    """How many attention checks a person was given in a seat, and got right."""

    seat: int
    person: str
    given: int
    correct: int


class SaidStore:
    """Storing and reading; the study file lets only the person in the seat say something.

    `at` is when it was said, for what comes from elsewhere; now unless it is given.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def consent(self, seat: int, person: int, text: str, at: str | None = None) -> None:
        """Note that a person accepted just this text; the digest says which version it was."""
        with immediate(self._db):
            if not self.consented(seat, person):
                at = at or now()
                insert(self._db, "consents", seat=seat, person=person, text=digest(text), at=at)

    def consented(self, seat: int, person: int) -> str | None:
        """Return the digest of the text that a person accepted."""
        sql = "SELECT text FROM consents WHERE seat = ? AND person = ?"
        found = row(self._db, sql, [seat, person])
        return found["text"] if found else None

    def train(self, seat: int, person: int, said: Quizzed, at: str | None = None) -> None:
        """Store an answer to a training item."""
        with immediate(self._db):
            insert(
                self._db,
                "training_answers",
                seat=seat,
                person=person,
                turn=said.turn,
                name=said.name,
                answer=said.answer,
                correct=said.correct,
                at=at or now(),
            )

    def trained(self, seat: int, person: int) -> tuple[Quizzed, ...]:
        """Return a person's answers to training items, in order."""
        sql = "SELECT * FROM training_answers WHERE seat = ? AND person = ? ORDER BY id"
        return tuple(
            Quizzed(e["name"], e["answer"], bool(e["correct"]), e["turn"])
            for e in rows(self._db, sql, [seat, person])
        )

    def check(self, seat: int, person: int, said: Quizzed, at: str | None = None) -> None:
        """Store an answer to an attention check; the first one counts."""
        with immediate(self._db):
            if said.name not in {known.name for known in self.checked(seat, person)}:
                insert(
                    self._db,
                    "check_answers",
                    seat=seat,
                    person=person,
                    name=said.name,
                    answer=said.answer,
                    correct=said.correct,
                    at=at or now(),
                )

    def checked(self, seat: int, person: int) -> tuple[Quizzed, ...]:
        """Return a person's answers to attention checks, in order."""
        sql = "SELECT * FROM check_answers WHERE seat = ? AND person = ? ORDER BY id"
        return tuple(
            Quizzed(e["name"], e["answer"], bool(e["correct"]))
            for e in rows(self._db, sql, [seat, person])
        )

    def checks_of_round(self, round_id: int) -> tuple[ChecksOf, ...]:
        """Return how everybody in a round did on attention checks; who withdrew is left out."""
        found = rows(self._db, CHECKS, [round_id])
        return tuple(ChecksOf(e["seat"], e["pseudonym"], e["given"], e["correct"]) for e in found)

    def report(self, assignment: int, person: int, text: str, at: str | None = None) -> None:
        """Store what somebody says is wrong with an item."""
        with immediate(self._db):
            at = at or now()
            insert(self._db, "item_reports", assignment=assignment, person=person, text=text, at=at)

    def reports_of_round(self, round_id: int) -> tuple[ItemReport, ...]:
        """Return the problems that were reported in a round, in the order of reporting."""
        return tuple(_report(entry) for entry in rows(self._db, REPORTS, [round_id]))


def _report(entry: Row) -> ItemReport:
    return ItemReport(
        scenario=entry["scenario"],
        condition=entry["condition"],
        revision=entry["revision"],
        seat=entry["seat"],
        person=entry["pseudonym"],
        text=entry["text"],
        at=entry["at"],
    )
