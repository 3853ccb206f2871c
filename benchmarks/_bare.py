"""A bare Textual application: one text on the screen, and a key that changes two places in it.

``python benchmarks/_bare.py FILE``; the file holds the text to show.
"""

from __future__ import annotations

import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Static


class Bare(App[None]):
    """Shows a text; a and b mark that answer, the arrow up takes the focus mark back."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        """Lay out the one text."""
        self.text = Path(sys.argv[1]).read_text(encoding="utf-8")
        yield Static(self.text, markup=False)

    def on_key(self, event: Key) -> None:
        """Mark an answer."""
        text = self.text
        if event.key in ("a", "b"):
            text = text.replace(f" {event.key}  ", f"[{event.key}] ", 1)
            text = text.replace(" ▸ ", "   ", 1).replace("   How sure", " ▸ How sure", 1)
        self.query_one(Static).update(text)


if __name__ == "__main__":
    Bare().run()
