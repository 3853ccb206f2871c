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
from core.errors import Refused
from core.study import Person, PersonKind, Seat
from db.connection import immediate
from db.rows import Row, insert, row, rows

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that is mistaken for something else
HANDLE, SECRET = 4, 8  # letters
WRONG_CODE = "that access code is not known; check it and type it again"


class PeopleStore:
    """Who sits where."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def issue_code(self, seat: int) -> str:
        """Make an access code for a seat. It is returned once; the study keeps only its hash."""
        handle, secret, salt = _letters(HANDLE), _letters(SECRET), secrets.token_bytes(16)
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

    def seat_of(self, code: str) -> Seat:
        """Return the seat that a code opens.

        Raises
        ------
        Refused
            With the same sentence, after the same work, whether the handle is unknown, the
            secret wrong, or the code revoked.
        """
        # Codes come back with spaces, in lower case, or with the dash that a mail program made.
        typed = re.sub("[^0-9A-Z]", "", code.upper())
        handle, secret = typed[:HANDLE], typed[HANDLE:]
        found = row(
            self._db,
            "SELECT access_codes.salt, access_codes.secret, access_codes.revoked_at, seats.* "
            "FROM access_codes JOIN seats ON seats.id = access_codes.seat WHERE handle = ?",
            [handle],
        )
        salt, expected = (found["salt"], found["secret"]) if found else (b"\0" * 16, b"")
        right = hmac.compare_digest(_scrypt(secret, salt), expected)
        if found is None or not right or found["revoked_at"]:
            raise Refused(WRONG_CODE)
        return Seat(found["id"], found["round"], found["role"], found["number"], found["list"])

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
            pseudonym = f"P-{_letters(5)}"
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
        """Revoke every code of a seat; return how many still worked."""
        sql = "UPDATE access_codes SET revoked_at = ? WHERE seat = ? AND revoked_at IS NULL"
        with immediate(self._db):
            count: int = self._db.execute(sql, [now(), seat]).rowcount
        return count

    def withdrawn(self) -> set[str]:
        """Return the pseudonyms of those who have withdrawn."""
        found = rows(self._db, "SELECT pseudonym FROM people WHERE withdrawn IS NOT NULL")
        return {entry["pseudonym"] for entry in found}


def _letters(count: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(count))


def _scrypt(secret: str, salt: bytes) -> bytes:
    return hashlib.scrypt(secret.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)


def _person(entry: Row) -> Person:
    return Person(entry["id"], entry["pseudonym"], entry["kind"])
