"""Tables for the terminal, by rich: as a grid where it fits, otherwise row by row."""

from __future__ import annotations

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from core.figures import Figure
from core.tables import Column, Table
from exports.cells import lines, written
from exports.text_figures import text_lines

WRAP_AT = 44
PIPE_WIDTH = 160  # where no terminal says how wide it is


def console() -> Console:
    """Return a console for standard output; wide when nobody looks at it through a terminal."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def render(table: Table, width: int) -> RenderableType:
    """Return a table for a terminal of `width` cells, with its title above and notes below."""
    heading = Text(table.title, style="bold")
    notes = [Text(note, style="dim") for note in table.notes]
    if not table.rows:
        return Group(heading, Text("nothing to show yet"), *notes, Text(""))
    body = _grid(table) if _natural_width(table) <= width else _records(table)
    return Group(heading, body, *notes, Text(""))


def render_figure(figure: Figure, width: int) -> RenderableType:
    """Return a figure as text, with its title above and notes below."""
    drawn = [Text(line, no_wrap=True) for line in text_lines(figure, width)]
    notes = [Text(note, style="dim") for note in figure.notes]
    return Group(Text(figure.title, style="bold"), *drawn, *notes, Text(""))


def _grid(table: Table) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for column in table.columns:
        grid.add_column(
            Text(column.heading),
            justify="right" if column.unit == "count" else "left",
            max_width=_column_width(table, column),
        )
    for row in table.rows:
        cells = (lines(row.get(column.key), column) for column in table.columns)
        grid.add_row(*(Text("\n".join(cell)) for cell in cells))
    return grid


def _records(table: Table) -> Group:
    """Return one block per row: the first cell as its heading, the others a line each."""
    first, *others = table.columns
    label = max(cell_len(column.heading) for column in others)
    blocks: list[RenderableType] = []
    for row in table.rows:
        blocks.append(Padding(Text(written(row.get(first.key), first), style="bold"), (1, 0, 0, 2)))
        lines = Grid.grid(padding=(0, 2))
        lines.add_column(width=label)
        lines.add_column()
        for column in others:
            lines.add_row(Text(column.heading), Text(written(row.get(column.key), column)))
        blocks.append(Padding(lines, (0, 0, 0, 4)))
    return Group(*blocks, Text(""))


def _natural_width(table: Table) -> int:
    gap = 2
    return sum(_column_width(table, column) + gap for column in table.columns)


def _column_width(table: Table, column: Column) -> int:
    """Return the widest part of a column's cells; running text and reasons wrap before that."""
    parts = [part for row in table.rows for part in lines(row.get(column.key), column)]
    widest = max(cell_len(part) for part in [column.heading, *parts])
    return min(widest, WRAP_AT)
