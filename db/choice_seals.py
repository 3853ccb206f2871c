"""Digests over choice scores, and what verification needs to hold them against the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlite_utils import Database

from core.hashing import digest_all, digest_of
from db.calls import CallKind, Calls, SealedCall
from db.replies import sealed_exchange
from db.rows import Row, rows

# What an exact route gives again, bit for bit; times and raw bodies have a digest of their own.
COLUMNS = (
    "setup", "wave_item", "attempt", "prompt_hash", "state", "answers", "error", "prompt_tokens",
    "forward_calls",
)  # fmt: skip
PASSING = ("seconds", "started_at", "ended_at")


class ChoiceSealStore:
    """What choice scores rest on, derived anew from the rows."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def calls(self) -> tuple[SealedCall, ...]:
        """Return every call with digests over what is there now."""
        return Calls(self._db, CHOOSING).sealed()

    def strays(self) -> tuple[int, ...]:
        """Return the scores whose call is not there, or is another setup's."""
        sql = (
            "SELECT id FROM choice_scores WHERE NOT EXISTS (SELECT 1 FROM choice_calls "
            "WHERE choice_calls.id = call AND choice_calls.setup = choice_scores.setup) ORDER BY id"
        )
        return tuple(entry["id"] for entry in rows(self._db, sql))


def scores_digest(db: Database, call: int) -> str:
    """Return the digest over the scores of a call, as they stand now."""
    sql = f"SELECT {', '.join(COLUMNS)} FROM choice_scores WHERE call = ?"
    return digest_all(digest_of(entry) for entry in rows(db, sql, [call]))


def exchanges_digest(db: Database, call: int) -> str:
    """Return the digest over what went out and came in, byte for byte, with its times."""
    return digest_all(digest_of(entry) for entry in _exchanges(db, call))


def _exchanges(db: Database, call: int) -> Iterator[Row]:
    sql = (
        f"SELECT setup, wave_item, attempt, {', '.join(PASSING)}, request, reply "
        "FROM choice_scores LEFT JOIN bodies ON bodies.id = body WHERE call = ?"
    )
    for entry in rows(db, sql, [call]):
        yield sealed_exchange(entry)


def state_counts(db: Database, call: int) -> dict[str, dict[str, int]]:
    """Return how many items of a call came to each state."""
    found = rows(db, "SELECT state FROM choice_scores WHERE call = ?", [call])
    return {"states": dict(Counter(entry["state"] for entry in found))}


CHOOSING = CallKind(
    noun="setup",
    table="choice_calls",
    begun="choices begun",
    ended="choices ended",
    came=scores_digest,
    bodies=exchanges_digest,
    counts=state_counts,
)
