"""Waves: items frozen together under one hash, and the check that they still are what they were."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlite_utils import Database

from core.clock import now
from core.errors import NotFound, Refused
from core.hashing import canonical, digest, digest_of
from core.study import Wave, WaveItem
from db.connection import immediate
from db.ledger import Ledger
from db.rows import Row, insert, row, rows

FORMAT = "wavelock-wave-1"


@dataclass(frozen=True, slots=True)
class FrozenDocument:
    """What is about to be frozen: which revision, and everything that is frozen of it."""

    item: int
    revision: int
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WaveFault:
    """One difference between what was frozen and what the file holds now."""

    wave: int
    item: str
    field: str
    frozen: str
    now: str

    def __str__(self) -> str:
        return f"wave {self.wave}, {self.item}: {self.field} is {self.now}, was {self.frozen}"


class WaveStore:
    """Freezing, reading and verifying."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def freeze(
        self,
        kind: Literal["rated", "simulated", "declared"],
        header: Mapping[str, Any],
        documents: Sequence[FrozenDocument],
    ) -> Wave:
        """Freeze items in one transaction that ends with its ledger entry.

        Raises
        ------
        Refused
            When nothing is left to freeze, or an item is frozen already.
        """
        if not documents:
            raise Refused("there is nothing to freeze: no included item is left unfrozen")
        with immediate(self._db):
            last = row(self._db, "SELECT coalesce(max(number), 0) AS number FROM waves")
            number = (last["number"] if last else 0) + 1
            hashes = [digest_of(entry.document) for entry in documents]
            full = {"format": FORMAT, "number": number, "kind": kind, **header}
            sealed = wave_hash(full, hashes)
            at = now()
            wave = insert(
                self._db,
                "waves",
                number=number,
                kind=kind,
                header=canonical(full),
                hash=sealed,
                created_at=at,
            )
            for entry, hashed in zip(documents, hashes, strict=True):
                self._add_item(wave, entry, hashed)
            Ledger(self._db).append(
                "wave frozen",
                {"wave": sealed, "number": number, "kind": kind, "items": len(documents)},
            )
        return Wave(wave, number, kind, full, sealed, at)

    def _add_item(self, wave: int, entry: FrozenDocument, hashed: str) -> None:
        insert(
            self._db,
            "wave_items",
            wave=wave,
            item=entry.item,
            revision=entry.revision,
            scenario=entry.document["scenario"],
            condition=entry.document["condition"],
            document=canonical(entry.document),
            hash=hashed,
        )

    def all(self) -> tuple[Wave, ...]:
        """Return the waves in the order of their numbers."""
        return tuple(
            _wave(entry) for entry in rows(self._db, "SELECT * FROM waves ORDER BY number")
        )

    def items(self, numbers: Sequence[int] | None = None) -> tuple[WaveItem, ...]:
        """Return frozen items, of all waves or of some, by scenario and in drafting order."""
        known = {wave.number: wave.id for wave in self.all()}
        if numbers is not None and (unknown := sorted(set(numbers) - set(known))):
            raise NotFound(f"there is no wave {unknown[0]}")
        wanted = {known[number] for number in (known if numbers is None else numbers)}
        found = rows(self._db, "SELECT * FROM wave_items ORDER BY scenario, item")
        return tuple(_wave_item(entry) for entry in found if entry["wave"] in wanted)

    def frozen_items(self) -> frozenset[int]:
        """Return the ids of all items that are frozen in some wave."""
        return frozenset(e["item"] for e in rows(self._db, "SELECT item FROM wave_items"))

    def faults(self) -> tuple[WaveFault, ...]:
        """Re-hash everything that is frozen and name what differs, item and field.

        Three copies are held against each other: the frozen document, the revision that it was
        made from, and the wave's hash in the ledger.
        """
        found: list[WaveFault] = []
        in_ledger = {
            entry.payload.get("number"): str(entry.payload.get("wave"))
            for entry in Ledger(self._db).intact()
            if entry.event == "wave frozen"
        }
        for wave in self.all():
            found += _header_faults(wave)
            entries = list(
                rows(self._db, "SELECT * FROM wave_items WHERE wave = ? ORDER BY id", [wave.id])
            )
            for entry in entries:
                found += self._item_faults(wave.number, entry)
            sealed = wave_hash(wave.header, [entry["hash"] for entry in entries])
            if sealed != wave.hash:
                found.append(WaveFault(wave.number, "the wave", "hash", wave.hash, sealed))
            ledgered = in_ledger.pop(wave.number, "absent")
            if ledgered != wave.hash:
                found.append(WaveFault(wave.number, "the wave", "ledger hash", ledgered, wave.hash))
        found += [
            WaveFault(int(number or 0), "the wave", "rows", sealed, "absent")
            for number, sealed in in_ledger.items()
        ]
        return tuple(found)

    def _item_faults(self, wave: int, entry: Row) -> list[WaveFault]:
        name = f"{entry['scenario']}/{entry['condition']}"
        found = []
        sealed = digest(entry["document"])
        if sealed != entry["hash"]:
            found.append(WaveFault(wave, name, "document hash", entry["hash"], sealed))
        try:
            document = dict(json.loads(entry["document"]))
        except (TypeError, ValueError):
            return found  # no document any more; its hash says so
        found += [
            WaveFault(wave, name, field, repr(document.get(field)), entry[field])
            for field in ("scenario", "condition")
            if document.get(field) != entry[field]
        ]
        prompt, rendered = document.get("prompt_hash"), digest_of(document.get("messages"))
        if "messages" in document and prompt != rendered:
            found.append(WaveFault(wave, name, "prompt", repr(prompt), rendered))
        source = row(
            self._db,
            "SELECT revisions.*, items.scenario, items.condition, scenarios.facts FROM revisions "
            "JOIN items ON items.id = revisions.item "
            "JOIN scenarios ON scenarios.id = items.scenario WHERE revisions.id = ?",
            [entry["revision"]],
        )
        if source is None:
            return [*found, WaveFault(wave, name, "revision", str(entry["revision"]), "absent")]
        if source["item"] != entry["item"]:
            found.append(WaveFault(wave, name, "item", str(source["item"]), str(entry["item"])))
        for field, current in _frozen_fields(source).items():
            if document.get(field) != current:
                was = canonical(document.get(field))
                found.append(WaveFault(wave, name, field, was, canonical(current)))
        return found


