"""Rubrics, judges, and what they said. Nothing is replaced: another attempt is another row.

A judge has one call at a time; see :mod:`db.calls`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.hashing import canonical, digest_of
from core.judging import (
    Judge,
    Judged,
    Judgement,
    JudgementKey,
    Scope,
    scope_from_json,
    scope_to_json,
)
from core.runs import Kept, ModelKind, Reply
from db.calls import Calls
from db.connection import immediate
from db.judge_seals import JUDGING
from db.ledger import Ledger
from db.replies import reply_columns
from db.rows import Row, insert, row, rows
from db.run_counts import ESTIMATE, Spent
from db.run_sessions import Ending

BEGUN, ENDED = JUDGING.begun, JUDGING.ended
JUDGES = """
    SELECT judges.*, rubrics.name, rubrics.version, rubrics.hash AS rubric_hash
    FROM judges JOIN rubrics ON rubrics.id = judges.rubric
"""
# Attempts are numbered without a gap, so the last is the one that no other follows.
LAST = """
    SELECT * FROM judgements AS said WHERE judge = ? AND NOT EXISTS (SELECT 1 FROM judgements
    WHERE judge = said.judge AND generation = said.generation AND sample = said.sample
    AND attempt = said.attempt + 1) ORDER BY generation, sample
