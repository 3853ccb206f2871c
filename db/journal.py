"""The journal of a packet: all that is said in it, in order, each entry under a seal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.evidence import Quizzed, Rating
from core.hashing import canonical, digest
from core.packets import Entry, intact, seal
from db.connection import immediate
from db.ratings import RatingStore
from db.rows import insert, row, rows
from db.said import SaidStore


class Journal:
    """Entries in order. Only who typed a code of the seat can add one."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._handle = ""
        self._key = b""

    def unlock(self, handle: str, key: bytes) -> None:
        """Go on with the key that a code gave."""
        self._handle, self._key = handle, key

    def append(self, kind: str, **said: Any) -> None:
        """Seal what was said; part of the transaction that stores it for the screens."""
        if not self._key:
            raise Refused("a packet is opened by the access code of its seat")
        event = canonical({"kind": kind, **said})
        with immediate(self._db):
            last = row(self._db, "SELECT * FROM packet_journal ORDER BY sequence DESC LIMIT 1")
            previous, sequence = (last["seal"], last["sequence"] + 1) if last else ("", 1)
            sealed = seal(self._key, previous, sequence, self._handle, event)
            insert(
                self._db,
                "packet_journal",
                sequence=sequence,
                handle=self._handle,
                event=event,
                seal=sealed,
            )

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, oldest first."""
        found = rows(self._db, "SELECT * FROM packet_journal ORDER BY sequence")
        return tuple(Entry(e["sequence"], e["handle"], e["event"], e["seal"]) for e in found)

    def faulty(self) -> bool:
        """Return whether entries were changed, or the screens would show anything else.

        Only entries of the code that was typed can be checked here; the study checks all.
        """
        entries = self.entries()
        if not intact(entries, {self._handle: self._key}, all_known=False):
            return True
        told: dict[tuple[Any, ...], list[Any]] = {}
        for event in (json.loads(entry.event) for entry in entries):
            name, value = _shown(event)
            told[name] = value
        return told != self._tables()

    def _tables(self) -> dict[tuple[Any, ...], list[Any]]:
        found = (tuple(entry.values()) for sql in TABLES for entry in rows(self._db, sql))
        return {entry[:3]: list(entry[3:]) for entry in found}


# What screens show of what was said: kind, two parts of a key, and values.
TABLES = (
    "SELECT 'rating' AS kind, position, '' AS part, answers, comment FROM ratings "
    "JOIN assignments ON assignments.id = ratings.assignment",
    "SELECT 'consent' AS kind, '' AS name, '' AS part, text FROM consents",
    "SELECT 'training' AS kind, turn, name, answer FROM training_answers",
    "SELECT 'check' AS kind, name, '' AS part, answer FROM check_answers",
    "SELECT 'report' AS kind, position, item_reports.at, item_reports.text FROM item_reports "
    "JOIN assignments ON assignments.id = item_reports.assignment",
)


def _shown(event: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Return an entry of the journal as :data:`TABLES` has it."""
    match event:
        case {"kind": "rating", "item": item, "answers": answers, "comment": comment}:
            return ("rating", item, ""), [canonical(answers), comment]
        case {"kind": "training", "turn": turn, "name": name, "answer": answer}:
            return ("training", turn, name), [answer]
        case {"kind": "check", "name": name, "answer": answer}:
            return ("check", name, ""), [answer]
        case {"kind": "report", "item": item, "at": at, "text": text}:
            return ("report", item, at), [text]
        case _:
            return ("consent", "", ""), [event["text"]]


class JournaledRatings(RatingStore):
    """Ratings that enter the journal in the same transaction."""

    def __init__(self, db: Database, journal: Journal) -> None:
        super().__init__(db)
        self._journal = journal

    def save(self, rating: Rating, person: int, at: str | None = None) -> int:
        """Store or change a rating; see :meth:`RatingStore.save`."""
        at = at or now()
        with immediate(self._db):
            version = super().save(rating, person, at)
            self._journal.append(
                "rating",
                item=position(self._db, rating.assignment),
                answers=dict(rating.answers),
                comment=rating.comment,
                seconds=float(rating.seconds),
                at=at,
            )
        return version


class JournaledSaid(SaidStore):
    """What is said beside ratings, and enters the journal in the same transaction."""

    def __init__(self, db: Database, journal: Journal) -> None:
        super().__init__(db)
        self._journal = journal

    def consent(self, seat: int, person: int, text: str, at: str | None = None) -> None:
        """Note a consent; see :meth:`SaidStore.consent`."""
        at = at or now()
        with immediate(self._db):
            if not self.consented(seat, person):
                super().consent(seat, person, text, at)
                self._journal.append("consent", text=digest(text), at=at)

    def train(self, seat: int, person: int, said: Quizzed, at: str | None = None) -> None:
        """Store an answer to a training item."""
        at = at or now()
        with immediate(self._db):
            super().train(seat, person, said, at)
            self._journal.append(
                "training", turn=said.turn, name=said.name, answer=said.answer, at=at
            )

    def check(self, seat: int, person: int, said: Quizzed, at: str | None = None) -> None:
        """Store an answer to an attention check."""
        at = at or now()
        with immediate(self._db):
            if said.name not in {known.name for known in self.checked(seat, person)}:
                super().check(seat, person, said, at)
                self._journal.append("check", name=said.name, answer=said.answer, at=at)

    def report(self, assignment: int, person: int, text: str, at: str | None = None) -> None:
        """Store what somebody says is wrong with an item."""
        at = at or now()
        with immediate(self._db):
            super().report(assignment, person, text, at)
            self._journal.append("report", item=position(self._db, assignment), text=text, at=at)


def position(db: Database, assignment: int) -> int:
    """Return the place of an assignment on its list."""
    found = next(rows(db, "SELECT position FROM assignments WHERE id = ?", [assignment]))
    place: int = found["position"]
    return place