def wave_hash(header: Mapping[str, Any], item_hashes: Sequence[str]) -> str:
    """Return the hash of a wave: over its header and its items' hashes, in their order."""
    return digest_of({"header": header, "items": list(item_hashes)})


def _header_faults(wave: Wave) -> list[WaveFault]:
    """Return where a wave's columns differ from its header, which is what was hashed."""
    columns = {"number": wave.number, "kind": wave.kind}
    return [
        WaveFault(wave.number, "the wave", field, repr(wave.header.get(field)), repr(value))
        for field, value in columns.items()
        if wave.header.get(field) != value
    ]


def _frozen_fields(source: Row) -> dict[str, Any]:
    return {
        "scenario": source["scenario"],
        "condition": source["condition"],
        "revision": source["number"],
        "text": source["text"],
        "options": json.loads(source["options"]),
        "gold": source["gold"],
        "parameters": json.loads(source["parameters"]),
        "facts": json.loads(source["facts"]),
    }


def _wave(entry: Row) -> Wave:
    return Wave(
        id=entry["id"],
        number=entry["number"],
        kind=entry["kind"],
        header=json.loads(entry["header"]),
        hash=entry["hash"],
        created_at=entry["created_at"],
    )


def _wave_item(entry: Row) -> WaveItem:
    return WaveItem(
        id=entry["id"],
        wave=entry["wave"],
        item=entry["item"],
        revision=entry["revision"],
        scenario=entry["scenario"],
        condition=entry["condition"],
        document=json.loads(entry["document"]),
        hash=entry["hash"],
    )
