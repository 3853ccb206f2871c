"""Sittings: at any moment at most one process works at a seat.

Every save asks, in its own transaction, whether its sitting is still the one. So a sitting that was
taken over can show what it likes, but it changes nothing any more.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused, SeatInUse, SeatLost
from core.hashing import digest
from core.study import Person, PersonKind, Role, Seat
from db import processes
from db.connection import immediate
from db.people import PeopleStore
from db.rounds import RoundStore
from db.rows import Row, insert, row, rows

HOLD = 120.0  # seconds without a sign after which a sitting no longer keeps others out
IN_USE = "this code is open elsewhere; take it over?"
LOST = (
    "this code was opened elsewhere; what was saved here is kept, nothing more is saved from here"
)
REVOKED = "this code no longer works; what was saved here is kept, nothing more is saved from here"
Ending = Literal["left", "taken over", "lost", "closed"]
AT_WORK = """
    SELECT sittings.*, people.pseudonym, rounds.name, seats.role, seats.number
    FROM sittings JOIN people ON people.id = sittings.person
    JOIN seats ON seats.id = sittings.seat JOIN rounds ON rounds.id = seats.round
    WHERE ended_at IS NULL ORDER BY sittings.id"""


@dataclass(frozen=True, slots=True)
class Held:
    """A sitting as its holder knows it."""

    person: Person
    seat: int
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AtWork:
    """Somebody at work just now, as those see it who look after the study."""

    pseudonym: str
    round: str
    role: Role
    seat: int
    process: str
    started_at: str
    seen_at: str


class SittingStore:
    """Who works where just now."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def require_open(self, seat: Seat) -> None:
        """Refuse a seat whose round is not open, in words for the person who holds the code."""
        state = RoundStore(self._db).round(seat.round).state
        if state == "planned":
            raise Refused("this round has not opened yet; come back when you are told that it has")
        if state == "closed":
            raise Refused("this round is closed; thank you, nothing more is needed from you")

    def require_seated(self, seat: Seat, person: Person) -> None:
        """Refuse a person whose seat was given to somebody else, in words for that person."""
        if PeopleStore(self._db).occupant(seat.id) != person:
            raise Refused(
                "this seat is no longer yours; thank you, nothing more is needed from you"
            )

    def begin(self, seat: Seat, kind: PersonKind = "human", *, take_over: bool = False) -> Held:
        """Sit down at a seat, as the person who has it or as a new one, in one transaction.

        Raises
        ------
        SeatInUse
            When another sitting gave a sign within two minutes and its process may be alive; with
            `take_over`, that one is ended instead.
        """
        with immediate(self._db):
            if held := self._now(seat.id):
                ending = _ending(held, take_over=take_over)
                if ending is None:
                    raise SeatInUse(IN_USE)
                self.end_seat(seat.id, ending)
            person = PeopleStore(self._db).take_seat(seat.id, kind)
            token, at = secrets.token_hex(16), now()
            insert(
                self._db,
                "sittings",
                seat=seat.id,
                person=person.id,
                token=digest(token),
                machine=processes.machine(),
                process=processes.process(),
                started_at=at,
                seen_at=at,
            )
        return Held(person, seat.id, token)

    def seen(self, held: Held) -> None:
        """Note that a sitting goes on; part of the transaction of every save.

        Raises
        ------
        SeatLost
            When it was ended, by whomever.
        """
        with immediate(self._db):
            sql = "UPDATE sittings SET seen_at = ? WHERE token = ? AND ended_at IS NULL"
            if self._db.execute(sql, [now(), digest(held.token)]).rowcount != 1:
                raise SeatLost(self._why(held))

    def _why(self, held: Held) -> str:
        sql = "SELECT ended FROM sittings WHERE token = ?"
        found = row(self._db, sql, [digest(held.token)])
        return REVOKED if found and found["ended"] == "closed" else LOST

    def end(self, held: Held, how: Ending = "left") -> None:
        """End a sitting; one that was ended before stays as it is."""
        with immediate(self._db):
            self._db.execute(
                "UPDATE sittings SET ended_at = ?, ended = ? WHERE token = ? AND ended_at IS NULL",
                [now(), how, digest(held.token)],
            )

    def end_seat(self, seat: int, how: Ending) -> None:
        """End whatever sitting there is at a seat."""
        with immediate(self._db):
            self._db.execute(
                "UPDATE sittings SET ended_at = ?, ended = ? WHERE seat = ? AND ended_at IS NULL",
                [now(), how, seat],
            )

    def at_work(self) -> tuple[AtWork, ...]:
        """Return who is at work, the longest first; those who are gone without a word are not."""
        return tuple(
            AtWork(
                pseudonym=entry["pseudonym"],
                round=entry["name"],
                role=entry["role"],
                seat=entry["number"],
                process=entry["process"],
                started_at=entry["started_at"],
                seen_at=entry["seen_at"],
            )
            for entry in rows(self._db, AT_WORK)
            if _ending(entry, take_over=False) is None
        )

    def _now(self, seat: int) -> Row | None:
        return row(self._db, "SELECT * FROM sittings WHERE seat = ? AND ended_at IS NULL", [seat])


def _ending(held: Row, *, take_over: bool) -> Ending | None:
    """Return how a sitting that stands in the way ends; ``None`` when it keeps the seat."""
    quiet = datetime.fromisoformat(now()) - datetime.fromisoformat(held["seen_at"])
    if quiet.total_seconds() > HOLD:
        return "lost"
    if held["machine"] == processes.machine() and processes.dead(held["process"]):
        return "lost"
    return "taken over" if take_over else None
