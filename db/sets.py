"""Declared sets of models: which ones an analysis is over, and the reason why."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlite_utils import Database

from core.clock import now
from core.errors import InputError
from core.hashing import canonical
from core.runs import ModelSet
from db.connection import immediate
from db.ledger import Ledger
from db.rows import insert, row, rows

DECLARED = "set declared"


class SetStore:
    """What was declared, in every version; the newest of a name stands."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def declare(self, name: str, models: Sequence[str], reason: str) -> ModelSet:
        """Declare a set of models, in one transaction with its ledger entry.

        A name that is declared again gets another version; what was declared before stays. Models
        need not have been run yet, so that a set can be declared before any result is known.

        Raises
        ------
        InputError
            Without a name, a model or a reason, or when a model is named twice.
        """
        name, reason, models = name.strip(), reason.strip(), [each.strip() for each in models]
        if not name or not reason or not models or not all(models):
            raise InputError("a set needs a name, at least one model and a reason")
        if twice := next((each for each in models if models.count(each) > 1), None):
            raise InputError(f"{twice} is named twice")
        with immediate(self._db):
            known = row(
                self._db,
                "SELECT coalesce(max(version), 0) AS version FROM model_sets WHERE name = ?",
                [name],
            )
            declared = ModelSet(
                name, (known["version"] if known else 0) + 1, tuple(models), reason, now()
            )
            insert(
                self._db,
                "model_sets",
                name=declared.name,
                version=declared.version,
                models=canonical(list(declared.models)),
                reason=declared.reason,
                created_at=declared.created_at,
            )
            Ledger(self._db).append(DECLARED, payload(declared), declared.created_at)
        return declared

    def every(self) -> tuple[ModelSet, ...]:
        """Return everything that was declared, by name and version."""
        found = rows(self._db, "SELECT * FROM model_sets ORDER BY name, version")
        return tuple(
            ModelSet(
                name=entry["name"],
                version=entry["version"],
                models=tuple(json.loads(entry["models"])),
                reason=entry["reason"],
                created_at=entry["created_at"],
            )
            for entry in found
        )

    def all(self) -> tuple[ModelSet, ...]:
        """Return the sets that stand: the newest declaration of every name."""
        return tuple({each.name: each for each in self.every()}.values())


def payload(declared: ModelSet) -> dict[str, object]:
    """Return what the ledger says of a declaration: all of it but the time, which it has itself."""
    return {
        "set": declared.name,
        "version": declared.version,
        "models": list(declared.models),
        "reason": declared.reason,
    }
