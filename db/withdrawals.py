"""Withdrawal: from its ledger entry on nothing counts; on request nothing is left but hashes.

Digests are taken over salted hashes. Erasing takes the salts as well, so that nobody can find an
answer again by trying them all; the hashes stay, and so every digest still verifies.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.study import Person
from db.connection import immediate
from db.ledger import Ledger
from db.people import PeopleStore
from db.rows import row, rows
from db.voids import VoidStore

# What is left of each row that holds something a person said.
ERASURES = (
    "UPDATE ratings SET answers = '{}', comment = '', seconds = 0, salt = '' WHERE person = ?",
    "UPDATE rating_history SET answers = '{}', comment = '' "
    "WHERE rating IN (SELECT id FROM ratings WHERE person = ?)",
    "UPDATE pair_audits SET only_intended = NULL, note = '', differences = 0, salt = '' "
    "WHERE person = ?",
    "UPDATE pair_audit_history SET only_intended = NULL, note = '', differences = 0 "
    "WHERE audit IN (SELECT id FROM pair_audits WHERE person = ?)",
    "UPDATE training_answers SET answer = '', correct = 0 WHERE person = ?",
    "UPDATE check_answers SET answer = '', correct = 0 WHERE person = ?",
    "UPDATE item_reports SET text = '' WHERE person = ?",
)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What a withdrawal or an erasure touched."""

    person: str
    ratings: int
    audits: int
    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased; `gone` says whether also the write-ahead log holds nothing of it."""

    person: str
    ratings: int
    audits: int
    gone: bool


class WithdrawalStore:
    """For people who no longer want to be part of a study."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._people = PeopleStore(db)

    def withdraw(self, pseudonym: str) -> Withdrawal:
        """Make void everything that a person gave, and end their codes, in one transaction.

        Raises
        ------
        NotFound
            When nobody has that pseudonym.
        Refused
            When the person has withdrawn already.
        """
        with immediate(self._db):
            person = self._people.named(pseudonym)
            if self._mark(person, "withdrawn") is not None:
                raise Refused(f"{person.pseudonym} has withdrawn already")
            voids = VoidStore(self._db)
            given = voids.standing(person)
            touched = self._rounds(person)
            at = now()
            for seat in self._seats(person):
                self._people.end(seat, "withdrawn", at)
                self._people.revoke_codes(seat)
            voids.make("person withdrawn", person, given, {"rounds": list(touched)}, at)
        return Withdrawal(person.pseudonym, len(given.ratings), len(given.audits), touched)

    def erase(self, pseudonym: str) -> Erasure:
        """Erase what a person said, after they have withdrawn; hashes stay as tombstones.

        Raises
        ------
        Refused
            When the person has not withdrawn, or is erased already.
        """
        with immediate(self._db):
            person = self._people.named(pseudonym)
            if self._mark(person, "withdrawn") is None:
                raise Refused(f"{person.pseudonym} has not withdrawn; first: wavelock people "
                              f"withdraw {person.pseudonym}")  # fmt: skip
            if self._mark(person, "erased") is not None:
                raise Refused(f"what {person.pseudonym} said is erased already")
            ratings, audits = VoidStore(self._db).count(person)
            payload = {"person": person.pseudonym, "ratings": ratings, "audits": audits}
            entry = Ledger(self._db).append("person erased", payload)
            sql = "UPDATE people SET erased = ? WHERE id = ?"
            self._db.execute(sql, [entry.sequence, person.id])
            for sql in ERASURES:
                self._db.execute(sql, [person.id])
        return Erasure(person.pseudonym, ratings, audits, self._empty_log())

    def _mark(self, person: Person, column: str) -> int | None:
        found = row(self._db, f"SELECT {column} AS mark FROM people WHERE id = ?", [person.id])
        mark: int | None = found["mark"] if found else None
        return mark

    def _seats(self, person: Person) -> list[int]:
        sql = "SELECT seat FROM occupancies WHERE person = ? AND until IS NULL"
        return [entry["seat"] for entry in rows(self._db, sql, [person.id])]

    def _rounds(self, person: Person) -> tuple[str, ...]:
        sql = (
            "SELECT DISTINCT rounds.name, rounds.id FROM occupancies "
            "JOIN seats ON seats.id = occupancies.seat JOIN rounds ON rounds.id = seats.round "
            "WHERE occupancies.person = ? ORDER BY rounds.id"
        )
        return tuple(entry["name"] for entry in rows(self._db, sql, [person.id]))

    def _empty_log(self) -> bool:
        """Write the log back and cut it; another program that reads just now can prevent that."""
        busy = self._db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return not busy
