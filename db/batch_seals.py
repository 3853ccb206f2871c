"""Digests over batches, and what verification needs to hold them against the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlite_utils import Database

from core.batches import Asked
from core.hashing import digest_all, digest_of
from core.runs import GenerationKey
from db.replies import sealed_exchange
from db.rows import rows


@dataclass(frozen=True, slots=True)
class SealedBatch:
    """A batch as the file has it, with the digests over what is there now."""

    id: int
    run: int
    marker: str
    requests: int
    sealed: str
    prepared_at: str
    remote: str
    submitted_at: str | None
    adopted: bool
    ended: str | None
    ended_at: str | None
    said: str
    digest: str | None
    found_requests: str
    found_outcomes: str


class BatchSealStore:
    """What batches rest on, derived anew from the rows."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def all(self) -> tuple[SealedBatch, ...]:
        """Return every batch with digests over what is there now."""
        return tuple(
            SealedBatch(
                id=entry["id"],
                run=entry["run"],
                marker=entry["marker"],
                requests=entry["requests"],
                sealed=entry["sealed"],
                prepared_at=entry["prepared_at"],
                remote=entry["remote"],
                submitted_at=entry["submitted_at"],
                adopted=bool(entry["adopted"]),
                ended=entry["ended"],
                ended_at=entry["ended_at"],
                said=entry["said"],
                digest=entry["digest"],
                found_requests=self._requests(entry["id"], entry["marker"]),
                found_outcomes=outcomes_digest(self._db, entry["id"]),
            )
            for entry in rows(self._db, "SELECT * FROM batches ORDER BY id")
        )

    def loose(self) -> tuple[tuple[int, str], ...]:
        """Return the batch and kind of each line that is not the one that was kept."""
        sql = (
            "SELECT batch, kind, line, bodies.reply FROM batch_strays "
            "LEFT JOIN bodies ON bodies.id = body ORDER BY batch_strays.id"
        )
        return tuple(
            (entry["batch"], entry["kind"])
            for entry in rows(self._db, sql)
            if sealed_exchange(entry)["reply"] != entry["line"]
        )

    def _requests(self, batch: int, marker: str) -> str:
        found = rows(self._db, "SELECT * FROM batch_requests WHERE batch = ?", [batch])
        asked = (
            (
                entry["place"],
                Asked(
                    GenerationKey(
                        entry["run"],
                        entry["wave_item"],
                        entry["prompt_hash"],
                        entry["sample"],
                        entry["intervention"],
                    ),
                    entry["body"],
                ),
            )
            for entry in found
        )
        return requests_digest(marker, asked)


def requests_digest(marker: str, asked: Iterable[tuple[int, Asked]]) -> str:
    """Return the digest over the requests of a batch: their places, keys and bodies."""
    return digest_all(
        digest_of(
            [marker, place, one.key.run, one.key.wave_item, one.key.prompt_hash,
             one.key.intervention, one.key.sample, one.body]
        )
        for place, one in asked
    )  # fmt: skip


def outcomes_digest(db: Database, batch: int) -> str:
    """Return the digest over what became of a batch's requests, with the lines of nobody."""
    requests = "SELECT place, outcome, line FROM batch_requests WHERE batch = ?"
    strays = "SELECT kind, line FROM batch_strays WHERE batch = ?"
    found = (entry for sql in (requests, strays) for entry in rows(db, sql, [batch]))
    return digest_all(digest_of(entry) for entry in found)
