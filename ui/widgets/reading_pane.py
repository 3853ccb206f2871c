"""The text of an item: literal, loud, and scrolled by keys."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from ui.text import visible


class ReadingPane(Widget):
    """Shows one text; what does not fit is scrolled by lines and pages.

    It has no scroll bar: the rule below it says how many lines there are more, so that nothing on
    the line of a text can be pushed out of place by a character that the terminal draws wider.
    """

    ALLOW_SELECT = False
    STEADY = 8  # lines that are kept for a short text, so that the questions stay where they are

    class Scrolled(Message):
        """How many lines are out of sight above and below."""

        def __init__(self, above: int, below: int) -> None:
            super().__init__()
            self.above = above
            self.below = below

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._lines: list[Content] = []
        self._top = 0
        self._place = (0, 0)  # width and top line where the reader last was

    def show(self, text: str) -> None:
        """Show a text from its beginning."""
        self._text = visible(text)
        self._top = 0
        self._place = (0, 0)
        self.rewrap()

    def lines(self, width: int, height: int) -> list[Content]:
        """Return everything there is to show, line by line, for a width and the room there is."""
        return Content(self._text).wrap(width)

    def scroll_lines(self, count: int) -> None:
        """Go down by so many lines; up when negative."""
        self._top += count
        self._settle()
        self._place = (self.content_size.width, self._top)

    def scroll_pages(self, count: int) -> None:
        """Go down by so many screens, less a line that is seen twice."""
        self.scroll_lines(count * max(1, self.content_size.height - 1))

    @property
    def top(self) -> int:
        """How many lines are out of sight above."""
        return self._top

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew; a reader who comes back to a width is back at the same line."""
        before = self.count
        width, top = self._place
        self.rewrap()
        if width == self.content_size.width:
            self._top = top
        elif before:
            self._top = self._top * self.count // before
        self._settle()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Go down with the wheel."""
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Go up with the wheel."""
        event.stop()
        self.scroll_lines(-3)

    def render(self) -> Content:
        """Draw the lines in sight."""
        width, height = self.content_size
        lines = self._lines or self.lines(width, height)  # painted before the first resize
        shown = lines[self._top : self._top + height]
        return Content("\n").join(shown)

    def rewrap(self) -> None:
        """Set the lines anew, keeping the place."""
        width, height = self.content_size
        if not width:
            return
        padding = self.outer_size.height - height
        self._lines = self.lines(width, self._room() - padding)
        self.styles.max_height = max(self.STEADY, self.count) + padding
        self._settle()

    def _room(self) -> int:
        """Return how many lines are left for the pane, whatever it shows just now."""
        others = (widget for widget in self.screen.children if widget is not self)
        return self.screen.size.height - sum(widget.outer_size.height for widget in others)

    def _settle(self) -> None:
        height = self.content_size.height
        self._top = max(0, min(self._top, self.count - height))
        self.refresh()
        self.post_message(self.Scrolled(self._top, max(0, self.count - height - self._top)))
