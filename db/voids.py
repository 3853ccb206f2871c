"""What was given and counts nowhere any more: kept with its hash, named by a ledger entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from core.hashing import digest_all
from core.study import Person
from db.ledger import Ledger
from db.rows import row, rows

VOIDING = ("seat replaced", "person withdrawn")

RATINGS = """
    SELECT ratings.id, ratings.hash FROM ratings
    JOIN assignments ON assignments.id = ratings.assignment
    WHERE ratings.person = ?1 AND (?2 IS NULL OR assignments.seat = ?2) AND ratings.void IS NULL"""
AUDITS = """
    SELECT pair_audits.id, pair_audits.hash FROM pair_audits
    JOIN pair_assignments ON pair_assignments.id = pair_audits.pair
    WHERE pair_audits.person = ?1 AND (?2 IS NULL OR pair_assignments.seat = ?2)
      AND pair_audits.void IS NULL"""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a person gave that still counts: ids and hashes of ratings and audits."""

    ratings: Mapping[int, str]
    audits: Mapping[int, str]


class VoidStore:
    """Making void, inside the transaction of whoever has the reason."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def standing(self, person: Person, seat: int | None = None) -> Standing:
        """Return what a person gave and still counts, in one seat or everywhere."""
        found = (
            {e["id"]: e["hash"] for e in rows(self._db, sql, [person.id, seat])}
            for sql in (RATINGS, AUDITS)
        )
        return Standing(*found)

    def make(
        self, event: str, person: Person, given: Standing, payload: Mapping[str, Any], at: str
    ) -> int:
        """Make void what was given, under a new entry of the ledger; return its number."""
        entry = Ledger(self._db).append(
            event,
            {
                "person": person.pseudonym,
                "ratings": len(given.ratings),
                "audits": len(given.audits),
                "void": digest_all([*given.ratings.values(), *given.audits.values()]),
                **payload,
            },
            at,
        )
        if event == "person withdrawn":
            sql = "UPDATE people SET withdrawn = ? WHERE id = ?"
            self._db.execute(sql, [entry.sequence, person.id])
        for table, ids in (("ratings", given.ratings), ("pair_audits", given.audits)):
            for number in ids:
                sql = f"UPDATE {table} SET void = ? WHERE id = ?"
                self._db.execute(sql, [entry.sequence, number])
        return entry.sequence

    def digest(self, sequence: int) -> str:
        """Return the digest over what is void by an entry."""
        sql = (
            "SELECT hash FROM ratings WHERE void = ?1 UNION ALL "
            "SELECT hash FROM pair_audits WHERE void = ?1"
        )
        return digest_all(entry["hash"] for entry in rows(self._db, sql, [sequence]))

    def entries(self) -> frozenset[int]:
        """Return the numbers of the entries by which something is void."""
        sql = (
            "SELECT void FROM ratings WHERE void IS NOT NULL UNION "
            "SELECT void FROM pair_audits WHERE void IS NOT NULL"
        )
        return frozenset(entry["void"] for entry in rows(self._db, sql))

    def count(self, person: Person) -> tuple[int, int]:
        """Return how many ratings and audits of a person are in the file, void or not."""
        found = row(
            self._db,
            "SELECT (SELECT count(*) FROM ratings WHERE person = ?1) AS ratings, "
            "(SELECT count(*) FROM pair_audits WHERE person = ?1) AS audits",
            [person.id],
        )
        return (found["ratings"], found["audits"]) if found else (0, 0)
