"""All keys of a screen. Any key closes it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ui.screens.dialogue import Dialogue

SCROLL = {"up": -1, "down": 1, "pageup": -5, "pagedown": 5}


class HelpScreen(Dialogue[None]):
    """A list of keys and what they do."""

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._keys = [*keys, ("Ctrl-T", "dark or light"), ("Ctrl-C", "leave at once")]

    def compose(self) -> ComposeResult:
        """Lay out the dialogue."""
        room = max(cell_len(key) for key, _ in self._keys) + 3
        lines = [
            Content.assemble((key, "bold"), " " * (room - cell_len(key)), (does, "$foreground"))
            for key, does in self._keys
        ]
        with Vertical(classes="dialogue"):
            yield Static("All keys", classes="title", markup=False)
            yield Static(Content("\n").join(lines))
            yield Static("any key closes this", classes="quiet keys", markup=False)

    def on_key(self, event: events.Key) -> None:
        """Scroll, or close on any other key; it does nothing else."""
        event.stop()
        event.prevent_default()
        if event.key in SCROLL:
            self.query_one(Vertical).scroll_relative(y=SCROLL[event.key], animate=False)
        else:
            self.dismiss()

    def on_click(self, event: events.Click) -> None:
        """Close on a click."""
        event.stop()
        self.dismiss()
