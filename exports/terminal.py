"""Tables for the terminal, by rich: as a grid where it fits, otherwise row by row."""

from __future__ import annotations

import os

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
from ui.text import visible

WRAP_AT = 44
LEAST = 20  # cells; in fewer nothing can be read, so lines may run over
PIPE_WIDTH = 160  # where no terminal says how wide it is


def console() -> Console:
    """Return a console for standard output; wide when nobody looks at it through a terminal."""
    out = Console(highlight=False)
    if not (out.is_terminal or "COLUMNS" in os.environ):
        return Console(highlight=False, width=PIPE_WIDTH)
    return out if out.width >= LEAST else Console(highlight=False, width=LEAST)


def print_to(out: Console, drawn: RenderableType) -> None:
    """Print without the blanks that pad lines to the full width, unless a terminal needs them."""
    if out.is_terminal:
        out.print(drawn)
        return
    with out.capture() as captured:
        out.print(drawn)
    out.file.write("\n".join(line.rstrip() for line in captured.get().split("\n")))


def render(table: Table, width: int) -> RenderableType:
    """Return a table for a terminal of `width` cells, with its title above and notes below."""
    heading = _text(table.title, "bold")
    notes = [_text(note, "dim") for note in table.notes]
    if not table.rows:
        return Group(heading, Text(table.empty), *notes, Text(""))
    body = _grid(table) if _natural_width(table) <= width else _records(table, width)
    return Group(heading, body, *notes, Text(""))


def render_figure(figure: Figure, width: int) -> RenderableType:
    """Return a figure as text, with its title above and notes below."""
    # Lines of the drawing fit; a longer line of its legend wraps, so that no number is cut.
    drawn = [_text(line) for line in text_lines(figure, width)]
    notes = [_text(note, "dim") for note in figure.notes]
    return Group(_text(figure.title, "bold"), *drawn, *notes, Text(""))


def _text(text: str, style: str = "") -> Text:
    """Return a text literally: an escape sequence in an item or a model's name never acts."""
    return Text(visible(text), style=style)


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
        grid.add_row(*(_text("\n".join(cell)) for cell in cells))
    return grid


def _records(table: Table, width: int) -> Group:
    """Return one block per row: the first cell as its heading, the others a line each."""
    first, *others = table.columns
    label = max((cell_len(column.heading) for column in others), default=0)
    blocks: list[RenderableType] = []
    for row in table.rows:
        blocks.append(Padding(_text(written(row.get(first.key), first), "bold"), (1, 0, 0, 2)))
        lines = Grid.grid(padding=(0, 2))
        lines.add_column(width=min(label, width // 2 - 4))
        lines.add_column()
        for column in others:
            lines.add_row(Text(column.heading), _text(written(row.get(column.key), column)))
        blocks.append(Padding(lines, (0, 0, 0, 4)))
    return Group(*blocks, Text(""))


def _natural_width(table: Table) -> int:
    gap = 2
    return sum(_column_width(table, column) + gap for column in table.columns)


def _column_width(table: Table, column: Column) -> int:
    """Return the widest part of a column's cells; running text and reasons wrap before that.

    What has no place to break (a hash) is shown whole.
    """
    parts = [part for row in table.rows for part in lines(row.get(column.key), column)]
    shown = [column.heading, *map(visible, parts)]
    word = max(cell_len(word) for part in shown for word in part.split() or [""])
    return max(word, min(WRAP_AT, max(map(cell_len, shown))))
