"""A packet is a study file of one blind seat: everything by which people rate works on it.

It is made afresh from a :class:`core.packets.Sheet`, never by copying a study: SQLite keeps what
was deleted. Scenario, condition and actions are placeholders. Two things differ from a study: a
code is tried against a lock, and what is said also enters the journal, which the study reads.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from importlib import metadata, resources
from pathlib import Path

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.hashing import digest_of, seed_from
from core.items import LETTERS, BlindItem, ItemText, Option, Scenario
from core.packets import Header, Sheet, derive
from core.plans import RaterSeat, RoundPlan
from core.rules import NO_RULE
from core.study import Person, Seat
from db.connection import create, guard_faults, immediate
from db.file import StudyFile
from db.items import ItemStore
from db.journal import Journal, JournaledRatings, JournaledSaid
from db.packet_responses import PacketResponses, add_responses, sealed_responses
from db.people import PeopleStore, halves
from db.rows import insert, row, rows

PLACEHOLDER = "packet"
DAMAGED = "this packet was damaged or changed; ask for a new one"

# All that is shown, and nothing that changes while people rate.
SHEET = (
    "SELECT id, title, suite, salt, secret FROM study ORDER BY id",
    "SELECT id, name, seed, form, opened_at IS NULL, closed_at FROM rounds ORDER BY id",
    "SELECT round, name, content FROM round_texts ORDER BY id",
    "SELECT id, round, role, number, list FROM seats ORDER BY id",
    "SELECT handle, hex(salt), hex(secret), seat, revoked_at FROM access_codes ORDER BY id",
    "SELECT assignments.id, seat, position, text, options FROM assignments "
    "JOIN revisions ON revisions.id = assignments.revision ORDER BY assignments.id",
)


class PacketPeople(PeopleStore):
    """Who may open a packet: whoever has the code, which also gives the key of the journal."""

    def __init__(self, db: Database, name: str, journal: Journal) -> None:
        super().__init__(db)
        self._name = name
        self._journal = journal
        self._hash = b""

    def _proof(self, secret: str, salt: bytes) -> bytes:
        self._hash = super()._proof(secret, salt)
        return derive(self._hash, "lock", self._name)

    def seat_of(self, code: str) -> Seat:
        """Return the seat, unlock the journal, and see that nothing was damaged."""
        seat = super().seat_of(code)
        self._journal.unlock(halves(code)[0], derive(self._hash, "answers", self._name))
        with immediate(self._db):  # nobody saves in between
            _require_whole(self._db, self._journal)
        return seat


class PacketFile(StudyFile):
    """One packet, open for rating."""

    def __init__(self, path: Path, db: Database) -> None:
        super().__init__(path, db)
        found = row(db, "SELECT title FROM study")
        self.name: str = found["title"] if found else ""
        self.journal = Journal(db)
        self.people = PacketPeople(db, self.name, self.journal)
        self.ratings = JournaledRatings(db, self.journal)
        self.gradings = PacketResponses(db)
        self.said = JournaledSaid(db, self.journal)

    def seat_person(self) -> tuple[Seat, Person]:
        """Return the one seat, and who sits in it; a person comes when nobody does."""
        (seat,) = self.rounds.seats(1)
        return seat, self.people.take_seat(seat.id)

    def finish(self, study: str, sign: Callable[[str], str]) -> Header:
        """Sign what is in the packet; from then on it takes answers and nothing else."""
        header = Header(self.name, study, sheet_digest(self._db), now())
        with self.transaction():
            insert(self._db, "packet", id=1, header=header.text(), signature=sign(header.text()))
        return header


def create_packet(path: Path, sheet: Sheet) -> PacketFile:
    """Make a packet that waits to be signed."""
    db = create(path, packet=True)
    try:
        insert(
            db,
            "study",
            id=1,
            title=sheet.name,
            suite=PLACEHOLDER,
            salt=sheet.name,
            secret=sheet.secret,
            created_at=now(),
            version=metadata.version("wavelock"),
        )
        db.conn.commit()
        packet = PacketFile(path, db)
        with packet.transaction():
            _fill(packet, db, sheet)
        db.executescript((resources.files("db") / "sql" / "packet.sql").read_text("utf-8"))
        add_responses(db, sheet.items)
    except BaseException:
        db.close()
        raise
    return packet


def _fill(packet: PacketFile, db: Database, sheet: Sheet) -> None:
    ItemStore(db).add(_scenario(item) for item in sheet.items)
    plan = RoundPlan(
        name=PLACEHOLDER,
        kind="main",
        design="overlap",
        ratings=1,
        seed=seed_from("wavelock packet", sheet.name) >> 1,  # SQLite's integers have a sign
        form=sheet.form,
        rule=NO_RULE,
        pair=(PLACEHOLDER, PLACEHOLDER),
        raters=(RaterSeat(1, 0, tuple(text.id for text in packet.items.all())),),
        auditors=(),
        texts=sheet.texts,
    )
    campaign = packet.rounds.plan(plan)
    (seat,) = packet.rounds.seats(campaign.id)
    # What the round stands on is known in the study, and tells a rater nothing.
    insert(db, "round_standings", round=campaign.id, preregistration=None, created_at=now())
    db.execute("UPDATE rounds SET opened_at = created_at")
    for lock in sheet.locks:
        insert(
            db,
            "access_codes",
            handle=lock.handle,
            salt=lock.salt,
            secret=lock.proof,
            seat=seat.id,
            created_at=now(),
        )


def _scenario(item: BlindItem) -> Scenario:
    options = tuple(Option(LETTERS[n], label) for n, label in enumerate(item.options))
    return Scenario(f"item-{item.number:04}", {}, (ItemText(PLACEHOLDER, item.text, options),))


def sheet_digest(db: Database) -> str:
    """Return the digest of all that is shown in a packet, as it stands in the file."""
    shown = [[list(entry.values()) for entry in rows(db, sql)] for sql in SHEET]
    responses = [list(entry.values()) for entry in sealed_responses(db)]
    return digest_of([*shown, *([responses] if responses else [])])


def _require_whole(db: Database, journal: Journal) -> None:
    """Refuse a packet that was damaged on its way, before anything is answered in it."""
    try:
        found = row(db, "SELECT header FROM packet")
        header = json.loads(found["header"]) if found else {}
        whole = header.get("sheet") == sheet_digest(db) and not journal.faulty()
        whole = whole and not guard_faults(db)
    except (sqlite3.DatabaseError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise Refused(DAMAGED) from error
    if not whole:
        raise Refused(DAMAGED)
