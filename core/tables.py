"""Tables as plain values: suites make them, ``exports`` draws them.

A cell is a text, a number, an :class:`~core.estimate.Estimate` or nothing. A table says in its
title what it rests on (simulated ratings, a scripted model, a prefilled answer), because a table
is read far from the study that it came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.estimate import Estimate

Cell = str | int | float | Estimate | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its key in exports, its heading, and how its numbers are written.

    `unit` is ``share`` (0 to 1, three decimals), ``signed`` (the same with its sign), ``score``
    (two decimals), ``count`` or ``text``.
    """

    key: str
    heading: str
    unit: Literal["share", "signed", "score", "count", "text"] = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with everything that its reader must know.

    Attributes
    ----------
    name
        What ``wavelock report NAME`` calls it.
    title
        The heading; caveats on the evidence stand here, not in a footnote.
    rows
        One mapping from column key to cell per row.
    notes
        How intervals were made, what was left out and why.
    empty
        What is said where there are no rows.
    runs
        The runs that each row rests on, in the order of the rows; where nothing is said, any row
        may rest on all of them.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Cell], ...]
    notes: tuple[str, ...] = ()
    empty: str = "nothing to show yet"
    runs: tuple[tuple[int, ...], ...] | None = None


def split_by(tables: Sequence[Table], key: str) -> Iterator[Table]:
    """Yield for people one table per value of a column; the notes stand below the last."""
    for table in tables:
        if not any(column.key == key for column in table.columns):
            yield table
            continue
        values = list(dict.fromkeys(str(row[key]) for row in table.rows))
        for value in values:
            yield replace(
                table,
                title=f"{value}: {table.title[0].lower()}{table.title[1:]}",
                columns=tuple(column for column in table.columns if column.key != key),
                rows=tuple(row for row in table.rows if row[key] == value),
                notes=table.notes if value == values[-1] else (),
            )
