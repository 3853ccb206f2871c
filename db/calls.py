"""Calls of judges and of setups: one at a time for each, ledgered at both ends, sealed at the last.

One whose process is gone is ended, with its digest, by the next call of the same judge or setup, so
that what it kept is sealed as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.hashing import canonical
from db import processes
from db.connection import immediate
from db.ledger import Ledger
from db.rows import insert, row, rows
from db.run_sessions import Ending

Digest = Callable[[Database, int], str]


@dataclass(frozen=True, slots=True)
class CallKind:
    """Whose calls they are.

    Attributes
    ----------
    noun
        Who calls: the column of the table, and the word in the ledger.
    table
        Where the calls stand.
    begun, ended
        The events of the ledger.
    came, bodies
        Digests over what a call brought: over what was said, and over what went over the wire.
    counts
        What the entry of its end says beside them.
    """

    noun: str
    table: str
    begun: str
    ended: str
    came: Digest
    bodies: Digest
    counts: Callable[[Database, int], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SealedCall:
    """A call as the file has it, with the digests over what is there of it now."""

    id: int
    caller: int
    scope: Mapping[str, Any]
    started_at: str
    ended_at: str | None
    ended: str | None
    digest: str | None
    came: str
    bodies: str


class Calls:
    """The calls of one kind."""

    def __init__(self, db: Database, kind: CallKind) -> None:
        self._db = db
        self._kind = kind

    def begin(
        self, caller: int, scope: Mapping[str, Any], named: Mapping[str, Any], busy: str
    ) -> int:
        """Begin a call and return its number.

        Parameters
        ----------
        named
            What else its entry says of the caller.
        busy
            What is asked by another process, where that is so.

        Raises
        ------
        Refused
            When another process is in a call of the same caller just now.
        """
        kind = self._kind
        with immediate(self._db):
            self.recover(caller, busy)
            at = now()
            whose: dict[str, Any] = {kind.noun: caller}
            call = insert(
                self._db,
                kind.table,
                **whose,
                scope=canonical(scope),
                machine=processes.machine(),
                process=processes.process(),
                started_at=at,
            )
            told = {"call": call, **whose, **named, "scope": scope}
            Ledger(self._db).append(kind.begun, told, at)
        return call

    def recover(self, caller: int, busy: str) -> None:
        """End what is left of a call whose process is gone.

        Raises
        ------
        Refused
            When the process is there.
        """
        kind = self._kind
        sql = f"SELECT * FROM {kind.table} WHERE {kind.noun} = ? AND ended_at IS NULL"
        with immediate(self._db):
            for left in list(rows(self._db, sql, [caller])):
                if left["machine"] == processes.machine() and not processes.dead(left["process"]):
                    raise Refused(
                        f"{busy} by another process just now; the same command continues when "
                        "that has ended"
                    )
                self.end(left["id"], "lost")

    def end(self, call: int, how: Ending) -> None:
        """End a call: digests over what it brought enter the ledger; nothing is added to it."""
        kind = self._kind
        with immediate(self._db):
            found = row(self._db, f"SELECT * FROM {kind.table} WHERE id = ?", [call])
            if found is None or found["ended_at"] is not None:
                return
            sealed, at = kind.came(self._db, call), now()
            sql = f"UPDATE {kind.table} SET ended_at = ?, ended = ?, digest = ? WHERE id = ?"
            self._db.execute(sql, [at, how, sealed, call])
            Ledger(self._db).append(
                kind.ended,
                {
                    "call": call,
                    kind.noun: found[kind.noun],
                    "ended": how,
                    **kind.counts(self._db, call),
                    "digest": sealed,
                    "bodies": kind.bodies(self._db, call),
                },
                at,
            )

    def scopes(self, caller: int) -> tuple[Mapping[str, Any], ...]:
        """Return what all calls of a caller were to ask, each once."""
        sql = f"SELECT DISTINCT scope FROM {self._kind.table} WHERE {self._kind.noun} = ?"
        return tuple(json.loads(entry["scope"]) for entry in rows(self._db, sql, [caller]))

    def sealed(self) -> tuple[SealedCall, ...]:
        """Return every call with digests over what is there now."""
        kind = self._kind
        return tuple(
            SealedCall(
                entry["id"],
                entry[kind.noun],
                json.loads(entry["scope"]),
                entry["started_at"],
                entry["ended_at"],
                entry["ended"],
                entry["digest"],
                kind.came(self._db, entry["id"]),
                kind.bodies(self._db, entry["id"]),
            )
            for entry in rows(self._db, f"SELECT * FROM {kind.table} ORDER BY id")
        )
