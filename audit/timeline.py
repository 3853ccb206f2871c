"""The ledger for readers: one sentence per entry, with its numbers and short hashes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from audit.sentences import short, told
from core.hashing import canonical
from core.study import LedgerEntry
from core.tables import Cell, Column, Table
from core.words import counted
from ui.text import visible

# What a payload may name; people look for entries by these.
SUBJECTS = ("round", "person", "run", "scenario", "packet", "preregistration")

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
