"""A quiet line across the screen, which can say how much more text there is."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget


class Rule(Widget):
    """One line of the frame."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  (Textual's name)
        super().__init__(id=id)
        self._note = ""

    def say(self, note: str) -> None:
        """Set a few words into the line, at the right; none takes them out."""
        if note != self._note:
            self._note = note
            self.refresh()

    def render(self) -> Content:
        """Draw the line."""
        width = self.size.width
        if not self._note or len(self._note) + 6 > width:
            return Content.styled("─" * width, "$line")
        left = width - len(self._note) - 5
        return Content.assemble(
            ("─" * left, "$line"),
            (f" {self._note} ", "$quiet"),
            ("───", "$line"),
        )
