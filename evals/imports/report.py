"""What an import finds and does, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.runs import STATES
from core.tables import Cell, Column, Table
from core.words import counted
from evals.imports.examining import LISTED, Examined
from evals.imports.groups import NOT_STATED
from evals.imports.samples import DECODING

WHAT = {
    "new": "new",
    "stored": "stored already",
    "duplicate": "there twice",
    "conflict": "in conflict",
    "unmatched": "of no frozen prompt",
    "unreadable": "unreadable",
}


def runs_table(found: Examined) -> Table:
    """Return one row per model and settings: which run it is, and what it would bring."""
    rows: list[dict[str, Cell]] = [
        {
            "model": group.name,
            "run": ", ".join(map(str, group.runs)) or "new",
            "items": len(group.items),
            "new": group.new,
            **{state: group.states[state] for state in STATES},
            "stored": group.stored,
        }
        for group in found.groups
    ]
    columns = (
        Column("model", "Model"),
        Column("run", "Run"),
        Column("items", "items", "count"),
        Column("new", "new", "count"),
        *(Column(state, state, "count") for state in STATES),
        Column("stored", "stored", "count"),
    )
    counts = ", ".join(f"{found.counts[key]:,} {word}" for key, word in WHAT.items()
                       if found.counts[key])  # fmt: skip
    title = f"{found.file.name} ({found.origin.format}): {counted(found.records, 'record')}"
    return Table("import", title, columns, tuple(rows), (f"{counts}.", *_notes(found)))


def problems_table(found: Examined, most: int = LISTED) -> Table:
    """Return the records that are not taken, each with its reason."""
    shown = found.problems[:most]
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"what": WHAT[problem.kind], "where": problem.place, "why": problem.why}
        for problem in shown
    )
    total = sum(found.counts[kind] for kind in ("duplicate", "conflict", "unmatched", "unreadable"))
    more = total - len(shown)
    notes = (f"and {more:,} more",) if more else ()
    columns = (Column("what", "What"), Column("where", "Where"), Column("why", "Why"))
    return Table("left", f"{counted(total, 'record')} not taken", columns, rows, notes, "none")


def _settings(stated: Mapping[str, Any]) -> str:
    told = [f"{name} {stated[name]}" for name in DECODING if stated.get(name) != NOT_STATED]
    return ", ".join(told) or NOT_STATED


def _notes(found: Examined) -> list[str]:
    notes = [f"{group.name}: settings {_settings(group.config)}." for group in found.groups]
    if found.unnumbered:
        notes.append(
            f"{counted(found.unnumbered, 'sample')} without a number, numbered per prompt in the "
            "order of the file."
        )
    if found.unseen:
        notes.append(
            f"{counted(found.unseen, 'record')} found by hash or key alone: the file does not say "
            "what was sent."
        )
    return notes