"""


class JudgeStore:
    """What judges were asked, and everything that came back."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._calls = Calls(db, JUDGING)

    def take(
        self,
        rubric: Mapping[str, Any],
        model: str,
        kind: ModelKind,
        config: Mapping[str, Any],
    ) -> Judge:
        """Return the judge with exactly this rubric and configuration; store it when it is new.

        Raises
        ------
        Refused
            When the study has another text under the rubric's name and version.
        """
        sealed = judge_hash(digest_of(rubric), model, kind, config)
        with immediate(self._db):
            if known := self._by_hash(sealed):
                return known
            insert(
                self._db,
                "judges",
                rubric=self._rubric(rubric),
                model=model,
                kind=kind,
                config=canonical(config),
                hash=sealed,
                created_at=now(),
            )
            found = self._by_hash(sealed)
        if found is None:
            raise RuntimeError("a judge that was stored just now is not there")
        return found

    def find(
        self, rubric: str, model: str, kind: ModelKind, config: Mapping[str, Any]
    ) -> Judge | None:
        """Return the judge with exactly this configuration under a rubric's hash, or ``None``."""
        return self._by_hash(judge_hash(rubric, model, kind, config))

    def all(self) -> tuple[Judge, ...]:
        """Return all judges, oldest first."""
        return tuple(_judge(entry) for entry in rows(self._db, f"{JUDGES} ORDER BY judges.id"))

    def rubric(self, sealed: str) -> dict[str, Any]:
        """Return the document of a rubric by its hash."""
        found = row(self._db, "SELECT document FROM rubrics WHERE hash = ?", [sealed])
        return dict(json.loads(found["document"])) if found else {}

    def begin(self, judge: Judge, scope: Scope, preregistration: str | None = None) -> int:
        """Begin a call and return its number; one whose process is gone is ended first.

        `preregistration` is the hash of the plan that the judge conforms to.

        Raises
        ------
        Refused
            When another process asks the same judge just now.
        """
        named = {
            "model": judge.model,
            "rubric": judge.rubric_hash,
            "hash": judge.hash,
            "preregistration": preregistration,
            "exploratory": preregistration is None,
        }
        return self._calls.begin(judge.id, scope_to_json(scope), named, _busy(judge))

    def plans(self, judge: int) -> frozenset[str | None]:
        """Return what the calls of a judge were begun on: plans by hash; ``None``: exploratory.

        The ledger alone says it: a call begins with its entry.
        """
        payloads = (entry.payload for entry in Ledger(self._db).intact(BEGUN))
        return frozenset(
            each.get("preregistration") for each in payloads if each.get("judge") == judge
        )

    def scopes(self, judge: int) -> frozenset[Scope]:
        """Return which replies a judge was to judge, over all its calls."""
        return frozenset(map(scope_from_json, self._calls.scopes(judge)))

    def recover(self, judge: Judge) -> None:
        """End what is left of a call whose process is gone, so that what it kept is sealed.

        Raises
        ------
        Refused
            When the process is there.
        """
        self._calls.recover(judge.id, _busy(judge))

    def end(self, call: int, how: Ending) -> None:
        """End a call: digests over what it brought enter the ledger; nothing is added to it."""
        self._calls.end(call, how)

    def keep(self, batch: Sequence[tuple[int, Judged]]) -> tuple[Kept, ...]:
        """Store what a judge said, each with its call, in one transaction.

        Returns
        -------
        tuple of str
            ``added``; ``replaced`` when an attempt without a verdict came before; ``dropped`` when
            the reply has its verdict already.
        """
        with immediate(self._db):
            return tuple(self._keep(call, entry) for call, entry in batch)

    def last(self, judge: int) -> tuple[Judgement, ...]:
        """Return how each generation stands with a judge: its last attempt."""
        return tuple(_judgement(entry) for entry in rows(self._db, LAST, [judge]))

    def said(self, judge: int) -> tuple[Judgement, ...]:
        """Return every attempt of a judge, those at one generation together, oldest first."""
        sql = "SELECT * FROM judgements WHERE judge = ? ORDER BY generation, sample, attempt"
        return tuple(_judgement(entry) for entry in rows(self._db, sql, [judge]))

    def attempts(self, key: JudgementKey) -> tuple[Judgement, ...]:
        """Return every attempt of a judge at a generation, oldest first."""
        sql = "SELECT * FROM judgements WHERE judge = ? AND generation = ? AND sample = ?"
        found = rows(self._db, f"{sql} ORDER BY attempt", [key.judge, key.generation, key.sample])
        return tuple(_judgement(entry) for entry in found)

    def spent(self, judge: int) -> Spent:
        """Return the tokens of a judge over all attempts; estimated where none are stated."""
        asked = ESTIMATE.format("request")
        said = ESTIMATE.format("visible_text || reasoning")
        found = row(
            self._db,
            f"SELECT coalesce(sum(coalesce(tokens_in, {asked} * attempts, 0)), 0) AS sent, "
            f"coalesce(sum(coalesce(tokens_out, {said})), 0) AS came "
            "FROM judgements LEFT JOIN bodies ON bodies.id = body WHERE judge = ?",
            [judge],
        )
        return Spent(found["sent"], found["came"]) if found else Spent(0, 0)

    def _rubric(self, document: Mapping[str, Any]) -> int:
        sealed = digest_of(document)
        known = row(self._db, "SELECT id FROM rubrics WHERE hash = ?", [sealed])
        if known:
            return int(known["id"])
        name, version = document["name"], document["version"]
        sql = "SELECT id FROM rubrics WHERE name = ? AND version = ?"
        if row(self._db, sql, [name, version]):
            raise Refused(
                f"rubric {name} {version} stands in this study with another text; "
                "give the new text a new version"
            )
        return insert(
            self._db,
            "rubrics",
            hash=sealed,
            name=name,
            version=version,
            document=canonical(document),
            created_at=now(),
        )

    def _by_hash(self, sealed: str) -> Judge | None:
        found = row(self._db, f"{JUDGES} WHERE judges.hash = ?", [sealed])
        return _judge(found) if found else None

    def _keep(self, call: int, entry: Judged) -> Kept:
        before = self.attempts(entry.key)
        if any(attempt.verdict is not None for attempt in before):
            return "dropped"
        reply, key = entry.reply, entry.key
        insert(
            self._db,
            "judgements",
            judge=key.judge,
            generation=key.generation,
            sample=key.sample,
            attempt=len(before) + 1,
            call=call,
            prompt_hash=key.prompt_hash,
            verdict=entry.verdict,
            score=entry.score,
            body=self._body(reply),
            **reply_columns(reply),
        )
        return "replaced" if before else "added"

    def _body(self, reply: Reply) -> int | None:
        if not (reply.request or reply.body):
            return None
        return insert(self._db, "bodies", request=reply.request, reply=zlib.compress(reply.body))


def judge_hash(rubric: str, model: str, kind: ModelKind, config: Mapping[str, Any]) -> str:
    """Return what makes a judge the same one."""
    return digest_of({"rubric": rubric, "model": model, "kind": kind, "config": config})


def _busy(judge: Judge) -> str:
    return f"{judge.model} is asked under {judge.rubric}"


def _judge(entry: Row) -> Judge:
    return Judge(
        id=entry["id"],
        rubric=f"{entry['name']} {entry['version']}",
        rubric_hash=entry["rubric_hash"],
        model=entry["model"],
        kind=entry["kind"],
        config=json.loads(entry["config"]),
        hash=entry["hash"],
    )


def _judgement(entry: Row) -> Judgement:
    return Judgement(
        judge=entry["judge"],
        generation=entry["generation"],
        sample=entry["sample"],
        attempt=entry["attempt"],
        state=entry["state"],
        visible_text=entry["visible_text"],
        verdict=entry["verdict"],
        score=entry["score"],
        at=entry["ended_at"],
    )
