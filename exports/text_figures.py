"""Figures as text: the same specifications, for a terminal of any width and without colour."""

from __future__ import annotations

from itertools import chain, repeat
from string import ascii_letters, digits

from rich.cells import cell_len, set_cell_size

from core.estimate import Estimate
from core.figures import (
    BoxFigure,
    Figure,
    GapFigure,
    IntervalFigure,
    PlaneFigure,
    PlanePoint,
    RankFigure,
    ShareFigure,
)
from core.tables import Column
from exports.cells import written

LETTERS = ascii_letters + digits
LINES = " ─│┼"
_SHARE = Column("", "", "share")


def has_content(figure: Figure) -> bool:
    """Return whether there is anything to draw."""
    match figure:
        case RankFigure():
            return bool(figure.lines)
        case GapFigure():
            return bool(figure.gaps)
        case BoxFigure():
            return bool(figure.boxes)
        case ShareFigure():
            return bool(figure.rows)
        case _:
            return bool(figure.points)


def text_lines(figure: Figure, width: int) -> tuple[str, ...]:
    """Return a figure as lines of at most `width` cells, without its title and notes."""
    match figure:
        case IntervalFigure():
            return _intervals(figure, width)
        case PlaneFigure():
            return _plane(figure, width)
        case RankFigure():
            return _ranks(figure)
        case GapFigure():
            return _gaps(figure)
        case BoxFigure():
            return _boxes(figure, width)
        case ShareFigure():
            return _shares(figure, width)


