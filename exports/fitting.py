"""Tables for a window that does not scroll: as many rows as fit, and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console, Group, RenderableType
from rich.text import Text

from core.tables import Table
from core.words import counted
from exports.terminal import render


@dataclass(frozen=True, slots=True)
class Part:
    """A table whose rows stand in order of importance, and what each of them is called."""

    table: Table
    noun: str  # seat, as in: 12 more seats
    plural: str = ""


def fitting(parts: Sequence[Part], out: Console, height: int, rest: str) -> RenderableType:
    """Return the tables with the most rows that `height` lines hold, from the first one on.

    Parameters
    ----------
    rest
        Where whatever is left out can be seen; it ends the line that counts it.
    """
    fewest, most = 0, sum(len(part.table.rows) for part in parts)
    if _height(_picture(parts, most, out.width, rest), out) <= height:
        return _picture(parts, most, out.width, rest)
    most = min(most, height)  # a row takes a line at least
    while fewest < most:
        middle = (fewest + most + 1) // 2
        if _height(_picture(parts, middle, out.width, rest), out) <= height:
            fewest = middle
        else:
            most = middle - 1
    return _picture(parts, fewest, out.width, rest)


def _picture(parts: Sequence[Part], room: int, width: int, rest: str) -> RenderableType:
    """Draw the first `room` rows of all; a table of which nothing is left has no heading either."""
    drawn: list[RenderableType] = []
    left_out: list[str] = []
    for part in parts:
        rows = part.table.rows[:room]
        room -= len(rows)
        if rows or not part.table.rows:
            drawn.append(render(replace(part.table, rows=rows, runs=None), width))
        if hidden := len(part.table.rows) - len(rows):
            left_out.append(
                counted(hidden, f"more {part.noun}", part.plural and f"more {part.plural}")
            )
    if left_out:
        drawn.append(Text(f"... and {', '.join(left_out)}; {rest}"))
    return Group(*drawn)


def _height(drawn: RenderableType, out: Console) -> int:
    return len(out.render_lines(drawn, pad=False))
