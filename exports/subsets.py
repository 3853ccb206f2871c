"""Saying of tables, figures and files what part of the frozen items they are about."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from core.figures import Figure
from core.subsets import Selection
from core.tables import Table
from exports.data import Data

Shown = TypeVar("Shown", Table, Figure)


def told(shown: Shown, selection: Selection) -> Shown:
    """Return a table or figure that names its subset in its title, and what is left out below."""
    words = selection.subset.words
    title = f"{shown.title} [{words}]" if words else shown.title
    return replace(shown, title=title, notes=(*shown.notes, *selection.notes))


def unrestricted(table: Table, selection: Selection) -> Table:
    """Return a table that no subset restricts; it says so where others are restricted."""
    if not selection.restricted:
        return table
    note = f"Not restricted ({selection.subset.words}): it is about every candidate."
    return replace(table, notes=(*table.notes, note))


def rows_of(data: Data, selection: Selection) -> Data:
    """Return the rows on frozen items of a subset, in the revision that is frozen."""
    if not selection.restricted:
        return data
    cells = selection.cells
    rows = tuple(
        row
        for row in data.rows
        if cells.get((str(row["scenario"]), str(row["condition"]))) == row["revision"]
    )
    return Data(data.columns, rows)
