"""The last line: the keys on the left, and at the right whether the answer is on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Hint:
    """One key and what it does; the lower the rank, the longer it stays when room is short."""

    key: str
    does: str = ""
    rank: int = 1

    @property
    def text(self) -> str:
        """As it is shown."""
        return f"{self.key} {self.does}".rstrip()


def fitting(hints: Sequence[Hint], width: int) -> tuple[Hint, ...]:
    """Return the hints that fit into a width, in their order; the highest ranks go first."""
    kept = list(hints)
    while kept and sum(cell_len(h.text) for h in kept) + 2 * (len(kept) - 1) > width:
        kept.remove(max(kept, key=lambda hint: hint.rank))
    return tuple(kept)


class KeyLine(Widget):
    """The keys that work here, and the state of saving."""

    def __init__(self, *hints: Hint) -> None:
        super().__init__()
        self._hints = hints
        self._mark = ""

    def offer(self, *hints: Hint) -> None:
        """Show other keys."""
        self._hints = hints
        self.refresh()

    def mark(self, mark: str) -> None:
        """Show the state of saving at the right; it is never left out for want of room."""
        self._mark = mark
        self.refresh()

    def render(self) -> Content:
        """Draw the line."""
        width = self.size.width
        room = width - cell_len(self._mark) - 2 - 2 * bool(self._mark)
        parts: list[str | tuple[str, str]] = [" "]
        for place, hint in enumerate(fitting(self._hints, room)):
            parts += ["  "] * bool(place)
            parts += [hint.key, (f" {hint.does}" if hint.does else "", "$quiet")]
        used = sum(cell_len(part if isinstance(part, str) else part[0]) for part in parts)
        gap = " " * max(0, width - used - cell_len(self._mark) - 1)
        saved = self._mark.endswith("✓")
        return Content.assemble(*parts, gap, (self._mark, "$success" if saved else "bold $error"))
