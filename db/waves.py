"""Waves: items frozen together under one hash, and withdrawn where an error was found later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import InputError, NotFound, Refused
from core.hashing import FORMAT as CANONICAL
from core.hashing import canonical, digest_of
from core.study import Wave, WaveItem, WaveKind, Withdrawn
from core.subsets import EVERYTHING, Selection, Subset
from db.connection import immediate
from db.ledger import Ledger
from db.rows import Row, insert, row, rows
from db.wave_checks import WaveFault, wave_faults

FORMAT = "wavelock-wave-1"
FROZEN, WITHDRAWN = "wave frozen", "items withdrawn"  # what the ledger calls it

ITEMS = """
    SELECT wave_items.*, wave_withdrawals.id IS NOT NULL AS withdrawn FROM wave_items
    LEFT JOIN wave_withdrawals ON wave_withdrawals.wave_item = wave_items.id"""


@dataclass(frozen=True, slots=True)
class FrozenDocument:
    """What is about to be frozen: which revision, and everything that is frozen of it."""

    item: int
    revision: int
    document: Mapping[str, Any]


class WaveStore:
    """Freezing, withdrawing, reading and verifying."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def freeze(
        self, kind: WaveKind, header: Mapping[str, Any], documents: Sequence[FrozenDocument]
    ) -> Wave:
        """Freeze items in one transaction that ends with its ledger entry.

        The wave's document names every item with its hash, so the wave's hash is over all of them;
        the entry has a digest of each of its fields, so that a later edit is found by name.

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
            listed = [_listed(entry.document) for entry in documents]
            full = {
                "format": FORMAT, "canonical": CANONICAL, "number": number, "kind": kind,
                **header, "items": listed,
            }  # fmt: skip
            sealed, at = digest_of(full), now()
            wave = insert(
                self._db,
                "waves",
                number=number,
                kind=kind,
                header=canonical(full),
                hash=sealed,
                created_at=at,
            )
            for entry, named in zip(documents, listed, strict=True):
                self._add_item(wave, entry, named["hash"])
            Ledger(self._db).append(
                FROZEN,
                {
                    "wave": sealed,
                    "number": number,
                    "kind": kind,
                    "items": len(listed),
                    "scenarios": len({named["scenario"] for named in listed}),
                    "rounds": sorted(header.get("rounds", {})),
                    "fields": {field: digest_of(value) for field, value in full.items()},
                    **_breaches(header),
                },
                at,
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

    def withdraw(self, number: int, name: str, reason: str) -> Withdrawn:
        """Withdraw a scenario of a wave, or one item (``S01/Active``), with its ledger entry.

        Nothing frozen is changed. From the entry on the study file takes no generation for these
        items; what was run before is kept, and is counted in the entry.

        Raises
        ------
        InputError
            When no reason is given.
        NotFound
            When the wave has no such scenario or item.
        Refused
            When it was withdrawn already.
        """
        reason = " ".join(reason.split())
        if not reason:
            raise InputError("a withdrawal needs its reason: --reason '...'")
        with immediate(self._db):
            wanted = [item for item in self.items([number]) if name in (item.scenario, item.name)]
            if not wanted:
                raise NotFound(f"wave {number} has no scenario or item {name!r}")
            standing = [item for item in wanted if not item.withdrawn]
            if not standing:
                raise Refused(f"{name} of wave {number} was withdrawn already")
            count = sum(self._generations(item.id) for item in standing)
            names = tuple(item.name for item in standing)
            payload = {
                "wave": number, "items": list(names), "reason": reason, "generations": count,
            }  # fmt: skip
            entry = Ledger(self._db).append(WITHDRAWN, payload)
            for item in standing:
                insert(
                    self._db,
                    "wave_withdrawals",
                    wave_item=item.id,
                    reason=reason,
                    entry=entry.sequence,
                )
        return Withdrawn(number, names, reason, entry.sequence, count)

    def _generations(self, wave_item: int) -> int:
        sql = "SELECT count(*) AS n FROM generations WHERE wave_item = ?"
        found = row(self._db, sql, [wave_item])
        return int(found["n"]) if found else 0

    def withdrawals(self, entry: int | None = None) -> tuple[Withdrawn, ...]:
        """Return what was withdrawn, by all entries of the ledger or by one.

        `generations` counts what is there now.
        """
        sql = """
            SELECT wave_withdrawals.entry, wave_withdrawals.reason, waves.number,
              wave_items.scenario || '/' || wave_items.condition AS name,
              (SELECT count(*) FROM generations WHERE wave_item = wave_items.id) AS generations
            FROM wave_withdrawals JOIN wave_items ON wave_items.id = wave_withdrawals.wave_item
            JOIN waves ON waves.id = wave_items.wave
            WHERE ?1 IS NULL OR wave_withdrawals.entry = ?1
            ORDER BY wave_withdrawals.entry, wave_withdrawals.id"""
        grouped: dict[tuple[int, int, str], list[Row]] = {}
        for each in rows(self._db, sql, [entry]):
            key = (each["entry"], each["number"], each["reason"])
            grouped.setdefault(key, []).append(each)
        return tuple(
            Withdrawn(
                wave=number,
                items=tuple(each["name"] for each in found),
                reason=reason,
                entry=sequence,
                generations=sum(each["generations"] for each in found),
            )
            for (sequence, number, reason), found in grouped.items()
        )

    def all(self) -> tuple[Wave, ...]:
        """Return the waves in the order of their numbers."""
        return tuple(
            _wave(entry) for entry in rows(self._db, "SELECT * FROM waves ORDER BY number")
        )

    def wave(self, number: int) -> Wave:
        """Return one wave by its number.

        Raises
        ------
        NotFound
            When there is none.
        """
        found = row(self._db, "SELECT * FROM waves WHERE number = ?", [number])
        if found is None:
            raise NotFound(f"there is no wave {number}")
        return _wave(found)

    def items(self, numbers: Sequence[int] | None = None) -> tuple[WaveItem, ...]:
        """Return frozen items, of all waves or of some, by scenario and in drafting order."""
        known = {wave.number: wave.id for wave in self.all()}
        if numbers is not None and (unknown := sorted(set(numbers) - set(known))):
            raise NotFound(f"there is no wave {unknown[0]}")
        wanted = {known[number] for number in (known if numbers is None else numbers)}
        found = rows(self._db, f"{ITEMS} ORDER BY wave_items.scenario, wave_items.item")
        return tuple(_wave_item(entry) for entry in found if entry["wave"] in wanted)

    def standing(self, numbers: Sequence[int] | None = None) -> tuple[WaveItem, ...]:
        """Return the frozen items that were not withdrawn, as in :meth:`items`."""
        return tuple(item for item in self.items(numbers) if not item.withdrawn)

    def selected(self, subset: Subset = EVERYTHING) -> Selection:
        """Return the frozen items that an analysis of a subset rests on, and what it leaves out.

        Raises
        ------
        NotFound
            When there is no such wave, or a restriction leaves nothing.
        """
        found = self.items(subset.waves)
        piloted = self.piloted() if subset.without_pilot else frozenset()
        wanted = [item for item in found if item.scenario not in piloted]
        standing = tuple(item for item in wanted if not item.withdrawn)
        if subset != EVERYTHING and not standing:
            raise NotFound(f"no frozen item is left: {subset.words}")
        return Selection(
            subset,
            standing,
            piloted=len({item.scenario for item in found} & piloted),
            withdrawn=len(wanted) - len(standing),
        )

    def frozen_items(self) -> frozenset[int]:
        """Return the ids of all items that are frozen in some wave."""
        return frozenset(e["item"] for e in rows(self._db, "SELECT item FROM wave_items"))

    def piloted(self) -> frozenset[str]:
        """Return the scenarios that a pilot round has shown to anybody."""
        sql = """
            SELECT DISTINCT items.scenario FROM assignments
            JOIN seats ON seats.id = assignments.seat JOIN rounds ON rounds.id = seats.round
            JOIN revisions ON revisions.id = assignments.revision
            JOIN items ON items.id = revisions.item
            WHERE rounds.kind = 'pilot' AND rounds.opened_at IS NOT NULL
              AND assignments.response IS NULL"""
        return frozenset(entry["scenario"] for entry in rows(self._db, sql))

    def faults(self) -> tuple[WaveFault, ...]:
        """Re-hash everything that is frozen; see :func:`db.wave_checks.wave_faults`."""
        return tuple(wave_faults(self._db, Ledger(self._db).intact(FROZEN)))


def _listed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a wave's document names an item."""
    return {
        "scenario": document["scenario"],
        "condition": document["condition"],
        "hash": digest_of(document),
        "prompt_hash": document.get("prompt_hash"),
        "verifiers": document.get("verifiers"),
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
        withdrawn=bool(entry["withdrawn"]),
    )


def _breaches(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the ledger says of construction rules that a wave breaks, where it breaks any."""
    if not (broken := header.get("breaches")):
        return {}
    return {"breaches": {"count": len(broken["found"]), "reason": broken["reason"]}}
