"""Runs, generations and scores. A generation's key is stored once; an error may be tried again."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import NotFound, Refused
from core.hashing import canonical, digest_all, digest_of
from core.runs import Answered, Generation, GenerationKey, Kept, ModelKind, Reply, Run
from db.connection import immediate
from db.ledger import Ledger
from db.replies import reply_columns, sealed_exchange
from db.rows import Row, insert, row, rows

_SUMMED = ("attempts", "tokens_in", "tokens_out")  # over all calls that tried a key


class RunStore:
    """What models were asked, and everything that came back."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def start(
        self,
        model: str,
        kind: ModelKind,
        config: Mapping[str, Any],
        preregistration: str | None = None,
    ) -> Run:
        """Start a run, or return the one that has exactly this configuration already.

        `preregistration` is the hash of the plan that it conforms to; a run that was known keeps
        what it was started with, and without one it is exploratory.
        """
        sealed = digest_of({"model": model, "kind": kind, "config": config})
        with immediate(self._db):
            known = row(self._db, "SELECT * FROM runs WHERE hash = ?", [sealed])
            if known:
                return _run(known)
            at = now()
            run = insert(
                self._db,
                "runs",
                model=model,
                kind=kind,
                config=canonical(config),
                hash=sealed,
                created_at=at,
            )
            insert(
                self._db,
                "run_standings",
                run=run,
                preregistration=preregistration,
                created_at=at,
            )
            Ledger(self._db).append(
                "run started",
                {
                    "run": run,
                    "model": model,
                    "kind": kind,
                    "config": sealed,
                    "waves": config.get("waves", []),
                    "preregistration": preregistration,
                    "exploratory": preregistration is None,
                },
                at,
            )
        return self.run(run)

    def find(self, model: str, kind: ModelKind, config: Mapping[str, Any]) -> Run | None:
        """Return the run that has exactly this configuration, or ``None``."""
        sealed = digest_of({"model": model, "kind": kind, "config": config})
        known = row(self._db, "SELECT * FROM runs WHERE hash = ?", [sealed])
        return _run(known) if known else None

    def run(self, run: int) -> Run:
        """Return one run by its number."""
        found = row(self._db, "SELECT * FROM runs WHERE id = ?", [run])
        if found is None:
            raise NotFound(f"there is no run {run}")
        return _run(found)

    def numbered(self, run: object) -> Run | None:
        """Return the run of a number, if there is one."""
        found = row(self._db, "SELECT * FROM runs WHERE id = ?", [run])
        return _run(found) if found else None

    def all(self) -> tuple[Run, ...]:
        """Return all runs, oldest first."""
        return tuple(_run(entry) for entry in rows(self._db, "SELECT * FROM runs ORDER BY id"))

    def answered(self, run: int) -> frozenset[GenerationKey]:
        """Return the keys that have an answer; an error is none, so that it is tried again."""
        sql = "SELECT * FROM generations WHERE run = ? AND state <> 'error'"
        return frozenset(_key(entry) for entry in rows(self._db, sql, [run]))

    def store(self, key: GenerationKey, reply: Reply) -> None:
        """Store one reply under its key.

        Raises
        ------
        Refused
            When the key has an answer already, or its item is not frozen.
        """
        if self.keep([Answered(key, reply)]) == ("dropped",):
            raise Refused("that key has an answer already, and an answer stands")

    def keep(self, batch: Sequence[Answered]) -> tuple[Kept, ...]:
        """Store replies in one transaction, so that many share the wait for the disk.

        Returns
        -------
        tuple of str
            What became of each: ``added``, ``replaced`` an error, or ``dropped`` because its key
            has an answer already.

        Raises
        ------
        Refused
            When an item is not frozen or the run is closed; nothing of the batch is kept then.
        """
        with immediate(self._db):
            return tuple(self._keep(entry) for entry in batch)

    def _keep(self, entry: Answered) -> Kept:
        key = entry.key
        place = {
            "run": key.run,
            "wave_item": key.wave_item,
            "prompt_hash": key.prompt_hash,
            "intervention": key.intervention,
            "sample": key.sample,
        }
        where = " AND ".join(f"{name} = ?" for name in place)
        held = row(self._db, f"SELECT * FROM generations WHERE {where}", tuple(place.values()))
        if held and held["state"] != "error":
            return "dropped"
        reply = entry.reply
        body = self._add_body(reply) if reply.request or reply.body else None
        values = {**reply_columns(reply), "body": body, "session": entry.session}
        if held:
            values |= {name: _summed(held[name], values[name]) for name in _SUMMED}
            columns = ", ".join(f"{name} = ?" for name in values)
            sql = f"UPDATE generations SET {columns} WHERE id = ?"
            self._db.execute(sql, [*values.values(), held["id"]])
            return "replaced"
        insert(self._db, "generations", **place, **values)
        return "added"

    def _add_body(self, reply: Reply) -> int:
        return insert(self._db, "bodies", request=reply.request, reply=zlib.compress(reply.body))

    def close(self, run: int) -> str:
        """Close a run: nothing is added any more, and digests over it enter the ledger.

        A run that another process closed meanwhile stays as it is.
        """
        with immediate(self._db):
            entry = self.run(run)
            if entry.digest is not None:
                return entry.digest
            sealed, at = self.digest(run), now()
            self._db.execute(
                "UPDATE runs SET closed_at = ?, digest = ? WHERE id = ?", [at, sealed, run]
            )
            count = row(self._db, "SELECT count(*) AS n FROM generations WHERE run = ?", [run])
            Ledger(self._db).append(
                "run closed",
                {
                    "run": run,
                    "digest": sealed,
                    "record": self.record(run),
                    "bodies": self.bodies_digest(run),
                    "generations": count["n"] if count else 0,
                },
                at,
            )
        return sealed

    def digest(self, run: int) -> str:
        """Return the digest over what a run's generations say: the same wherever they are run."""
        columns = (
            "wave_item", "prompt_hash", "intervention", "sample", "state", "visible_text",
            "reasoning", "finish_reason", "usage", "answered_by", "error",
        )  # fmt: skip
        sql = f"SELECT {', '.join(columns)} FROM generations WHERE run = ? ORDER BY id"
        return digest_all(digest_of(entry) for entry in rows(self._db, sql, [run]))

    def bodies_digest(self, run: int) -> str:
        """Return the digest over what went out and came in, byte for byte.

        Apart from :meth:`digest`, because a body holds times and ids that no second run repeats.
        """
        sql = (
            "SELECT wave_item, prompt_hash, intervention, sample, attempts, tokens_in, tokens_out, "
            "request, reply FROM generations LEFT JOIN bodies ON bodies.id = body WHERE run = ?"
        )
        return digest_all(digest_of(sealed_exchange(entry)) for entry in rows(self._db, sql, [run]))

    def body(self, generation: int) -> tuple[str, bytes]:
        """Return the request and the raw body of a generation; empty where there were none."""
        sql = (
            "SELECT request, reply FROM generations JOIN bodies ON bodies.id = body "
            "WHERE generations.id = ?"
        )
        found = row(self._db, sql, [generation])
        return (found["request"], zlib.decompress(found["reply"])) if found else ("", b"")

    def record(self, run: int) -> str:
        """Return the digest over how a run's generations came about: when, in what order."""
        columns = "id, wave_item, sample, intervention, seconds, started_at, ended_at, body"
        sql = f"SELECT {columns} FROM generations WHERE run = ? ORDER BY id"
        return digest_all(digest_of(entry) for entry in rows(self._db, sql, [run]))

    def waves(self, run: int) -> frozenset[int]:
        """Return the numbers of the waves whose items a run has generations of."""
        sql = (
            "SELECT DISTINCT waves.number FROM generations "
            "JOIN wave_items ON wave_items.id = generations.wave_item "
            "JOIN waves ON waves.id = wave_items.wave WHERE generations.run = ?"
        )
        return frozenset(entry["number"] for entry in rows(self._db, sql, [run]))

    def generations(self, run: int | None = None) -> tuple[Generation, ...]:
        """Return the generations of a run, or of all, in the order of items and samples."""
        sql = (
            "SELECT * FROM generations WHERE ?1 IS NULL OR run = ?1 ORDER BY run, wave_item, sample"
        )
        return tuple(generation_of(entry) for entry in rows(self._db, sql, [run]))


def _summed(before: int | None, now_: int | None) -> int | None:
    """Add what an earlier call spent on the same key; unknown and unknown stays unknown."""
    return now_ if before is None else before + (now_ or 0)


def _run(entry: Row) -> Run:
    return Run(
        id=entry["id"],
        model=entry["model"],
        kind=entry["kind"],
        config=json.loads(entry["config"]),
        hash=entry["hash"],
        created_at=entry["created_at"],
        closed_at=entry["closed_at"],
        digest=entry["digest"],
    )


def _key(entry: Row) -> GenerationKey:
    return GenerationKey(
        run=entry["run"],
        wave_item=entry["wave_item"],
        prompt_hash=entry["prompt_hash"],
        sample=entry["sample"],
        intervention=entry["intervention"],
    )


def generation_of(entry: Row) -> Generation:
    """Return a generation as its row says it."""
    return Generation(
        id=entry["id"],
        run=entry["run"],
        wave_item=entry["wave_item"],
        prompt_hash=entry["prompt_hash"],
        intervention=entry["intervention"],
        sample=entry["sample"],
        state=entry["state"],
        visible_text=entry["visible_text"],
    )
