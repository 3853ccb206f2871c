"""The ledger: an append-only, hash-chained list of everything that decides what may be claimed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.hashing import canonical, digest_of
from core.study import LedgerEntry
from db.connection import immediate
from db.rows import Row, insert, row, rows

IN_ORDER = "SELECT * FROM ledger ORDER BY sequence"


class Ledger:
    """Entries in order; each carries the hash of the one before."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, event: str, payload: Mapping[str, Any], at: str | None = None) -> LedgerEntry:
        """Add an entry; part of the caller's transaction, so that fact and entry stand or fall.

        `at` is for a fact that keeps its time as well, so that the two can be held together.
        """
        with immediate(self._db):
            last = row(self._db, "SELECT * FROM ledger ORDER BY sequence DESC LIMIT 1")
            sequence = last["sequence"] + 1 if last else 1
            previous = last["hash"] if last else ""
            at = at or now()
            sealed = _seal(sequence, event, payload, at, previous)
            insert(
                self._db,
                "ledger",
                sequence=sequence,
                event=event,
                payload=canonical(payload),
                at=at,
                previous=previous,
                hash=sealed,
            )
        return LedgerEntry(sequence, event, payload, at, previous, sealed)

    def entries(self) -> tuple[LedgerEntry, ...]:
        """Return all entries, oldest first."""
        return tuple(_entry(e) for e in rows(self._db, IN_ORDER))

    def count(self) -> int:
        """Return how many entries there are."""
        found = row(self._db, "SELECT count(*) AS n FROM ledger")
        return int(found["n"]) if found else 0

    def head(self) -> str:
        """Return the hash of the newest entry, the one to publish; empty for a new study."""
        last = row(self._db, "SELECT hash FROM ledger ORDER BY sequence DESC LIMIT 1")
        return str(last["hash"]) if last else ""

    def faults(self, head: str | None = None) -> tuple[str, ...]:
        """Name every break of the chain, and a cut tail when a published head is given.

        One entry is looked at after the other, so that a long ledger needs no more memory.
        """
        found: list[str] = []
        previous, place, published = "", 0, head is None
        for place, entry in enumerate(rows(self._db, IN_ORDER), start=1):
            number = entry["sequence"]
            if number != place:
                found.append(f"entry {place} is missing; entry {number} stands in its place")
                break
            if entry["previous"] != previous:
                found.append(f"entry {place} does not follow the one before it")
            if not _intact(entry):
                found.append(f"entry {place} ({entry['event']}) was changed after it was written")
            previous = entry["hash"]
            published = published or previous == head
        if not place:
            found.append("the ledger is empty: even the entry of the study's creation is gone")
        if not published and not self._holds(head):
            found.append(f"the published head {head} is not in the ledger: its tail was cut")
        return tuple(found)

    def _holds(self, head: str | None) -> bool:
        return row(self._db, "SELECT 1 AS x FROM ledger WHERE hash = ?", [head]) is not None

    def intact(self, *events: str) -> Iterator[LedgerEntry]:
        """Yield the entries that are what was written, for those who check facts against them.

        All of them, or those of some events.
        """
        marks = ", ".join("?" for _ in events)
        wanted = f"WHERE event IN ({marks})" if events else ""
        for entry in rows(self._db, f"SELECT * FROM ledger {wanted} ORDER BY sequence", events):
            if _intact(entry):
                yield _entry(entry)


def _intact(entry: Row) -> bool:
    """Whether an entry has the hash of its content, and its content is canonical JSON."""
    try:
        payload = json.loads(entry["payload"])
        sealed = _seal(entry["sequence"], entry["event"], payload, entry["at"], entry["previous"])
        whole = isinstance(payload, dict) and entry["payload"] == canonical(payload)
        return bool(whole and entry["hash"] == sealed)
    except ValueError:
        return False


def _seal(sequence: int, event: str, payload: Mapping[str, Any], at: str, previous: str) -> str:
    return digest_of(
        {"sequence": sequence, "event": event, "payload": payload, "at": at, "previous": previous}
    )


def _entry(entry: Row) -> LedgerEntry:
    return LedgerEntry(
        sequence=entry["sequence"],
        event=entry["event"],
        payload=json.loads(entry["payload"]),
        at=entry["at"],
        previous=entry["previous"],
        hash=entry["hash"],
    )
