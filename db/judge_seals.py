"""Digests over what judges said, and what verification needs to hold them against the ledger."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from sqlite_utils import Database

from core.hashing import digest_all, digest_of
from db.calls import CallKind, Calls, SealedCall
from db.replies import sealed_exchange
from db.rows import Row, rows

COLUMNS = (
    "judge", "generation", "sample", "attempt", "prompt_hash", "state", "visible_text",
    "reasoning", "verdict", "score", "finish_reason", "usage", "answered_by", "error", "seconds",
    "started_at", "ended_at",
)  # fmt: skip


class JudgeSealStore:
    """What judging rests on, derived anew from the rows."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def calls(self) -> tuple[SealedCall, ...]:
        """Return every call of a judge with digests over what is there now."""
        return Calls(self._db, JUDGING).sealed()

    def rubrics(self) -> dict[str, str]:
        """Return for each rubric's stored hash the digest of its document, under its own name."""
        sql = (
            "SELECT hash, json_set(document, '$.name', name, '$.version', version) AS document "
            "FROM rubrics ORDER BY id"
        )
        return {e["hash"]: digest_of(json.loads(e["document"])) for e in rows(self._db, sql)}

    def strays(self) -> tuple[int, ...]:
        """Return the judgements whose call is not there, or is another judge's."""
        sql = (
            "SELECT id FROM judgements WHERE NOT EXISTS (SELECT 1 FROM judge_calls "
            "WHERE judge_calls.id = call AND judge_calls.judge = judgements.judge) ORDER BY id"
        )
        return tuple(entry["id"] for entry in rows(self._db, sql))


def call_digest(db: Database, call: int) -> str:
    """Return the digest over what a call brought, as it stands now."""
    sql = f"SELECT {', '.join(COLUMNS)} FROM judgements WHERE call = ?"
    return digest_all(digest_of(entry) for entry in rows(db, sql, [call]))


def bodies_digest(db: Database, call: int) -> str:
    """Return the digest over what went out and came in, byte for byte, with its usage."""
    return digest_all(digest_of(entry) for entry in _exchanges(db, call))


def _exchanges(db: Database, call: int) -> Iterator[Row]:
    sql = (
        "SELECT judge, generation, sample, attempt, attempts, tokens_in, tokens_out, request, "
        "reply FROM judgements LEFT JOIN bodies ON bodies.id = body WHERE call = ?"
    )
    for entry in rows(db, sql, [call]):
        yield sealed_exchange(entry)


def verdict_counts(db: Database, call: int) -> dict[str, dict[str, int]]:
    """Return how often each verdict came in a call; an empty one is none."""
    sql = "SELECT coalesce(verdict, '') AS verdict FROM judgements WHERE call = ?"
    return {"verdicts": dict(Counter(entry["verdict"] for entry in rows(db, sql, [call])))}


JUDGING = CallKind(
    noun="judge",
    table="judge_calls",
    begun="judging begun",
    ended="judging ended",
    came=call_digest,
    bodies=bodies_digest,
    counts=verdict_counts,
)
