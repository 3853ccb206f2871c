"""Pair audits: an auditor's verdict on two conditions side by side, with every change kept."""

from __future__ import annotations

import secrets
from dataclasses import asdict, replace

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.evidence import AuditEvent, GivenAudit, PairAudit, Side
from core.hashing import digest_of
from db.connection import immediate
from db.rows import Row, insert, row, rows

GIVEN = """
    SELECT pair_audits.*, people.pseudonym, people.kind AS person_kind, seats.round,
           pair_assignments.scenario, pair_assignments.position, seats.number AS seat_number,
           people.erased,
           lefts.number AS left_revision, lefts.text AS left_text,
           rights.number AS right_revision, rights.text AS right_text,
           left_items.condition AS left_condition, right_items.condition AS right_condition
    FROM pair_audits
    JOIN pair_assignments ON pair_assignments.id = pair_audits.pair
    JOIN seats ON seats.id = pair_assignments.seat
    JOIN people ON people.id = pair_audits.person
    JOIN revisions AS lefts ON lefts.id = pair_assignments.left_revision
    JOIN revisions AS rights ON rights.id = pair_assignments.right_revision
    JOIN items AS left_items ON left_items.id = lefts.item
    JOIN items AS right_items ON right_items.id = rights.item
    WHERE seats.round = ?{} ORDER BY pair_assignments.scenario, seats.number, pair_audits.id"""
ALL, STANDING = GIVEN.format(""), GIVEN.format(" AND pair_audits.void IS NULL")
HISTORY = """
    SELECT pair_audit_history.audit, pair_audit_history.only_intended, pair_audit_history.note,
           pair_audit_history.differences, pair_audit_history.at AS updated_at
    FROM pair_audit_history
    JOIN pair_audits ON pair_audits.id = pair_audit_history.audit
    JOIN pair_assignments ON pair_assignments.id = pair_audits.pair
    JOIN seats ON seats.id = pair_assignments.seat
    WHERE seats.round = ? AND pair_audits.void IS NULL ORDER BY pair_audit_history.id"""
OF_SEAT = """
    SELECT pair_audits.* FROM pair_audits
    JOIN pair_assignments ON pair_assignments.id = pair_audits.pair
    WHERE seat = ? AND pair_audits.void IS NULL"""


