"""People, by pseudonym alone, and the access codes that let them in.

A code is ``HANDLE-SECRET``. The handle finds the row; of the secret only its scrypt hash is kept.
An unknown handle costs the same hash, so that it cannot be told from a wrong secret.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Literal

from sqlite_utils import Database

from core.clock import now
from core.errors import NotFound, Refused
from core.study import CodeStatus, Person, PersonKind, PersonState, PersonStatus, Role, Seat
from db.attempts import Attempts
from db.connection import immediate
from db.rows import Row, insert, row, rows

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that is mistaken for something else
HANDLE, SECRET = 4, 8  # letters
CODES = """
    SELECT access_codes.*, rounds.name AS round_name, rounds.closed_at, seats.role, seats.number
    FROM access_codes JOIN seats ON seats.id = access_codes.seat
    JOIN rounds ON rounds.id = seats.round ORDER BY access_codes.id"""
PEOPLE = """
    SELECT people.*,
      (SELECT group_concat(name || ' ' || role || ' ' || number, char(10)) FROM (
         SELECT rounds.name, seats.role, seats.number FROM occupancies
         JOIN seats ON seats.id = occupancies.seat JOIN rounds ON rounds.id = seats.round
         WHERE occupancies.person = people.id ORDER BY occupancies.id)) AS seats,
      EXISTS (SELECT 1 FROM occupancies WHERE person = people.id AND until IS NULL) AS sits,
      (SELECT count(*) FROM ratings WHERE person = people.id AND void IS NULL) AS ratings,
      (SELECT count(*) FROM pair_audits WHERE person = people.id AND void IS NULL) AS audits
    FROM people ORDER BY people.id"""
WRONG_CODE = "that access code is not known; check it and type it again"


class PeopleStore:
    """Who sits where."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def issue_code(self, seat: int) -> str:
        """Make an access code for a seat. It is returned once; the study keeps only its hash."""
        handle, secret, salt = letters(HANDLE), letters(SECRET), secrets.token_bytes(16)
        with immediate(self._db):
            insert(
                self._db,
                "access_codes",
                handle=handle,
                salt=salt,
                secret=_scrypt(secret, salt),
                seat=seat,
                created_at=now(),
            )
        return f"{handle}-{secret}"

    def role_of(self, code: str) -> Role | None:
        """Return which role a code is for, by its handle alone, right or wrong as it may be.

        It decides which screens try the code. Both refuse in the same words, so a person at the
        door learns nothing from it.
        """
        found = row(
            self._db,
            "SELECT seats.role FROM access_codes JOIN seats ON seats.id = access_codes.seat "
            "WHERE handle = ?",
            [halves(code)[0]],
        )
        return found["role"] if found else None

    def seat_of(self, code: str) -> Seat:
        """Return the seat that a code opens.

        Raises
        ------
        Refused
            With the same sentence, after the same work, whether the handle is unknown, the
            secret wrong, or the code revoked.
        TooManyCodes
            When wrong codes were typed too often, whatever this one is.
        """
        handle, secret = halves(code)
        attempt = Attempts(self._db).begin(handle)
        found = row(
            self._db,
            "SELECT access_codes.salt, access_codes.secret, access_codes.revoked_at, seats.* "
            "FROM access_codes JOIN seats ON seats.id = access_codes.seat WHERE handle = ?",
            [handle],
        )
        salt, expected = (found["salt"], found["secret"]) if found else (b"\0" * 16, b"")
        right = hmac.compare_digest(self._proof(secret, salt), expected)
        if found is None or not right or found["revoked_at"]:
            raise Refused(WRONG_CODE)
        Attempts(self._db).right(attempt)
        return Seat(found["id"], found["round"], found["role"], found["number"], found["list"])

    def _proof(self, secret: str, salt: bytes) -> bytes:
        """Return what the file keeps of a code whose secret half is this."""
        return _scrypt(secret, salt)

    def occupant(self, seat: int) -> Person | None:
        """Return who sits in a seat."""
        found = row(
            self._db,
            "SELECT people.* FROM occupancies JOIN people ON people.id = occupancies.person "
            "WHERE occupancies.seat = ? AND occupancies.until IS NULL",
            [seat],
        )
        return _person(found) if found else None

    def take_seat(self, seat: int, kind: PersonKind = "human") -> Person:
        """Return the person in a seat; the first to come is given a pseudonym and sits down.

        Raises
        ------
        Refused
            When somebody of another kind sits there: nothing simulated is said in a person's name.
        """
        with immediate(self._db):
            if person := self.occupant(seat):
                if person.kind != kind:
                    raise Refused(f"this seat is taken by {person.pseudonym} ({person.kind})")
                return person
            pseudonym = f"P-{letters(5)}"
            number = insert(self._db, "people", pseudonym=pseudonym, kind=kind, created_at=now())
            insert(self._db, "occupancies", seat=seat, person=number, since=now())
        return Person(number, pseudonym, kind)

    def end(self, seat: int, reason: Literal["replaced", "withdrawn"]) -> None:
        """End the occupancy of a seat; part of the transaction of whoever has the reason."""
        self._db.execute(
            "UPDATE occupancies SET until = ?, reason = ? WHERE seat = ? AND until IS NULL",
            [now(), reason, seat],
        )

    def revoke_codes(self, seat: int) -> int:
        """Revoke every code of a seat and end who works there; return how many still worked."""
        sql = "UPDATE access_codes SET revoked_at = ? WHERE seat = ? AND revoked_at IS NULL"
        with immediate(self._db):
            count: int = self._db.execute(sql, [now(), seat]).rowcount
            self._close_sitting(seat)
        return count

    def _close_sitting(self, seat: int) -> None:
        sql = (
            "UPDATE sittings SET ended_at = ?, ended = 'closed' WHERE seat = ? AND ended_at IS NULL"
        )
        self._db.execute(sql, [now(), seat])

    def revoke(self, handle: str) -> CodeStatus:
        """Revoke one code by its handle: it opens nothing, and who works there is ended.

        Raises
        ------
        NotFound
            When no code has that handle.
        Refused
            When it was revoked before.
        """
        wanted = handle.strip().upper().partition("-")[0]
        with immediate(self._db):
            for code in self.codes():
                if code.handle == wanted:
                    if code.revoked_at:
                        raise Refused(f"the code {code.handle} was revoked already")
                    sql = "UPDATE access_codes SET revoked_at = ? WHERE handle = ?"
                    self._db.execute(sql, [now(), code.handle])
                    self._close_sitting(code.seat_id)
                    return code
        raise NotFound(f"no access code begins with {wanted!r}; see: wavelock people list --codes")

    def codes(self) -> tuple[CodeStatus, ...]:
        """Return every access code by its handle, oldest first."""
        return tuple(
            CodeStatus(
                handle=e["handle"],
                seat_id=e["seat"],
                round=e["round_name"],
                role=e["role"],
                seat=e["number"],
                created_at=e["created_at"],
                revoked_at=e["revoked_at"],
            )
            for e in rows(self._db, CODES)
        )

    def all(self) -> tuple[PersonStatus, ...]:
        """Return everybody, in the order of their coming."""
        return tuple(
            PersonStatus(
                person=_person(entry),
                state=_state(entry),
                seats=tuple((entry["seats"] or "").split("\n")) if entry["seats"] else (),
                ratings=entry["ratings"],
                audits=entry["audits"],
            )
            for entry in rows(self._db, PEOPLE)
        )

    def named(self, pseudonym: str) -> Person:
        """Return a person by pseudonym, as people type it.

        Raises
        ------
        NotFound
            When nobody has it.
        """
        wanted = pseudonym.strip().upper()
        found = row(self._db, "SELECT * FROM people WHERE pseudonym = ?", [wanted])
        if found is None:
            raise NotFound(f"nobody is called {wanted!r}; see: wavelock people list")
        return _person(found)

    def withdrawn(self) -> set[str]:
        """Return the pseudonyms of those who have withdrawn."""
        found = rows(self._db, "SELECT pseudonym FROM people WHERE withdrawn IS NOT NULL")
        return {entry["pseudonym"] for entry in found}


def halves(code: str) -> tuple[str, str]:
    """Return handle and secret of a code as people type it.

    Codes come back with spaces, in lower case, or with the dash that a mail program made.
    """
    typed = re.sub("[^0-9A-Z]", "", code.upper())
    return typed[:HANDLE], typed[HANDLE:]


def letters(count: int) -> str:
    """Return so many random letters, none of which is mistaken for another."""
    return "".join(secrets.choice(ALPHABET) for _ in range(count))


def _scrypt(secret: str, salt: bytes) -> bytes:
    return hashlib.scrypt(secret.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)


def _person(entry: Row) -> Person:
    return Person(entry["id"], entry["pseudonym"], entry["kind"])


def _state(entry: Row) -> PersonState:
    if entry["erased"] is not None:
        return "erased"
    if entry["withdrawn"] is not None:
        return "withdrawn"
    return "here" if entry["sits"] else "left"
