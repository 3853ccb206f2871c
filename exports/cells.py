"""How a cell is written: once, for the terminal, for HTML and for CSV alike."""

from __future__ import annotations

from math import isfinite

from core.estimate import Estimate
from core.tables import Cell, Column

# Values to three decimals, interval ends to two: with 10,000 replicates a third decimal of an end
# would be noise. JSON and CSV carry everything.
DECIMALS = {"share": 3, "signed": 3, "score": 2}
END_DECIMALS = 2
NOTHING = "–"
REGISTERED = "†"  # beside a number that was preregistered


def written(cell: Cell, column: Column) -> str:
    """Return a cell as a reader sees it, in one line.

    An undefined estimate is written as its reason, never as a number; an estimate without an
    interval says why.
    """
    return " ".join(lines(cell, column))


def lines(cell: Cell, column: Column) -> tuple[str, ...]:
    """Return a cell in its parts: a value, and below it the interval or why there is none."""
    if cell is None:
        return (NOTHING,)
    if isinstance(cell, Estimate):
        return _estimate(cell, column)
    if isinstance(cell, float) and not isfinite(cell):
        return ("undefined",)
    if isinstance(cell, (int, float)) and column.unit in DECIMALS:
        return (_number(float(cell), column, DECIMALS[column.unit]),)
    return (f"{cell:,}" if isinstance(cell, int) else str(cell),)


def _estimate(estimate: Estimate, column: Column) -> tuple[str, ...]:
    if estimate.value is None:
        return ("undefined:", str(estimate.why_undefined))
    value = _number(estimate.value, column, DECIMALS.get(column.unit, 3))
    if estimate.standing == "preregistered":
        value = f"{value} {REGISTERED}"
    if estimate.low is None or estimate.high is None:
        return (value, f"(no interval: {estimate.why_no_interval or 'not asked for'})")
    low, high = (_number(end, column, END_DECIMALS) for end in (estimate.low, estimate.high))
    return (value, f"[{low}, {high}]")


def _number(value: float, column: Column, decimals: int) -> str:
    text = f"{value:+.{decimals}f}" if column.unit == "signed" else f"{value:.{decimals}f}"
    # A value that rounds to nothing has no sign.
    return text.lstrip("+-") if float(text) == 0 else text
