"""Runs that were dropped: a fact of the ledger, with its reason, never a deletion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.hashing import canonical
from core.runs import Drop
from db.connection import immediate
from db.ledger import Ledger
from db.rows import insert, row, rows


class RunDropStore:
    """What was dropped, when and why."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def drop(self, run: int, reason: str, rule: Mapping[str, Any] | None = None) -> Drop:
        """Drop a run; everything that it has is kept, nothing is added, no table shows it.

        Raises
        ------
        Refused
            When it was dropped before.
        """
        with immediate(self._db):
            if row(self._db, "SELECT id FROM run_drops WHERE run = ?", [run]):
                raise Refused(f"run {run} was dropped already")
            at, held = now(), dict(rule or {})
            insert(self._db, "run_drops", run=run, reason=reason, rule=canonical(held), at=at)
            count = row(self._db, "SELECT count(*) AS n FROM generations WHERE run = ?", [run])
            Ledger(self._db).append(
                "run dropped",
                {
                    "run": run,
                    "reason": reason,
                    "rule": held,
                    "generations": count["n"] if count else 0,
                },
            )
        return Drop(run, reason, held, at)

    def all(self) -> dict[int, Drop]:
        """Return every dropped run by its number."""
        found = rows(self._db, "SELECT * FROM run_drops ORDER BY run")
        return {
            e["run"]: Drop(e["run"], e["reason"], json.loads(e["rule"]), e["at"]) for e in found
        }
