"""Whether waves still are what they were: every copy of what is frozen, held against the others.

Of an item there are its document, the hash beside it, the wave's document that names it, and the
revision that it was made from; of a wave its document, its columns and its ledger entry. Who
changes one of them, or some, leaves the others, and what differs is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from core.hashing import canonical, digest, digest_of
from core.study import LedgerEntry
from db.rows import Row, row, rows

ABSENT = "absent"
SOURCE = """
    SELECT revisions.*, items.scenario, items.condition, scenarios.facts FROM revisions
    JOIN items ON items.id = revisions.item
    JOIN scenarios ON scenarios.id = items.scenario WHERE revisions.id = ?"""


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


def wave_faults(db: Database, entries: Iterable[LedgerEntry]) -> Iterator[WaveFault]:
    """Name what differs, by wave, item and field.

    Parameters
    ----------
    entries
        Those of the ledger that say what was frozen.
    """
    ledgered = {entry.payload.get("number"): entry for entry in entries}
    for wave in rows(db, "SELECT * FROM waves ORDER BY number"):
        document = _object(wave["header"])
        yield from _of_wave(wave, document, ledgered.pop(wave["number"], None))
        yield from _of_items(db, wave, document)
    for number, entry in ledgered.items():
        yield WaveFault(int(number or 0), "the wave", "row", str(entry.payload.get("wave")), ABSENT)


def _of_wave(
    wave: Row, document: Mapping[str, Any], entry: LedgerEntry | None
) -> Iterator[WaveFault]:
    """Yield where a wave's columns, its document and its entry differ."""

    def fault(field: str, frozen: object, now: object) -> WaveFault:
        return WaveFault(wave["number"], "the wave", field, str(frozen), str(now))

    for field in ("number", "kind"):
        if document.get(field) != wave[field]:
            yield fault(field, repr(document.get(field)), repr(wave[field]))
    sealed = digest(wave["header"])
    if sealed != wave["hash"]:
        yield fault("hash", wave["hash"], sealed)
    if entry is None:
        yield fault("ledger entry", ABSENT, wave["hash"])
        return
    if entry.payload.get("wave") != wave["hash"]:
        yield fault("ledger hash", entry.payload.get("wave"), wave["hash"])
    if entry.at != wave["created_at"]:
        yield fault("time of freezing", entry.at, wave["created_at"])
    fields = entry.payload.get("fields") or {}
    for field in sorted({*fields, *document}):
        found = digest_of(document[field]) if field in document else ABSENT
        if field != "items" and found != fields.get(field, ABSENT):
            shown = canonical(document[field]) if field in document else ABSENT
            yield fault(field, fields.get(field, ABSENT), shown)


def _of_items(db: Database, wave: Row, document: Mapping[str, Any]) -> Iterator[WaveFault]:
    """Yield where a wave's items differ from what its document says of them."""
    number, named = wave["number"], _by_name(document)
    order = list(named)
    found = []
    for entry in rows(db, "SELECT * FROM wave_items WHERE wave = ? ORDER BY id", [wave["id"]]):
        name = f"{entry['scenario']}/{entry['condition']}"
        if name not in named or name in found:
            yield WaveFault(number, name, "another row", ABSENT, entry["hash"])
        found.append(name)
        for field, frozen, now in _differences(db, entry, named.get(name, {}), document):
            yield WaveFault(number, name, field, frozen, now)
    for name in order:
        if name not in found:
            yield WaveFault(number, name, "row", str(named[name].get("hash")), ABSENT)
    if found != order and sorted(found) == sorted(order):
        yield WaveFault(number, "the wave", "order of items", ", ".join(order), ", ".join(found))


def _by_name(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    listed = document.get("items")
    entries = [e for e in listed if isinstance(e, dict)] if isinstance(listed, list) else []
    return {f"{entry.get('scenario')}/{entry.get('condition')}": entry for entry in entries}


Difference = tuple[str, str, str]  # field, as frozen, now


def _differences(
    db: Database, entry: Row, named: Mapping[str, Any], wave: Mapping[str, Any]
) -> Iterator[Difference]:
    sealed = digest(entry["document"])
    if sealed != entry["hash"]:
        yield "document hash", entry["hash"], sealed
    if named and named.get("hash") != entry["hash"]:
        yield "hash", str(named.get("hash")), entry["hash"]
    frozen = _object(entry["document"])
    if frozen:  # otherwise it is no document any more; its hash says so
        for field in ("scenario", "condition"):
            if frozen.get(field) != entry[field]:
                yield field, repr(frozen.get(field)), repr(entry[field])
        yield from _prompt(frozen, named)
        copies = {"suite": wave, "salt": wave, "verifiers": named}
        for field, copy in copies.items():
            if field in copy and frozen.get(field) != copy[field]:
                yield field, canonical(copy[field]), canonical(frozen.get(field))
        yield from _source(db, entry, frozen)


def _source(db: Database, entry: Row, frozen: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield where a document and the revision that it was made from differ."""
    source = row(db, SOURCE, [entry["revision"]])
    if source is None:
        yield "revision", str(entry["revision"]), ABSENT
        return
    if source["item"] != entry["item"]:
        yield "item", str(source["item"]), str(entry["item"])
    for field, current in _of_revision(source).items():
        if frozen.get(field) != current:
            yield field, canonical(frozen.get(field)), canonical(current)


def _prompt(frozen: Mapping[str, Any], named: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield where the messages, their hash and the hash in the wave's document differ."""
    if "messages" not in frozen and not named.get("prompt_hash"):
        return
    rendered, kept = digest_of(frozen.get("messages")), frozen.get("prompt_hash")
    if rendered != kept:
        yield "prompt", str(kept), rendered
    elif named and kept != named.get("prompt_hash"):
        yield "prompt", str(named.get("prompt_hash")), str(kept)


def _object(text: str) -> dict[str, Any]:
    """Return a JSON object, or nothing where the text is none any more."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _of_revision(source: Row) -> dict[str, Any]:
    """Return what a document has from its revision and its scenario, as they stand now."""
    return {
        "scenario": source["scenario"],
        "condition": source["condition"],
        "revision": source["number"],
        "text": source["text"],
        "options": _json(source["options"]),
        "gold": source["gold"],
        "parameters": _json(source["parameters"]),
        "facts": _json(source["facts"]),
    }


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
