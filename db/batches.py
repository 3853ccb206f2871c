"""Batches of requests: written down before they go out, until nothing more can come of them.

As long as a batch is open, its keys are asked by nobody else, whoever is at work. Its preparation,
its acceptance by the provider and its end stand in the ledger; the end carries a digest over what
became of every request.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from sqlite_utils import Database

from core.batches import LEFT, Asked, Batch, BatchRequest, Ended, Outcome, Result, StrayLine
from core.clock import now
from core.errors import NotFound, Refused
from core.hashing import digest, digest_bytes, digest_of
from core.runs import Answered, GenerationKey, Kept
from db.batch_seals import outcomes_digest, requests_digest
from db.connection import immediate
from db.ledger import Ledger
from db.rows import Row, insert, row, rows
from db.run_sessions import RunSessionStore
from db.runs import RunStore

PREPARED, SUBMITTED, ENDED = "batch prepared", "batch submitted", "batch ended"
MARK = "wavelock-"
_LETTERS = 20  # of the digest in a marker; with mark and place a name has at most 36 characters

# One look-up by index for each key, as for leases.
_FREE = """
SELECT wanted.key AS at FROM json_each(?) AS wanted
WHERE NOT EXISTS (SELECT 1 FROM generations WHERE run = ?2
    AND wave_item = json_extract(wanted.value, '$[0]')
    AND prompt_hash = json_extract(wanted.value, '$[1]')
    AND intervention = json_extract(wanted.value, '$[2]')
    AND sample = json_extract(wanted.value, '$[3]') AND state <> 'error')
  AND NOT EXISTS (SELECT 1 FROM batch_requests JOIN batches ON batches.id = batch_requests.batch
    WHERE batch_requests.run = ?2 AND wave_item = json_extract(wanted.value, '$[0]')
    AND prompt_hash = json_extract(wanted.value, '$[1]')
    AND intervention = json_extract(wanted.value, '$[2]')
    AND sample = json_extract(wanted.value, '$[3]') AND batches.ended IS NULL)
