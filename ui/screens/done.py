"""The end of a list."""

from __future__ import annotations

from ui.screens.notice import NoticeScreen
from ui.widgets.key_line import Hint


class DoneScreen(NoticeScreen):
    """Says that everything is saved, and thanks.

    Parameters
    ----------
    heading
        What the first line says.
    told
        What was done, as a sentence.
    noun
        What one thing on the list is called.
    total
        How many there were.
    """

    def __init__(self, heading: str, told: str, noun: str, total: int) -> None:
        super().__init__(
            heading,
            "Thank you.",
            (told,),
            Hint("←", f"back to the last {noun}", 1),
            Hint("q", "leave", 0),
            progress=(total, total),
            mark="Saved ✓",
        )
