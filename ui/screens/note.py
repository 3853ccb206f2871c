"""A dialogue for a free text: whatever is typed or pasted here stays text."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static, TextArea

from ui.screens.dialogue import Dialogue
from ui.text import visible


class NoteArea(TextArea):
    """A text field in which pasted control characters become visible and do nothing."""

    def on_paste(self, event: events.Paste) -> None:
        """Clean what is pasted, before the field's own handler takes it in."""
        event.text = visible(event.text.replace("\r\n", "\n").replace("\r", "\n"))


class NoteScreen(Dialogue[str]):
    """Gives the text back when Escape is pressed; Enter is a new line, so pasting never submits."""

    AUTO_FOCUS = "NoteArea"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+s", "done", show=False, priority=True)
    ]

    def __init__(self, title: str, text: str = "", *, foot: str = "Esc done") -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._foot = foot

    def compose(self) -> ComposeResult:
        """Lay out the dialogue."""
        with Vertical(classes="dialogue"):
            yield Static(self._title, classes="title", markup=False)
            area = NoteArea(self._text, soft_wrap=True, compact=True)
            area.move_cursor(area.document.end)
            yield area
            yield Static(self._foot, classes="quiet keys", markup=False)

    def action_done(self) -> None:
        """Close, keeping what was written."""
        written = [area.text for area in self.query(NoteArea)] or [self._text]  # not drawn yet
        self.dismiss(written[0].strip())
