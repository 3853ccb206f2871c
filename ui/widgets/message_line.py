"""One quiet line between questions and keys: a comment, a hint, or why nothing was saved."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from ui.text import visible
from ui.wrapping import wrap


class MessageLine(Widget):
    """A line that is empty most of the time; a failure may take several."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._failed = False

    def say(self, text: str, *, failed: bool = False) -> None:
        """Show a line; nothing clears it."""
        if (text, failed) != (self._text, self._failed):
            self._text, self._failed = visible(text), failed
            self.refresh(layout=True)

    def render(self) -> Content:
        """Draw the line; a failure carries a mark, not only a colour."""
        lines = self._lines(self.size.width)
        style = "bold $error" if self._failed else "$quiet"
        return Content.styled("\n".join(lines), style)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Take one line, or what a failure needs."""
        return len(self._lines(width))

    def _lines(self, width: int) -> list[str]:
        mark = " ✗ " if self._failed else "   "
        if not self._text:
            return []
        pieces = wrap(self._text, width - 4)
        if not self._failed:
            pieces = pieces[:1]
        return [f"{mark if not place else '   '}{piece}" for place, piece in enumerate(pieces)]
