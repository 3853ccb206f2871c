"""The ledger for readers: one sentence per entry, with its numbers and short hashes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from core.hashing import canonical
from core.study import UNVALIDATED, LedgerEntry
from core.tables import Cell, Column, Table
from core.words import counted
from ui.text import visible

Payload = Mapping[str, Any]
SHORT = len("sha256:") + 12  # characters of a hash that a reader can compare by eye
# What a payload may name; people look for entries by these.
SUBJECTS = ("round", "person", "run", "preregistration")

WHOLE = (Column("event", "Event"), Column("about", "About"), Column("payload", "Payload"))


def timeline(
    entries: Iterable[LedgerEntry],
    *,
    kinds: Sequence[str] = (),
    subjects: Sequence[str] = (),
    whole: bool = False,
) -> Table:
    """Return the entries as a table, oldest first.

    Parameters
    ----------
    kinds
        Only events of these names, or that begin with them ("wave", "run started").
    subjects
        Only entries about these: "round main", "wave 1", "run 2", "S01", or the name alone.
    whole
        With whole hashes and payloads, for programs.
    """
    rows = tuple(
        _row(entry, whole=whole)
        for entry in entries
        if (not kinds or any(entry.event.startswith(kind) for kind in kinds))
        and (not subjects or any(_concerns(entry, subject) for subject in subjects))
    )
    asked = [*kinds, *subjects]
    title = f"{counted(len(rows), 'entry', 'entries')} of the ledger"
    return Table(
        name="ledger",
        title=f"{title} (only: {', '.join(asked)})" if asked else title,
        columns=(
            Column("sequence", "no.", "count"),
            Column("at", "When"),
            Column("told", "What happened"),
            Column("hash", "Hash"),
            *(WHOLE if whole else ()),
        ),
        rows=rows,
        empty="no such entry",
    )


def lines(table: Table, width: int) -> tuple[str, ...]:
    """Return a timeline for people: entry after entry, wrapped, control characters shown."""
    number = max((len(str(row["sequence"])) for row in table.rows), default=1)
    margin = " " * (number + 2)
    found = [table.title, "", *([] if table.rows else [table.empty])]
    for row in table.rows:
        text = f"{row['at']}  {visible(str(row['told']))}"
        found += textwrap.wrap(
            text,
            max(width, 2 * number + 40),
            initial_indent=f"{row['sequence']:>{number}}  ",
            subsequent_indent=margin,
            break_on_hyphens=False,
        )
        found.append(f"{margin}entry {row['hash']}")
    return tuple(found)


def _row(entry: LedgerEntry, *, whole: bool) -> dict[str, Cell]:
    row: dict[str, Cell] = {
        "sequence": entry.sequence,
        "at": entry.at if whole else f"{entry.at[:10]} {entry.at[11:19]}",
        "told": told(entry),
        "hash": entry.hash if whole else short(entry.hash),
    }
    if whole:
        payload = canonical(entry.payload)
        row |= {"event": entry.event, "about": ", ".join(about(entry)), "payload": payload}
    return row


def about(entry: LedgerEntry) -> tuple[str, ...]:
    """Return what an entry is about: rounds, waves, runs, people, items."""
    payload = entry.payload
    found = [f"{name} {payload[name]}" for name in SUBJECTS if _is_name(payload.get(name))]
    rounds = payload.get("rounds")
    found += [f"round {name}" for name in rounds] if isinstance(rounds, list) else []
    wave = payload.get("number") if entry.event == "wave frozen" else payload.get("wave")
    found += [f"wave {wave}"] if _is_name(wave) else []
    waves = payload.get("waves")
    found += [f"wave {number}" for number in waves] if isinstance(waves, list) else []
    items = payload.get("items")
    for item in items if isinstance(items, list) else []:
        found += [str(item), str(item).partition("/")[0]]
    return tuple(dict.fromkeys(found))


def _concerns(entry: LedgerEntry, subject: str) -> bool:
    wanted = subject.strip().lower()
    names = [name.lower() for name in about(entry)]
    return any(wanted in (name, name.partition(" ")[2]) for name in names)


def _is_name(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def short(digest: object) -> str:
    """Return the beginning of a hash, as long as a reader compares."""
    text = str(digest)
    return f"{text[:SHORT]}…" if len(text) > SHORT else text


def told(entry: LedgerEntry) -> str:
    """Return one sentence on what happened; of an event without one, its fields."""
    tell = SENTENCES.get(entry.event)
    try:
        return tell(entry.payload) if tell else _fields(entry)
    except (AttributeError, KeyError, TypeError, ValueError):
        return _fields(entry)  # an entry of another version, or one that was tampered with


def _fields(entry: LedgerEntry) -> str:
    shown = "; ".join(f"{key} {_value(value)}" for key, value in entry.payload.items())
    return f"{entry.event}: {shown}" if shown else entry.event


def _value(value: object) -> str:
    match value:
        case Mapping():
            return counted(len(value), "field") if len(value) > 4 else _pairs(value)
        case list():
            return ", ".join(map(str, value[:4])) + (" …" if len(value) > 4 else "")
        case _:
            return short(value) if str(value).startswith("sha256:") else str(value)


def _pairs(value: Mapping[Any, Any]) -> str:
    return ", ".join(f"{key} {_value(each)}" for key, each in value.items())


def _created(p: Payload) -> str:
    return f"study created from suite {p['suite']}, with {counted(p['items'], 'drafted item')}"


def _planned(p: Payload) -> str:
    rule = p["rule"]
    return (
        f"round {p['round']} ({p['kind']}): rule {rule['name']} {short(p['rule_hash'])}, form "
        f"{short(p['form_hash'])} and plan {short(p['plan_hash'])} fixed before any rating"
    )


def _imported_plan(p: Payload) -> str:
    return f"round {p['round']} ({p['kind']}): plan {short(p['plan_hash'])} of imported ratings"


def _closed(p: Payload) -> str:
    people = counted(len(p["people"]), "person", "people")
    return f"round {p['round']} closed, {people}: evidence {short(p['evidence'])}"


def _decided(p: Payload) -> str:
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(p["counts"].items()))
    return (
        f"round {p['round']} decided by rule {short(p['rule_hash'])}: {counts}; decisions "
        f"{short(p['decisions'])}"
    )


def _gave(p: Payload) -> str:
    return f"{counted(p['ratings'], 'rating')} and {counted(p['audits'], 'audit')}"


def _replaced(p: Payload) -> str:
    became = f"{_gave(p)} void" if p["on_replace"] == "void" else "what they gave stands"
    return f"{p['role']} seat {p['seat']} of round {p['round']} taken from {p['person']}: {became}"


def _withdrew(p: Payload) -> str:
    return f"{p['person']} withdrew: {_gave(p)} void, in {', '.join(p['rounds']) or 'no round'}"


def _erased(p: Payload) -> str:
    return f"what {p['person']} said was erased: {_gave(p)}; their hashes stay"


def _frozen(p: Payload) -> str:
    kind = f"declared, {UNVALIDATED}" if p["kind"] == "declared" else p["kind"]
    rounds = f" of round {', '.join(p['rounds'])}" if p["rounds"] else ""
    return (
        f"wave {p['number']} frozen ({kind}): {counted(p['items'], 'item')} of "
        f"{counted(p['scenarios'], 'scenario')}{rounds}, {short(p['wave'])}"
    )


def _taken_out(p: Payload) -> str:
    kept = f"; {counted(p['generations'], 'generation')} of before kept" if p["generations"] else ""
    return f"withdrawn from wave {p['wave']}: {', '.join(p['items'])} ({p['reason']}){kept}"


def _began(p: Payload) -> str:
    waves = f" on wave {', '.join(map(str, p['waves']))}" if p["waves"] else ""
    fake = " (a fake, no model)" if p["kind"] == "scripted" else ""
    return f"run {p['run']} of {p['model']}{fake} began{waves}: configuration {short(p['config'])}"


def _ended(p: Payload) -> str:
    return f"run {p['run']} closed: {counted(p['generations'], 'generation')}, {short(p['digest'])}"


def _scored(p: Payload) -> str:
    return f"{counted(p['scores'], 'score')} by {', '.join(p['verifiers'])}: {short(p['digest'])}"


def _brought(p: Payload) -> str:
    return (
        f"{counted(p['ratings'], 'rating')} by {counted(p['raters'], 'rater')} imported as round "
        f"{p['round']}, from a file {short(p['file'])}"
    )


SENTENCES: Mapping[str, Callable[[Payload], str]] = {
    "study created": _created,
    "preregistration": _planned,
    "plan of an import": _imported_plan,
    "round opened": lambda p: f"round {p['round']} opened",
    "round closed": _closed,
    "decisions committed": _decided,
    "seat replaced": _replaced,
    "person withdrawn": _withdrew,
    "person erased": _erased,
    "wave frozen": _frozen,
    "items withdrawn": _taken_out,
    "run started": _began,
    "run closed": _ended,
    "scores recorded": _scored,
    "ratings imported": _brought,
}
