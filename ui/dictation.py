"""A text that is typed line by line: whatever a line says is text, until the one that ends it."""

from __future__ import annotations

from collections.abc import Callable

from ui.spoken import Lines
from ui.text import visible

END = "."  # a line with nothing else ends a text, so that pasted lines cannot be taken for answers


class Dictation:
    """Collects the lines of a text.

    Attributes
    ----------
    after
        Returns what is said once the text was taken and the person goes on.
    """

    def __init__(self, take: Callable[[str], Lines], after: Callable[[], Lines]) -> None:
        self.after = after
        self._take = take
        self._lines: Lines = []

    def hear(self, line: str) -> bool:
        """Take a line; return whether it ended the text."""
        if line.strip() == END:
            return True
        self._lines.append(line)
        return False

    def end(self) -> Lines:
        """Take the text as far as it was typed, and return what is to be said of it."""
        return self._take(visible("\n".join(self._lines)).strip())
