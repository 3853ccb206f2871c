"""What a reader must be told of intervals that look surer than they are, below the table."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from core.estimate import Estimate
from core.tables import Table
from stats.resample import caveat

MOST_NAMED = 6


def with_caveats(table: Table) -> Table:
    """Return the table with a note per caveat, naming the rows and columns that it is about."""
    found: dict[str, list[str]] = defaultdict(list)
    first = table.columns[0].key if table.columns else ""
    for row in table.rows:
        for column in table.columns:
            cell = row.get(column.key)
            if isinstance(cell, Estimate) and (told := caveat(cell)):
                found[told].append(f"{row.get(first)}: {column.heading}")
    notes = tuple(f"Careful, {told} ({_listed(cells)})." for told, cells in found.items())
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def _listed(cells: list[str]) -> str:
    more = len(cells) - MOST_NAMED
    named = ", ".join(cells[:MOST_NAMED])
    return f"{named}, and {more} more" if more > 0 else named
