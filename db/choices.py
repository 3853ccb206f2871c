"""Setups, their calls, and the log-probabilities that they gave. Nothing is replaced.

A setup has one call at a time; see :mod:`db.calls`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlite_utils import Database

from core.choices import (
    ChoiceKey,
    ChoiceKind,
    ChoiceScope,
    ChoiceScore,
    ChoiceSetup,
    Scored,
    answers_from_json,
    answers_to_json,
    scope_from_json,
    scope_to_json,
)
from core.clock import now
from core.errors import NotFound
from core.hashing import canonical, digest_of
from core.runs import Kept
from db.calls import Calls
from db.choice_seals import CHOOSING
from db.connection import immediate
from db.rows import Row, insert, row, rows
from db.run_sessions import Ending

BEGUN, ENDED = CHOOSING.begun, CHOOSING.ended
# Attempts are numbered without a gap, so the last is the one that no other follows.
LAST = """
    SELECT * FROM choice_scores AS said WHERE setup = ? AND NOT EXISTS (SELECT 1 FROM choice_scores
    WHERE setup = said.setup AND wave_item = said.wave_item AND attempt = said.attempt + 1)
    ORDER BY wave_item
"""


class ChoiceStore:
    """What was asked for, and every log-probability that came back."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._calls = Calls(db, CHOOSING)

    def take(
        self, model: str, kind: ChoiceKind, build: Mapping[str, Any], config: Mapping[str, Any]
    ) -> ChoiceSetup:
        """Return the setup of exactly this build and configuration; store it when it is new."""
        sealed = setup_hash(model, kind, build, config)
        with immediate(self._db):
            if known := self._by_hash(sealed):
                return known
            number = insert(
                self._db,
                "choice_setups",
                model=model,
                kind=kind,
                build=canonical(build),
                config=canonical(config),
                hash=sealed,
                created_at=now(),
            )
        return self.setup(number)

    def find(
        self, model: str, kind: ChoiceKind, build: Mapping[str, Any], config: Mapping[str, Any]
    ) -> ChoiceSetup | None:
        """Return the setup of exactly this build and configuration, or ``None``."""
        return self._by_hash(setup_hash(model, kind, build, config))

    def setup(self, number: int) -> ChoiceSetup:
        """Return one setup by its number."""
        found = row(self._db, "SELECT * FROM choice_setups WHERE id = ?", [number])
        if found is None:
            raise NotFound(f"there is no setup {number}; see wavelock choices status")
        return _setup(found)

    def all(self) -> tuple[ChoiceSetup, ...]:
        """Return all setups, oldest first."""
        found = rows(self._db, "SELECT * FROM choice_setups ORDER BY id")
        return tuple(_setup(entry) for entry in found)

    def scopes(self, setup: int) -> frozenset[ChoiceScope]:
        """Return which items a setup was asked about, over all its calls."""
        return frozenset(map(scope_from_json, self._calls.scopes(setup)))

    def begin(self, setup: ChoiceSetup, scope: ChoiceScope) -> int:
        """Begin a call and return its number; one whose process is gone is ended first.

        Raises
        ------
        Refused
            When another process asks under the same setup just now.
        """
        named = {"model": setup.model, "build": digest_of(setup.build), "hash": setup.hash}
        return self._calls.begin(setup.id, scope_to_json(scope), named, _busy(setup))

    def recover(self, setup: ChoiceSetup) -> None:
        """End what is left of a call whose process is gone, so that what it kept is sealed.

        Raises
        ------
        Refused
            When the process is there.
        """
        self._calls.recover(setup.id, _busy(setup))

    def end(self, call: int, how: Ending) -> None:
        """End a call: digests over what it brought enter the ledger; nothing is added to it."""
        self._calls.end(call, how)

    def keep(self, batch: Sequence[tuple[int, Scored]]) -> tuple[Kept, ...]:
        """Store what came back, each with its call, in one transaction.

        Returns
        -------
        tuple of str
            ``added``; ``replaced`` when a failed attempt came before; ``dropped`` when the item
            has its scores already.
        """
        with immediate(self._db):
            return tuple(self._keep(call, entry) for call, entry in batch)

    def last(self, setup: int) -> tuple[ChoiceScore, ...]:
        """Return how each item stands with a setup: its last attempt."""
        return tuple(_score(entry) for entry in rows(self._db, LAST, [setup]))

    def attempts(self, key: ChoiceKey) -> tuple[ChoiceScore, ...]:
        """Return every attempt of a setup at an item, oldest first."""
        sql = "SELECT * FROM choice_scores WHERE setup = ? AND wave_item = ? ORDER BY attempt"
        found = rows(self._db, sql, [key.setup, key.wave_item])
        return tuple(_score(entry) for entry in found)

    def _by_hash(self, sealed: str) -> ChoiceSetup | None:
        found = row(self._db, "SELECT * FROM choice_setups WHERE hash = ?", [sealed])
        return _setup(found) if found else None

    def _keep(self, call: int, entry: Scored) -> Kept:
        before = self.attempts(entry.key)
        if any(attempt.state != "error" for attempt in before):
            return "dropped"
        insert(
            self._db,
            "choice_scores",
            setup=entry.key.setup,
            wave_item=entry.key.wave_item,
            attempt=len(before) + 1,
            call=call,
            prompt_hash=entry.key.prompt_hash,
            state=entry.state,
            answers=canonical(answers_to_json(entry.answers)),
            error=entry.error,
            prompt_tokens=entry.prompt_tokens,
            forward_calls=entry.forward_calls,
            seconds=entry.seconds,
            started_at=entry.started_at,
            ended_at=entry.ended_at,
            body=self._body(entry),
        )
        return "replaced" if before else "added"

    def _body(self, entry: Scored) -> int | None:
        if not (entry.request or entry.body):
            return None
        return insert(self._db, "bodies", request=entry.request, reply=zlib.compress(entry.body))


def setup_hash(
    model: str, kind: ChoiceKind, build: Mapping[str, Any], config: Mapping[str, Any]
) -> str:
    """Return what makes a setup the same one."""
    return digest_of({"model": model, "kind": kind, "build": build, "config": config})


def _busy(setup: ChoiceSetup) -> str:
    return f"{setup.model} is asked under setup {setup.id}"


def _setup(entry: Row) -> ChoiceSetup:
    return ChoiceSetup(
        id=entry["id"],
        model=entry["model"],
        kind=entry["kind"],
        build=json.loads(entry["build"]),
        config=json.loads(entry["config"]),
        hash=entry["hash"],
    )


def _score(entry: Row) -> ChoiceScore:
    return ChoiceScore(
        setup=entry["setup"],
        wave_item=entry["wave_item"],
        attempt=entry["attempt"],
        state=entry["state"],
        answers=answers_from_json(json.loads(entry["answers"])),
        error=entry["error"],
        prompt_tokens=entry["prompt_tokens"],
    )
