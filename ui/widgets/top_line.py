"""The first line: what this is on the left, how far one has come on the right."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

BAR = 15


def bar(done: int, total: int, width: int = BAR) -> str:
    """Return a bar that is full only when all is done, and not empty once anything is.

    Examples
    --------
    >>> bar(1, 100, 10), bar(99, 100, 10), bar(5, 5, 10)
    ('█░░░░░░░░░', '█████████░', '██████████')
    """
    filled = done * width // total if total else 0
    if 0 < done < total:
        filled = min(max(filled, 1), width - 1)
    return "█" * filled + "░" * (width - filled)


class TopLine(Widget):
    """The name of the screen, "17 of 100" and a bar."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._heading = name
        self._progress: tuple[int, int, int] | None = None

    def show(self, place: int, done: int, total: int) -> None:
        """Show that item `place` of `total` is on the screen and that `done` are saved."""
        self._progress = (place, done, total)
        self.refresh()

    def render(self) -> Content:
        """Draw as much as fits: the bar goes first, then the name."""
        width = self.size.width
        if self._progress is None:
            return Content(f" {self._heading}")
        place, done, total = self._progress
        count = f"{place} of {total}"
        drawn = bar(done, total)
        name = f" {self._heading}"
        if cell_len(name) + len(count) + BAR + 5 > width:
            drawn = bar(done, total, BAR // 3)
        if cell_len(name) + len(count) + len(drawn) + 5 > width:
            name = ""
        room = width - cell_len(name) - len(count) - len(drawn) - 3
        return Content.assemble(name, " " * max(1, room), count, "  ", (drawn, "$quiet"), " ")