ORDER BY wanted.key
"""


class BatchStore:
    """Batches, their requests, and what came of them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def free(self, keys: Sequence[GenerationKey]) -> tuple[GenerationKey, ...]:
        """Return those of some keys of one run that have no answer and are in no open batch."""
        if not keys:
            return ()
        wanted = [[key.wave_item, key.prompt_hash, key.intervention, key.sample] for key in keys]
        found = rows(self._db, _FREE, [json.dumps(wanted), keys[0].run])
        return tuple(keys[entry["at"]] for entry in found)

    def prepare(self, run: int, session: int, asked: Sequence[Asked]) -> Batch | None:
        """Write a batch down before it goes out.

        Keys that another process put into a batch, or that were answered, meanwhile are left out;
        ``None`` when none is left.
        """
        with immediate(self._db):
            free = set(self.free([one.key for one in asked]))
            left = [one for one in asked if one.key in free]
            if not left:
                return None
            at, run_hash = now(), self._hash(run)
            number = self._next()
            named = [run_hash, number, at, digest_of([one.body for one in left])]
            marker = MARK + digest_of(named).rpartition(":")[2][:_LETTERS]
            facts = {"run": run, "marker": marker, "requests": len(left)}
            sealed = requests_digest(marker, enumerate(left))
            insert(
                self._db,
                "batches",
                id=number,
                **facts,
                sealed=sealed,
                prepared_at=at,
                session=session,
                **dict.fromkeys(("file", "remote", "status", "said"), ""),
                **dict.fromkeys(("adopted", "done", "failed"), 0),
            )
            for place, one in enumerate(left):
                self._add(number, place, one)
            entry = {"batch": number, **facts, "sealed": sealed}
            Ledger(self._db).append(PREPARED, entry, at)
        return self.batch(number)

    def hold(self, batch: int, session: int) -> bool:
        """Take a batch over, if nobody else is at work on it; return whether it is ours."""
        with immediate(self._db):
            held = self.batch(batch)
            if held.ended is not None:
                return False
            if held.session != session:
                if not RunSessionStore(self._db).over(held.session):
                    return False
                self._set(batch, session=session)
            return True

    def trying(self, batch: int) -> None:
        """Note, before it is made, that a call begins which may make the batch."""
        self._set(batch, tried_at=now())

    def uploaded(self, batch: int, file: str) -> None:
        """Note the provider's id of the uploaded requests."""
        self._set(batch, file=file)

    def submitted(self, batch: int, remote: str, *, adopted: bool = False) -> None:
        """Note that the provider accepted a batch, and what it calls it."""
        with immediate(self._db):
            held = self.batch(batch)
            if held.remote == remote:
                return
            at = now()
            self._set(batch, remote=remote, submitted_at=at, adopted=int(adopted))
            facts = {"batch": batch, "run": held.run, "remote": remote, "adopted": adopted}
            Ledger(self._db).append(SUBMITTED, facts, at)

    def seen(self, batch: int, status: str, done: int, failed: int, expires_at: str | None) -> None:
        """Note what the provider says of a batch that goes on."""
        facts = {"status": status, "done": done, "failed": failed, "expires_at": expires_at}
        self._set(batch, **facts, looked_at=now())

    def collect(self, batch: int, results: Sequence[Result]) -> tuple[Kept | None, ...]:
        """Store results in one transaction: each answer under its key, each outcome in its place.

        An answer to a key that has one is not stored; its request is ``held`` and its line kept.
        What is known of a request already stays.
        """
        with immediate(self._db):
            return tuple(self._collect(batch, result) for result in results)

    def stray(self, batch: int, line: StrayLine) -> None:
        """Keep a line that is nobody's answer; the same one again changes nothing."""
        sealed = digest_bytes(line.line)
        with immediate(self._db):
            where = [batch, line.kind, sealed]
            sql = "SELECT id FROM batch_strays WHERE batch = ? AND kind = ? AND line = ?"
            if row(self._db, sql, where) is None:
                body = insert(self._db, "bodies", request="", reply=zlib.compress(line.line))
                facts = {"batch": batch, "kind": line.kind, "line": sealed, "body": body}
                insert(self._db, "batch_strays", **facts)

    def end(self, batch: int, how: Ended, said: str = "", left: Outcome | None = None) -> bool:
        """End a batch; requests of which nothing is known come to `left`, else what `how` says.

        Where another process ended it, that stands.
        """
        with immediate(self._db):
            held = self.batch(batch)
            if held.ended is not None:
                return False
            sql = "UPDATE batch_requests SET outcome = ? WHERE batch = ? AND outcome IS NULL"
            self._db.execute(sql, [left or LEFT[how], batch])
            sealed, at = outcomes_digest(self._db, batch), now()
            self._set(batch, ended=how, ended_at=at, said=said, digest=sealed)
            entry = {
                "batch": batch,
                "run": held.run,
                "ended": how,
                "said": said,
                "outcomes": dict(self.outcomes(batch)),
                "strays": self.strays(batch),
                "digest": sealed,
            }
            Ledger(self._db).append(ENDED, entry, at)
        return True

    def batch(self, number: int) -> Batch:
        """Return one batch.

        Raises
        ------
        NotFound
            When there is none of that number.
        """
        found = row(self._db, "SELECT * FROM batches WHERE id = ?", [number])
        if found is None:
            raise NotFound(f"there is no batch {number}; wavelock runs batches lists them")
        return _batch(found)

    def all(self, run: int | None = None) -> tuple[Batch, ...]:
        """Return all batches, or those of a run, oldest first."""
        sql = "SELECT * FROM batches WHERE ?1 IS NULL OR run = ?1 ORDER BY id"
        return tuple(_batch(entry) for entry in rows(self._db, sql, [run]))

    def open(self, run: int | None = None) -> tuple[Batch, ...]:
        """Return the batches that may bring something yet."""
        return tuple(batch for batch in self.all(run) if batch.ended is None)

    def requests(self, batch: int) -> tuple[BatchRequest, ...]:
        """Return the requests of a batch in their places."""
        found = rows(
            self._db, "SELECT * FROM batch_requests WHERE batch = ? ORDER BY place", [batch]
        )
        return tuple(
            BatchRequest(entry["place"], _key(entry), entry["body"], entry["outcome"])
            for entry in found
        )

    def outcomes(self, batch: int) -> dict[Outcome, int]:
        """Return how many requests of a batch came to what, as far as is known."""
        sql = (
            "SELECT outcome, count(*) AS n FROM batch_requests WHERE batch = ? "
            "AND outcome IS NOT NULL GROUP BY outcome ORDER BY outcome"
        )
        return {entry["outcome"]: entry["n"] for entry in rows(self._db, sql, [batch])}

    def strays(self, batch: int) -> dict[str, int]:
        """Return how many lines of a batch are nobody's answer, by kind."""
        sql = (
            "SELECT kind, count(*) AS n FROM batch_strays WHERE batch = ? GROUP BY kind "
            "ORDER BY kind"
        )
        return {entry["kind"]: entry["n"] for entry in rows(self._db, sql, [batch])}

    def _collect(self, batch: int, result: Result) -> Kept | None:
        sql = "SELECT outcome FROM batch_requests WHERE batch = ? AND place = ?"
        known = row(self._db, sql, [batch, result.place])
        if known is None:
            raise Refused(f"batch {batch} has no request {result.place}")
        if known["outcome"] is not None:
            return None
        kept, outcome = None, result.outcome
        if result.answered is not None:
            kept = self._keep(batch, result.answered)
            outcome = "held" if kept == "dropped" else outcome
        sql = "UPDATE batch_requests SET outcome = ?, line = ? WHERE batch = ? AND place = ?"
        self._db.execute(sql, [outcome, result.line, batch, result.place])
        return kept

    def _keep(self, batch: int, answered: Answered) -> Kept:
        (kept,) = RunStore(self._db).keep([answered])
        if kept == "dropped":
            self.stray(batch, StrayLine("held", answered.reply.body))
        return kept

    def _add(self, batch: int, place: int, one: Asked) -> None:
        insert(
            self._db,
            "batch_requests",
            batch=batch,
            place=place,
            run=one.key.run,
            wave_item=one.key.wave_item,
            prompt_hash=one.key.prompt_hash,
            intervention=one.key.intervention,
            sample=one.key.sample,
            body=one.body,
        )

    def _set(self, batch: int, **values: Any) -> None:
        columns = ", ".join(f"{name} = ?" for name in values)
        with immediate(self._db):
            self._db.execute(
                f"UPDATE batches SET {columns} WHERE id = ?", [*values.values(), batch]
            )

    def _hash(self, run: int) -> str:
        found = row(self._db, "SELECT hash FROM runs WHERE id = ?", [run])
        return str(found["hash"]) if found else digest(str(run))

    def _next(self) -> int:
        found = row(self._db, "SELECT coalesce(max(id), 0) + 1 AS n FROM batches")
        return int(found["n"]) if found else 1


def _key(entry: Row) -> GenerationKey:
    names = ("run", "wave_item", "prompt_hash", "sample", "intervention")
    return GenerationKey(*(entry[name] for name in names))


def _batch(entry: Row) -> Batch:
    return Batch(
        id=entry["id"],
        run=entry["run"],
        marker=entry["marker"],
        requests=entry["requests"],
        sealed=entry["sealed"],
        session=entry["session"],
        prepared_at=entry["prepared_at"],
        tried_at=entry["tried_at"],
        file=entry["file"],
        remote=entry["remote"],
        submitted_at=entry["submitted_at"],
        expires_at=entry["expires_at"],
        status=entry["status"],
        done=entry["done"],
        failed=entry["failed"],
        ended=entry["ended"],
        ended_at=entry["ended_at"],
        said=entry["said"],
    )
