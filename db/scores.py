"""What verifiers read in generations. A new version of a verifier adds scores and replaces none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.hashing import digest_of
from core.runs import Generation, Score
from db.connection import immediate
from db.ledger import Ledger
from db.rows import insert, row, rows
from db.runs import generation_of


class ScoreStore:
    """What verifiers read. A new version of a verifier adds scores and replaces none."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def missing(self, verifier: str, version: str) -> tuple[Generation, ...]:
        """Return the generations that this version has not read; errors have nothing to read."""
        sql = (
            "SELECT * FROM generations WHERE state <> 'error' AND NOT EXISTS (SELECT 1 FROM scores "
            "WHERE generation = generations.id AND verifier = ? AND version = ?) ORDER BY id"
        )
        return tuple(generation_of(entry) for entry in rows(self._db, sql, [verifier, version]))

    def add(self, scores: Iterable[Score]) -> int:
        """Store scores in one transaction, with a ledger entry over them; return how many."""
        at = now()
        with immediate(self._db):
            added = [
                insert(
                    self._db,
                    "scores",
                    generation=score.generation,
                    verifier=score.verifier,
                    version=score.version,
                    verdict=score.verdict,
                    evidence=score.evidence,
                    score=score.score,
                    created_at=at,
                )
                for score in scores
            ]
            if added:
                first, last = min(added), max(added)
                payload = {"first": first, "last": last, **self.summary(first, last)}
                Ledger(self._db).append("scores recorded", payload, at)
        return len(added)

    def summary(self, first: int, last: int) -> dict[str, Any]:
        """Return what the ledger says of the scores with these numbers: how many, and a digest."""
        sql = "SELECT * FROM scores WHERE id BETWEEN ? AND ? ORDER BY id"
        found = list(rows(self._db, sql, [first, last]))
        return {
            "scores": len(found),
            "verifiers": sorted({f"{e['verifier']} {e['version']}" for e in found}),
            "digest": digest_of(found),
        }

    def beyond(self, ranges: Iterable[tuple[int, int]]) -> int:
        """Count the scores whose number is in none of these ranges."""
        total = row(self._db, "SELECT count(*) AS n FROM scores")
        counted = (
            row(self._db, "SELECT count(*) AS n FROM scores WHERE id BETWEEN ? AND ?", each)
            for each in ranges
        )
        inside = sum(int(found["n"]) for found in counted if found)
        return int(total["n"] if total else 0) - inside

    def verdicts(self, verifier: str, version: str) -> dict[int, str]:
        """Return one version's verdict for every generation that it has read."""
        sql = "SELECT generation, verdict FROM scores WHERE verifier = ? AND version = ?"
        found = rows(self._db, sql, [verifier, version])
        return {entry["generation"]: entry["verdict"] for entry in found}

    def evidence(self, verifier: str, version: str) -> dict[int, str]:
        """Return the words that one version's verdicts rest on, for every generation read."""
        sql = "SELECT generation, evidence FROM scores WHERE verifier = ? AND version = ?"
        found = rows(self._db, sql, [verifier, version])
        return {entry["generation"]: entry["evidence"] for entry in found}

    def values(self, verifier: str, version: str) -> dict[int, float]:
        """Return one version's score, from 0 to 1, for every generation that it could grade."""
        sql = (
            "SELECT generation, score FROM scores "
            "WHERE verifier = ? AND version = ? AND score IS NOT NULL"
        )
        found = rows(self._db, sql, [verifier, version])
        return {entry["generation"]: entry["score"] for entry in found}