def _intervals(figure: IntervalFigure, width: int) -> tuple[str, ...]:
    """Draw ``├──●──┤`` on a common axis; the reference is a row of its own."""
    points = [*figure.points, *([figure.reference] if figure.reference else [])]
    label = min(max((cell_len(p.label) for p in points), default=0), max(8, width // 3))
    across = max(11, width - label - 2)
    low, high = figure.bounds
    lines = []
    for point in points:
        estimate = point.estimate
        if estimate.value is None:
            drawn = set_cell_size(f"undefined: {estimate.why_undefined}", across)
        else:
            drawn = _drawn(estimate, figure.bounds, across)
        lines.append(f"{set_cell_size(point.label, label)}  {drawn}".rstrip())
    ends_line = f"{low:g}".ljust(across - len(f"{high:g}")) + f"{high:g}"
    return (*lines, " " * (label + 2) + ends_line, *_wrapped(figure.axis, label, width))


def _drawn(estimate: Estimate, bounds: tuple[float, float], across: int) -> str:
    value = estimate.value or 0.0
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    start, middle, stop = (_at(each, *bounds, across) for each in (low, value, high))
    marks = [" "] * across
    if bounds[0] < 0 < bounds[1]:
        marks[_at(0.0, *bounds, across)] = "┊"
    marks[start : stop + 1] = ["─"] * (stop + 1 - start)
    marks[start], marks[stop], marks[middle] = "├", "┤", "●"
    return "".join(marks)


def _wrapped(text: str, label: int, width: int) -> tuple[str, ...]:
    return (" " * (label + 2) + set_cell_size(text, max(8, width - label - 2)).rstrip(),)


def _plane(figure: PlaneFigure, width: int) -> tuple[str, ...]:
    """Draw letters in the unit square, and what each letter is below it, with intervals."""
    across, down = min(width - 6, 61), 15
    grid = [[" "] * across for _ in range(down)]
    legend, places = [], []
    for letter, point in zip(chain(LETTERS, repeat("#")), figure.points, strict=False):
        pair = f"y {written(point.y, _SHARE)}, x {written(point.x, _SHARE)}"
        legend.append(f"{letter}  {point.label}: {pair}")
        if point.x.value is None or point.y.value is None:
            continue
        places.append((letter, _place(point, across, down)))
        _bars(grid, point, across, down)
    for letter, (row, column) in places:
        taken = grid[row][column] not in LINES
        grid[row][column] = "*" if taken else letter
    marks = {0: "1.0", down // 2: "0.5", down - 1: "0.0"}
    rows = [f"{marks.get(n, ''):>4}│{''.join(cells)}".rstrip() for n, cells in enumerate(grid)]
    axis = "    └" + "─" * across
    scale = "     0.0" + "1.0".rjust(across - 3)
    names = [f"     x: {figure.x_axis}", f"     y: {figure.y_axis}"]
    names += ["     *: more than one"] if any("*" in row for row in rows) else []
    return (*rows, axis, scale, *names, *legend)


def _place(point: PlanePoint, across: int, down: int) -> tuple[int, int]:
    """Return row and column of a point, row 0 on top."""
    row = down - 1 - _at(point.y.value or 0.0, 0, 1, down)
    return row, _at(point.x.value or 0.0, 0, 1, across)


def _bars(grid: list[list[str]], point: PlanePoint, across: int, down: int) -> None:
    """Draw a point's intervals, across and down, where nothing else stands."""
    row, column = _place(point, across, down)
    if point.x.low is not None and point.x.high is not None:
        for place in range(_at(point.x.low, 0, 1, across), _at(point.x.high, 0, 1, across) + 1):
            grid[row][place] = _crossed(grid[row][place], "─")
    if point.y.low is not None and point.y.high is not None:
        for place in range(_at(point.y.low, 0, 1, down), _at(point.y.high, 0, 1, down) + 1):
            line = down - 1 - place
            grid[line][column] = _crossed(grid[line][column], "│")


def _crossed(there: str, line: str) -> str:
    return line if there in (" ", line) else "┼"


def _ranks(figure: RankFigure) -> tuple[str, ...]:
    """Draw one line per system, best first, with its rank in every column."""
    label = max((cell_len(line.label) for line in figure.lines), default=0)
    widths = [max(6, cell_len(column)) for column in figure.columns]
    header = " " * label + "".join(
        f"  {column:>{w}}" for column, w in zip(figure.columns, widths, strict=True)
    )
    rows = []
    for line in sorted(figure.lines, key=lambda entry: entry.ranks):
        cells = "".join(f"  {rank:>{w}g}" for rank, w in zip(line.ranks, widths, strict=True))
        change = line.ranks[0] - line.ranks[-1]
        arrow = f"  {'up' if change > 0 else 'down'} {abs(change):g}" if change else "  same"
        rows.append(f"{set_cell_size(line.label, label)}{cells}{arrow}")
    return (header, *rows)


def _gaps(figure: GapFigure) -> tuple[str, ...]:
    """Write each row's two values with their intervals, and what the second one is."""
    label = max((cell_len(gap.label) for gap in figure.gaps), default=0)
    lines = [f"{figure.start} → {figure.end}; {figure.axis}"]
    for gap in figure.gaps:
        way = f"{written(gap.start, _SHARE)} → {written(gap.end, _SHARE)}"
        lines.append(f"{set_cell_size(gap.label, label)}  {way}  {gap.note}".rstrip())
    return tuple(lines)


def _boxes(figure: BoxFigure, width: int) -> tuple[str, ...]:
    """Draw ``├──[ │ ]──┤`` on a common axis that holds zero."""
    label = min(max((cell_len(box.label) for box in figure.boxes), default=0), max(8, width // 3))
    across = max(11, width - label - 2)
    low = min((0.0, *(box.low for box in figure.boxes)))
    high = max((0.0, *(box.high for box in figure.boxes)))
    high += high == low
    lines = []
    for box in figure.boxes:
        marks = [" "] * across
        marks[_at(0.0, low, high, across)] = "┊"
        ends = (box.low, box.lower, box.median, box.upper, box.high)
        start, left, middle, right, stop = (_at(each, low, high, across) for each in ends)
        marks[start : stop + 1] = ["─"] * (stop + 1 - start)
        marks[left : right + 1] = ["="] * (right + 1 - left)
        marks[start], marks[stop] = "├", "┤"
        marks[left], marks[right], marks[middle] = "[", "]", "●"
        lines.append(f"{set_cell_size(box.label, label)}  {''.join(marks)}".rstrip())
    scale = f"{low:g}".ljust(across - len(f"{high:g}")) + f"{high:g}"
    return (*lines, " " * (label + 2) + scale, *_wrapped(figure.axis, label, width))


def _shares(figure: ShareFigure, width: int) -> tuple[str, ...]:
    """Draw one bar per row, a character per part, and its shares in numbers behind it."""
    marks = "<=>+*"
    label = min(max((cell_len(row.label) for row in figure.rows), default=0), max(8, width // 3))
    across = max(10, min(50, width - label - 8 * len(figure.parts) - 2))
    lines = []
    for row in figure.rows:
        bounds = [round(across * sum(row.shares[: part + 1])) for part in range(len(row.shares))]
        cells = "".join(
            marks[part % len(marks)] * (stop - start)
            for part, (start, stop) in enumerate(zip([0, *bounds], bounds, strict=False))
        )
        numbers = "  ".join(f"{share:.3f}" for share in row.shares)
        lines.append(f"{set_cell_size(row.label, label)}  {cells.ljust(across)}  {numbers}")
    named = ", ".join(f"{marks[k % len(marks)]} {name}" for k, name in enumerate(figure.parts))
    return (*lines, " " * (label + 2) + named)


def _at(value: float, low: float, high: float, cells: int) -> int:
    share = (min(max(value, low), high) - low) / (high - low)
    return round(share * (cells - 1))
