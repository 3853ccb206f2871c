"""Completion codes: made from a secret of the study; they say nothing, and can be checked."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass

from sqlite_utils import Database

from core.errors import NotFound
from core.packets import derive
from core.study import Role
from db.people import ALPHABET
from db.rows import Row, row, rows

LETTERS = 10  # of 29: a guess is right once in 4 x 10^14


@dataclass(frozen=True, slots=True)
class Completion:
    """Whose completion code it is, by pseudonym, and whether the seat is finished."""

    round: str
    role: Role
    seat: int
    person: str
    finished: bool


class CompletionStore:
    """Making codes, and finding out whose one is."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def code(self, seat: int, person: int) -> str:
        """Return the code of a person in a seat; the same whenever it is asked for."""
        return _code(self._secret(), seat, person)

    def _secret(self) -> str:
        found = row(self._db, "SELECT secret FROM study")
        return str(found["secret"]) if found else ""

    def find(self, code: str) -> Completion:
        """Return whose completion code it is.

        Raises
        ------
        NotFound
            When it is nobody's in this study.
        """
        typed = re.sub("[^0-9A-Z]", "", code.upper())
        for entry in rows(self._db, OCCUPANCIES):
            if _same(self.code(entry["seat"], entry["person"]), typed):
                return _completion(entry)
        for entry in rows(self._db, PACKETS):
            secret = derive(self._secret().encode(), "completion", entry["packet"]).hex()
            if _same(_code(secret, 1, 1), typed):  # a packet has one seat and one person
                return _completion(entry)
        raise NotFound("that is no completion code of this study")


def _code(secret: str, seat: int, person: int) -> str:
    name = f"wavelock completion {seat} {person}"
    number = int.from_bytes(hmac.digest(secret.encode(), name.encode(), hashlib.sha256), "big")
    letters = ""
    for _ in range(LETTERS):
        number, place = divmod(number, len(ALPHABET))
        letters += ALPHABET[place]
    return f"{letters[: LETTERS // 2]}-{letters[LETTERS // 2 :]}"


def _same(code: str, typed: str) -> bool:
    return hmac.compare_digest(code.replace("-", ""), typed)


def _completion(entry: Row) -> Completion:
    return Completion(
        round=entry["name"],
        role=entry["role"],
        seat=entry["number"],
        person=entry["pseudonym"],
        finished=entry["missing"] == 0,
    )


MISSING = """
    (SELECT count(*) FROM assignments WHERE seat = seats.id AND NOT EXISTS (
       SELECT 1 FROM ratings WHERE assignment = assignments.id AND void IS NULL))
    + (SELECT count(*) FROM pair_assignments WHERE seat = seats.id AND NOT EXISTS (
       SELECT 1 FROM pair_audits WHERE pair = pair_assignments.id AND void IS NULL)) AS missing"""
OCCUPANCIES = f"""
    SELECT occupancies.seat, occupancies.person, people.pseudonym, rounds.name, seats.role,
      seats.number, {MISSING}
    FROM occupancies JOIN seats ON seats.id = occupancies.seat
    JOIN rounds ON rounds.id = seats.round JOIN people ON people.id = occupancies.person
    ORDER BY occupancies.id"""
PACKETS = f"""
    SELECT packets.name AS packet, rounds.name, seats.role, seats.number,
      coalesce(people.pseudonym, 'packet ' || packets.name) AS pseudonym, {MISSING}
    FROM packets JOIN seats ON seats.id = packets.seat JOIN rounds ON rounds.id = seats.round
    LEFT JOIN occupancies ON occupancies.seat = seats.id AND occupancies.until IS NULL
    LEFT JOIN people ON people.id = occupancies.person ORDER BY packets.id"""
