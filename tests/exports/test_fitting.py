"""Tables in a window: never higher than it, in their order, and nothing left out unsaid."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from core.tables import Column, Table
from exports.fitting import Part, fitting

REST = "all are elsewhere"
NOUNS = ("line", "seat", "check")
FRAME = 5  # of one table: title, heading, rule, a blank line below; and the line that counts


def table(name: str, rows: int, columns: int = 2) -> Table:
    """A table whose every row can be told from all others."""
    heads = tuple(Column(f"c{n}", f"Column {n}") for n in range(columns))
    cells = tuple({c.key: f"{name}-{row}-{c.key}" for c in heads} for row in range(rows))
    return Table(name, f"The {name}s", heads, cells)


def drawn(parts: list[Part], width: int, height: int) -> list[str]:
    """What a window of that size shows."""
    out = Console(width=width, file=io.StringIO(), highlight=False)
    lines = out.render_lines(fitting(parts, out, height, REST), pad=False)
    return ["".join(segment.text for segment in line) for line in lines]


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=3),
    st.integers(20, 120),
    st.integers(4, 60),
    st.integers(1, 6),
)
def test_what_fits_is_shown_and_the_rest_is_counted(
    sizes: list[int], width: int, height: int, columns: int
) -> None:
    """Rows are shown from the first on; whatever is missing is counted, table by table."""
    parts = [
        Part(table(noun, rows, columns), noun) for noun, rows in zip(NOUNS, sizes, strict=False)
    ]
    lines = drawn(parts, width, height)
    told = "\n".join(lines)
    shown = [len(set(re.findall(rf"{part.noun}-(\d+)-c0", told))) for part in parts]
    missing = [part.noun for part, n in zip(parts, shown, strict=True) if n < len(part.table.rows)]
    flat = " ".join(told.split())
    for part, n in zip(parts, shown, strict=True):
        assert set(re.findall(rf"{part.noun}-(\d+)-c0", told)) == {str(at) for at in range(n)}
        hidden = len(part.table.rows) - n
        assert (f"{hidden} more {part.noun}" in flat) is (hidden > 0)
    assert (REST in flat) is bool(missing)
    if any(shown):
        assert len(lines) <= height
    if missing and len(parts) == 1 and columns == 1 and height > FRAME + 2:
        assert len(lines) >= height - 1  # no room is wasted


def test_everything_is_shown_where_it_fits() -> None:
    """Nothing is said of more where there is no more."""
    lines = drawn([Part(table("seat", 12), "seat")], 80, 16)
    assert len(lines) == 16
    assert not any(REST in line for line in lines)


@pytest.mark.parametrize(("rows", "told"), [(1, "1 more line;"), (2, "2 more lines;")])
def test_the_count_is_a_sentence(rows: int, told: str) -> None:
    """One is one, several are several."""
    parts = [Part(table("seat", 10), "seat"), Part(table("line", rows), "line")]
    assert told in drawn(parts, 80, 15)[-1]


def test_what_is_first_stays_in_a_window_that_is_too_low_for_anything() -> None:
    """The heading and the count are left, for whoever crops it to see the top."""
    lines = drawn([Part(table("seat", 9), "seat"), Part(table("line", 9), "line")], 80, 1)
    assert lines == [f"... and 9 more seats, 9 more lines; {REST}"]