class AuditStore:
    """What auditors said."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save(self, audit: PairAudit, person: int, at: str | None = None) -> PairAudit:
        """Store or change an audit, with its history, in one durable transaction.

        Once the differences were shown to an auditor, later verdicts on the pair were given
        knowing them.

        Parameters
        ----------
        at
            When it was given, for audits from elsewhere; now unless it is said.

        Returns
        -------
        PairAudit
            As it stands in the file.

        Raises
        ------
        Refused
            When the round is not open, or somebody else audited the pair.
        """
        with immediate(self._db):
            sql = "SELECT * FROM pair_audits WHERE pair = ? AND void IS NULL"
            known = row(self._db, sql, [audit.pair])
            if known and known["person"] != person:
                raise Refused("that pair was audited by somebody else, whose verdict stands")
            at = at or now()
            if known:
                shown = audit.differences or bool(known["differences"])
                audit = replace(audit, differences=shown)
            number = self._change(known, audit, at) if known else self._add(audit, person, at)
            insert(
                self._db,
                "pair_audit_history",
                audit=number,
                only_intended=audit.only_intended,
                note=audit.note,
                differences=audit.differences,
                at=at,
            )
        return audit

    def _add(self, audit: PairAudit, person: int, at: str) -> int:
        salt = secrets.token_hex(16)
        return insert(
            self._db,
            "pair_audits",
            pair=audit.pair,
            person=person,
            only_intended=audit.only_intended,
            note=audit.note,
            differences=audit.differences,
            salt=salt,
            hash=audit_hash(salt, audit, person),
            created_at=at,
            updated_at=at,
        )

    def _change(self, known: Row, audit: PairAudit, at: str) -> int:
        self._db.execute(
            "UPDATE pair_audits SET only_intended = ?, note = ?, differences = ?, hash = ?, "
            "updated_at = ? WHERE id = ?",
            [
                audit.only_intended, audit.note, audit.differences,
                audit_hash(known["salt"], audit, known["person"]), at, known["id"],
            ],
        )  # fmt: skip
        number: int = known["id"]
        return number

    def of_seat(self, seat: int) -> dict[int, PairAudit]:
        """Return a seat's standing audits by pair, whoever gave them."""
        return {e["pair"]: _audit(e) for e in rows(self._db, OF_SEAT, [seat])}

    def authors(self, seat: int) -> dict[int, int]:
        """Return who gave each standing audit of a seat: the person by pair."""
        return {e["pair"]: e["person"] for e in rows(self._db, OF_SEAT, [seat])}

    def hashes(self, round_id: int, before: int | None = None) -> tuple[str, ...]:
        """Return the hashes of what stands, or of what stood before an entry of the ledger.

        Each is taken over the salted hash and the times beside it, which outlive an erasure.
        """
        return tuple(
            digest_of([entry["hash"], entry["created_at"], entry["updated_at"]])
            for entry in rows(self._db, ALL, [round_id])
            if entry["void"] is None or (before is not None and entry["void"] > before)
        )

    def of_round(self, round_id: int) -> tuple[GivenAudit, ...]:
        """Return the standing audits of a round beside what they were given to, by scenario."""
        return tuple(_given(entry) for entry in rows(self._db, STANDING, [round_id]))

    def events_of_round(self, round_id: int) -> tuple[AuditEvent, ...]:
        """Return every version of every standing audit of a round, as in :meth:`of_round`."""
        versions: dict[int, list[Row]] = {}
        for version in rows(self._db, HISTORY, [round_id]):
            versions.setdefault(version["audit"], []).append(version)
        return tuple(
            AuditEvent(_given({**entry, **version}), number, number == len(versions[entry["id"]]))
            for entry in rows(self._db, STANDING, [round_id])
            for number, version in enumerate(versions[entry["id"]], start=1)
        )

    def faults(self, round_id: int) -> tuple[str, ...]:
        """Name the audits of a round whose content no longer has the hash it was given.

        Of an erased person nothing may be left but the hash.
        """
        return tuple(
            f"the audit of {e['scenario']} by {e['pseudonym']} was changed"
            for e in rows(self._db, ALL, [round_id])
            if not _intact(e)
        )


def audit_hash(salt: str, audit: PairAudit, person: int) -> str:
    """Return the salted hash of one audit: who said what of which pair."""
    return digest_of({"salt": salt, "person": person, **asdict(audit)})


def _intact(entry: Row) -> bool:
    if entry["erased"] is not None:
        return (entry["only_intended"], entry["note"], entry["salt"]) == (None, "", "")
    return bool(entry["hash"] == audit_hash(entry["salt"], _audit(entry), entry["person"]))


def _audit(entry: Row) -> PairAudit:
    return PairAudit(
        entry["pair"], bool(entry["only_intended"]), entry["note"], bool(entry["differences"])
    )


def _given(entry: Row) -> GivenAudit:
    return GivenAudit(
        round=entry["round"],
        scenario=entry["scenario"],
        person=entry["pseudonym"],
        person_kind=entry["person_kind"],
        only_intended=bool(entry["only_intended"]),
        note=entry["note"],
        hash=entry["hash"],
        differences=bool(entry["differences"]),
        left=Side(entry["left_condition"], entry["left_revision"], entry["left_text"]),
        right=Side(entry["right_condition"], entry["right_revision"], entry["right_text"]),
        seat=entry["seat_number"],
        position=entry["position"],
        created_at=entry["created_at"],
        updated_at=entry["updated_at"],
    )
