"""The preregistration, its amendments, and what rounds and runs stand on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import CheckFailed, Refused
from core.hashing import canonical, digest_of
from core.registration import Change, Document, Known, Registration
from db.connection import immediate
from db.ledger import Ledger
from db.rows import Row, insert, row, rows

FROZEN, AMENDED = "preregistration frozen", "preregistration amended"


class RegistrationStore:
    """Freezing once, amending in the open, reading."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def freeze(self, document: Document) -> Registration:
        """Store the plan of the study once, with its ledger entry, in one transaction.

        Raises
        ------
        Refused
            When there is one already.
        """
        with immediate(self._db):
            if self.current():
                raise Refused(
                    "the study is preregistered already; changes are logged with wavelock prereg "
                    "amend"
                )
            found = Registration(0, document, digest_of(document), self.known(), now())
            insert(
                self._db,
                "preregistrations",
                id=1,
                document=canonical(document),
                hash=found.hash,
                known=canonical(asdict(found.known)),
                created_at=found.created_at,
            )
            Ledger(self._db).append(FROZEN, entry(found))
        return found

    def amend(
        self,
        document: Document,
        changes: Sequence[Change],
        *,
        reason: str,
        seen_ratings: bool,
        seen_outputs: bool,
    ) -> Registration:
        """Store a new version with its ledger entry, in one transaction.

        Raises
        ------
        Refused
            When it does not follow the version in force, as when another amendment came between.
        """
        with immediate(self._db):
            number = len(self.versions())
            found = Registration(
                number,
                document,
                digest_of(document),
                self.known(),
                now(),
                reason,
                tuple(changes),
                seen_ratings,
                seen_outputs,
            )
            insert(
                self._db,
                "amendments",
                number=number,
                document=canonical(document),
                hash=found.hash,
                changes=canonical([asdict(change) for change in changes]),
                reason=reason,
                seen_ratings=seen_ratings,
                seen_outputs=seen_outputs,
                known=canonical(asdict(found.known)),
                created_at=found.created_at,
            )
            Ledger(self._db).append(AMENDED, entry(found))
        return found

    def versions(self) -> tuple[Registration, ...]:
        """Return the plan as it was frozen, then every amendment; nothing before the freeze.

        Raises
        ------
        CheckFailed
            When a version cannot be read any more.
        """
        frozen = row(self._db, "SELECT * FROM preregistrations")
        if frozen is None:
            return ()
        amended = rows(self._db, "SELECT * FROM amendments ORDER BY number")
        try:
            return (_frozen(frozen), *(_amended(each) for each in amended))
        except (KeyError, TypeError, ValueError) as error:
            raise CheckFailed(
                f"the preregistration was tampered with and cannot be read: {error}"
            ) from error

    def current(self) -> Registration | None:
        """Return the version in force.

        Raises
        ------
        CheckFailed
            When its document is not the one that was hashed: nothing is held against that.
        """
        versions = self.versions()
        if not versions:
            return None
        if versions[-1].hash != digest_of(versions[-1].document):
            raise CheckFailed(
                "the preregistration is not what was hashed; see wavelock ledger verify"
            )
        return versions[-1]

    def of_round(self, round_id: int) -> str | None:
        """Return the hash of the plan that a round was opened on; ``None``: exploratory."""
        sql = "SELECT preregistration FROM round_standings WHERE round = ?"
        found = row(self._db, sql, [round_id])
        return found["preregistration"] if found else None

    def of_run(self, run: int) -> str | None:
        """Return the hash of the plan that a run was started on; ``None``: exploratory."""
        sql = "SELECT preregistration FROM run_standings WHERE run = ?"
        found = row(self._db, sql, [run])
        return found["preregistration"] if found else None

    def known(self) -> Known:
        """Count what the study holds now: answers in rounds with people, and model outputs."""
        sql = """
            WITH counted AS (SELECT id FROM rounds WHERE kind IN ('main', 'pilot'))
            SELECT
              (SELECT count(*) FROM ratings JOIN assignments ON assignments.id = ratings.assignment
                 JOIN seats ON seats.id = assignments.seat WHERE seats.round IN counted) AS ratings,
              (SELECT count(*) FROM pair_audits
                 JOIN pair_assignments ON pair_assignments.id = pair_audits.pair
                 JOIN seats ON seats.id = pair_assignments.seat
                 WHERE seats.round IN counted) AS audits,
              (SELECT count(*) FROM decisions WHERE round IN counted) AS decisions,
              (SELECT count(*) FROM generations WHERE state <> 'error') AS generations"""
        found = row(self._db, sql) or {}
        return Known(**found)


def entry(version: Registration) -> dict[str, object]:
    """Return what the ledger says of a version; verification derives it again."""
    known = asdict(version.known)
    if version.number == 0:
        return {"preregistration": version.hash, "known": known}
    return {
        "preregistration": version.hash,
        "amends": version.document.get("amends"),
        "amendment": version.number,
        "changes": [asdict(change) for change in version.changes],
        "reason": version.reason,
        "known": known,
        "seen": {"ratings": version.seen_ratings, "outputs": version.seen_outputs},
        "contradictions": list(version.contradictions),
    }


def _document(text: str) -> dict[str, Any]:
    document = json.loads(text)
    if not isinstance(document, dict):
        raise TypeError("its document is none")
    return document


def _frozen(found: Row) -> Registration:
    known = Known(**json.loads(found["known"]))
    return Registration(0, _document(found["document"]), found["hash"], known, found["created_at"])


def _amended(found: Row) -> Registration:
    return Registration(
        found["number"],
        _document(found["document"]),
        found["hash"],
        Known(**json.loads(found["known"])),
        found["created_at"],
        found["reason"],
        tuple(Change(**change) for change in json.loads(found["changes"])),
        bool(found["seen_ratings"]),
        bool(found["seen_outputs"]),
    )
