"""Runs, generations and scores. A generation's key is stored once; an error may be tried again."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import NotFound
from core.hashing import canonical, digest_all, digest_of
from core.runs import Generation, GenerationKey, ModelKind, Reply, Run, Score
from db.connection import immediate
from db.ledger import Ledger
from db.rows import Row, insert, row, rows


class RunStore:
    """What models were asked, and everything that came back."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def start(self, model: str, kind: ModelKind, config: Mapping[str, Any]) -> Run:
        """Start a run, or return the one that has exactly this configuration already."""
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
            Ledger(self._db).append(
                "run started", {"run": run, "model": model, "kind": kind, "config": sealed}
            )
        return self.run(run)

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
        """Store a reply under its key, in one transaction.

        Raises
        ------
        Refused
            When the key has an answer already, or its item is not frozen.
        """
        with immediate(self._db):
            body = self._add_body(reply) if reply.request or reply.body else None
            values = {**_reply_columns(reply), "body": body}
            held = row(
                self._db,
                "SELECT id FROM generations WHERE run = ? AND wave_item = ? AND prompt_hash = ? "
                "AND intervention = ? AND sample = ? AND state = 'error'",
                [key.run, key.wave_item, key.prompt_hash, key.intervention, key.sample],
            )
            if held:
                columns = ", ".join(f"{name} = ?" for name in values)
                sql = f"UPDATE generations SET {columns} WHERE id = ?"
                self._db.execute(sql, [*values.values(), held["id"]])
            else:
                insert(
                    self._db,
                    "generations",
                    run=key.run,
                    wave_item=key.wave_item,
                    prompt_hash=key.prompt_hash,
                    intervention=key.intervention,
                    sample=key.sample,
                    **values,
                )

    def _add_body(self, reply: Reply) -> int:
        return insert(self._db, "bodies", request=reply.request, reply=zlib.compress(reply.body))

    def close(self, run: int) -> str:
        """Close a run: nothing is added any more, and a digest over it enters the ledger."""
        with immediate(self._db):
            sealed = self.digest(run)
            self._db.execute(
                "UPDATE runs SET closed_at = ?, digest = ? WHERE id = ?", [now(), sealed, run]
            )
            count = row(self._db, "SELECT count(*) AS n FROM generations WHERE run = ?", [run])
            Ledger(self._db).append(
                "run closed",
                {"run": run, "digest": sealed, "generations": count["n"] if count else 0},
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
