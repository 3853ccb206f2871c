"""Packets as the study knows them: what was handed out, and what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from core.clock import now
from core.errors import NotFound
from core.hashing import digest_all
from core.packets import IssuedPacket, Lock, PacketState, PacketStatus, derive
from core.study import Round, Seat
from db.connection import immediate
from db.ledger import Ledger
from db.people import letters
from db.rows import Row, insert, row, rows

ISSUED, MERGED = "packet issued", "packet merged"
NAME = 5  # letters of a packet's name

STATUS = """
    SELECT packets.*, seats.number, rounds.name AS round_name, rounds.closed_at,
      (SELECT count(*) FROM packet_items WHERE packet = packets.id) AS items,
      (SELECT count(DISTINCT assignment) FROM packet_events
         WHERE packet = packets.id AND history IS NOT NULL) AS taken,
      (SELECT count(DISTINCT assignment) FROM packet_events
         WHERE packet = packets.id AND conflict = 1) AS conflicts,
      (SELECT count(DISTINCT assignment) FROM packet_events
         WHERE packet = packets.id AND (history IS NOT NULL OR conflict = 1)) AS answered,
      (SELECT max(ledger.at) FROM packet_events JOIN ledger ON ledger.sequence = packet_events.entry
         WHERE packet = packets.id AND ledger.event = 'packet merged') AS merged_at,
      EXISTS (SELECT 1 FROM access_codes WHERE seat = packets.seat AND revoked_at IS NULL
         AND created_at <= packets.issued_at) AS works
    FROM packets JOIN seats ON seats.id = packets.seat JOIN rounds ON rounds.id = seats.round
    WHERE ?1 IS NULL OR rounds.id = ?1 ORDER BY packets.id"""

VERSIONS = """
    SELECT ratings.assignment, ratings.person, packet_events.seal
    FROM rating_history JOIN ratings ON ratings.id = rating_history.rating
    JOIN assignments ON assignments.id = ratings.assignment
    LEFT JOIN packet_events ON packet_events.history = rating_history.id
    WHERE assignments.seat = ? AND ratings.void IS NULL ORDER BY rating_history.id"""

BROUGHT = """
    SELECT DISTINCT seats.number, assignments.position
    FROM packet_events JOIN rating_history ON rating_history.id = packet_events.history
    JOIN ratings ON ratings.id = rating_history.rating
    JOIN assignments ON assignments.id = ratings.assignment
    JOIN seats ON seats.id = assignments.seat WHERE seats.round = ? AND ratings.void IS NULL"""

ENDED = """
    SELECT reason FROM occupancies WHERE seat = ? AND until >= ? ORDER BY id DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class Code:
    """An access code of a packet's seat: the key that it gives, and whether it still works."""

    handle: str
    answers: bytes
    revoked: bool


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a standing rating: who gave it, and the seal that it came under, if any."""

    person: int
    seal: str | None


@dataclass(frozen=True, slots=True)
class TakenEvent:
    """An entry of a journal that was read: what it was of, and what it became."""

    seal: str
    assignment: int | None = None
    history: int | None = None
    conflict: bool = False


class PacketStore:
    """Handing out, and remembering what came back; the secret that signs never leaves here."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def _secret(self) -> bytes:
        found = row(self._db, "SELECT secret FROM study")
        return str(found["secret"] if found else "").encode()

    @property
    def mark(self) -> str:
        """What packets of this study name it by; it says nothing of the study."""
        return derive(self._secret(), "study").hex()[:32]

    def sign(self, header: str) -> str:
        """Return the signature of a packet's header."""
        return derive(self._secret(), "signature", header).hex()

    def completion_secret(self, name: str) -> str:
        """Return what the completion code of a packet is made with."""
        return derive(self._secret(), "completion", name).hex()

    def new_name(self) -> str:
        """Return a name that no packet of this study has."""
        while row(self._db, "SELECT 1 FROM packets WHERE name = ?", [name := letters(NAME)]):
            pass
        return name

    def locks(self, seat: int, name: str) -> tuple[Lock, ...]:
        """Return the locks of a new packet: one for each code of the seat that works."""
        return tuple(
            Lock(e["handle"], e["salt"], derive(e["secret"], "lock", name))
            for e in self._codes(seat)
            if e["revoked_at"] is None
        )

    def codes(self, seat: int, name: str) -> tuple[Code, ...]:
        """Return what every code of a seat makes seals with in a packet."""
        return tuple(
            Code(e["handle"], derive(e["secret"], "answers", name), e["revoked_at"] is not None)
            for e in self._codes(seat)
        )

    def _codes(self, seat: int) -> list[Row]:
        return list(rows(self._db, "SELECT * FROM access_codes WHERE seat = ? ORDER BY id", [seat]))

    def issue(
        self,
        campaign: Round,
        seat: Seat,
        name: str,
        *,
        sheet: str,
        assignments: Sequence[int],
        carried: Sequence[str],
    ) -> None:
        """Note that a packet is handed out, with its items in order and what it begins with.

        Parameters
        ----------
        carried
            The seals of what was said before: the study has it already.
        """
        with immediate(self._db):
            payload = {"round": campaign.name, "seat": seat.number, "packet": name, "sheet": sheet}
            entry = Ledger(self._db).append(ISSUED, payload)
            number = insert(
                self._db,
                "packets",
                name=name,
                seat=seat.id,
                sheet=sheet,
                entry=entry.sequence,
                issued_at=now(),
            )
            for place, assignment in enumerate(assignments, start=1):
                insert(self._db, "packet_items", packet=number, place=place, assignment=assignment)
            self.take(number, entry.sequence, [TakenEvent(seal) for seal in carried])

    def named(self, name: str) -> IssuedPacket:
        """Return a packet by its name.

        Raises
        ------
        NotFound
            When this file did not hand it out.
        """
        found = row(self._db, "SELECT * FROM packets WHERE name = ?", [name])
        if found is None:
            raise NotFound(
                f"this file has no record of packet {name}; merge it into the copy of the study "
                "that made it"
            )
        items = rows(self._db, "SELECT * FROM packet_items WHERE packet = ?", [found["id"]])
        return IssuedPacket(
            id=found["id"],
            name=found["name"],
            seat=found["seat"],
            sheet=found["sheet"],
            issued_at=found["issued_at"],
            places={e["place"]: e["assignment"] for e in items},
        )

    def known(self, packet: int) -> frozenset[str]:
        """Return the seals of a packet's journal that were read before."""
        found = rows(self._db, "SELECT seal FROM packet_events WHERE packet = ?", [packet])
        return frozenset(entry["seal"] for entry in found)

    def versions(self, seat: int) -> Mapping[int, list[Version]]:
        """Return the versions of a seat's standing ratings, oldest first, by assignment."""
        found: dict[int, list[Version]] = {}
        for entry in rows(self._db, VERSIONS, [seat]):
            version = Version(entry["person"], entry["seal"])
            found.setdefault(entry["assignment"], []).append(version)
        return found

    def ended(self, packet: IssuedPacket) -> str | None:
        """Return why somebody left a packet's seat after it was handed out, if anybody did."""
        found = row(self._db, ENDED, [packet.seat, packet.issued_at])
        return found["reason"] if found else None

    def take(self, packet: int, entry: int, events: Sequence[TakenEvent]) -> None:
        """Remember what was read; part of the transaction that the ledger's entry is of."""
        for event in events:
            insert(
                self._db,
                "packet_events",
                packet=packet,
                seal=event.seal,
                assignment=event.assignment,
                history=event.history,
                conflict=event.conflict,
                entry=entry,
            )

    def all(self, round_id: int | None = None) -> tuple[PacketStatus, ...]:
        """Return every packet, or those of a round, oldest first."""
        return tuple(_status(entry) for entry in rows(self._db, STATUS, [round_id]))

    def brought(self, round_id: int) -> frozenset[tuple[int, int]]:
        """Return seat and place of the standing ratings of a round that came in by packets."""
        found = rows(self._db, BROUGHT, [round_id])
        return frozenset((entry["number"], entry["position"]) for entry in found)

    def sheets(self) -> dict[int, tuple[str, str]]:
        """Return name and sheet of each packet by the entry of the ledger that handed it out."""
        found = rows(self._db, "SELECT entry, name, sheet FROM packets")
        return {e["entry"]: (e["name"], e["sheet"]) for e in found}

    def digests(self) -> dict[int, str]:
        """Return, by the number of the ledger's entry, the digest over the seals it is of."""
        seals: dict[int, list[str]] = {}
        for entry in rows(self._db, "SELECT entry, seal FROM packet_events"):
            seals.setdefault(entry["entry"], []).append(entry["seal"])
        return {entry: digest_all(found) for entry, found in seals.items()}


def _status(entry: Row) -> PacketStatus:
    return PacketStatus(
        name=entry["name"],
        round=entry["round_name"],
        seat=entry["number"],
        items=entry["items"],
        state=_state(entry),
        taken=entry["taken"],
        conflicts=entry["conflicts"],
        issued_at=entry["issued_at"],
        merged_at=entry["merged_at"],
    )


def _state(entry: Row) -> PacketState:
    if entry["answered"] == entry["items"]:
        return "in"
    if not entry["works"]:
        return "revoked"
    if entry["closed_at"]:
        return "late"
    return "partly in" if entry["merged_at"] else "out"
