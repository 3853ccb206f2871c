"""Runs, generations and scores. A generation's key is stored once; an error may be tried again."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import NotFound, Refused
from core.hashing import canonical, digest_all, digest_bytes, digest_of
from core.runs import Answered, Generation, GenerationKey, Kept, ModelKind, Reply, Run, Score
from db.connection import immediate
from db.ledger import Ledger
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
            run = insert(
                self._db,
                "runs",
                model=model,
                kind=kind,
                config=canonical(config),
                hash=sealed,
                created_at=now(),
            )
            insert(
                self._db,
                "run_standings",
                run=run,
                preregistration=preregistration,
                created_at=now(),
            )
            Ledger(self._db).append(
                "run started",
                {
                    "run": run,
                    "model": model,
                    "kind": kind,
                    "config": sealed,
                    "preregistration": preregistration,
                    "exploratory": preregistration is None,
                },
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
        values = {**_reply_columns(reply), "body": body, "session": entry.session}
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
            sealed = self.digest(run)
            self._db.execute(
                "UPDATE runs SET closed_at = ?, digest = ? WHERE id = ?", [now(), sealed, run]
            )
            count = row(self._db, "SELECT count(*) AS n FROM generations WHERE run = ?", [run])
            Ledger(self._db).append(
                "run closed",
                {
                    "run": run,
                    "digest": sealed,
                    "bodies": self.bodies_digest(run),
                    "generations": count["n"] if count else 0,
                },
            )
        return sealed

    def digest(self, run: int) -> str:
        """Return the digest over a run's generations as they stand now."""
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
        return digest_all(digest_of(_sealed(entry)) for entry in rows(self._db, sql, [run]))

    def body(self, generation: int) -> tuple[str, bytes]:
        """Return the request and the raw body of a generation; empty where there were none."""
        sql = (
            "SELECT request, reply FROM generations JOIN bodies ON bodies.id = body "
            "WHERE generations.id = ?"
        )
        found = row(self._db, sql, [generation])
        return (found["request"], zlib.decompress(found["reply"])) if found else ("", b"")

    def generations(self, run: int | None = None) -> tuple[Generation, ...]:
        """Return the generations of a run, or of all, in the order of items and samples."""
        sql = (
            "SELECT * FROM generations WHERE ?1 IS NULL OR run = ?1 ORDER BY run, wave_item, sample"
        )
        return tuple(_generation(entry) for entry in rows(self._db, sql, [run]))


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
        return tuple(_generation(entry) for entry in rows(self._db, sql, [verifier, version]))

    def add(self, scores: Iterable[Score]) -> int:
        """Store scores in one transaction; return how many."""
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
        return len(added)

    def verdicts(self, verifier: str, version: str) -> dict[int, str]:
        """Return one version's verdict for every generation that it has read."""
        sql = "SELECT generation, verdict FROM scores WHERE verifier = ? AND version = ?"
        found = rows(self._db, sql, [verifier, version])
        return {entry["generation"]: entry["verdict"] for entry in found}

    def values(self, verifier: str, version: str) -> dict[int, float]:
        """Return one version's score, from 0 to 1, for every generation that it could grade."""
        sql = (
            "SELECT generation, score FROM scores "
            "WHERE verifier = ? AND version = ? AND score IS NOT NULL"
        )
        found = rows(self._db, sql, [verifier, version])
        return {entry["generation"]: entry["score"] for entry in found}


def _summed(before: int | None, now_: int | None) -> int | None:
    """Add what an earlier call spent on the same key; unknown and unknown stays unknown."""
    return now_ if before is None else before + (now_ or 0)


def _sealed(entry: Row) -> Row:
    """Return what is hashed of one exchange; a body that cannot be unpacked is hashed as it is."""
    packed = entry.pop("reply")
    try:
        raw = zlib.decompress(packed) if packed is not None else b""
    except (zlib.error, TypeError):
        raw = repr(packed).encode("utf-8", "surrogatepass")
    return {**entry, "reply": digest_bytes(raw)}


def _reply_columns(reply: Reply) -> dict[str, Any]:
    return {
        "state": reply.state,
        "visible_text": reply.visible_text,
        "reasoning": reply.reasoning,
        "finish_reason": reply.finish_reason,
        "usage": canonical(reply.usage),
        "answered_by": reply.answered_by,
        "error": reply.error,
        "seconds": reply.seconds,
        "started_at": reply.started_at,
        "ended_at": reply.ended_at,
        "attempts": reply.attempts,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }


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


def _generation(entry: Row) -> Generation:
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
