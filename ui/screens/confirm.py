"""Asks before something unsaved is given up."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ui.screens.dialogue import Dialogue
from ui.text import visible


class ConfirmScreen(Dialogue[bool]):
    """A sentence, and two ways to go on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "dismiss(True)", show=False),
        Binding("escape,n,enter", "dismiss(False)", show=False),
    ]

    def __init__(self, title: str, text: str, *, yes: str, no: str) -> None:
        super().__init__()
        self._title = title
        self._text = visible(text)
        self._yes, self._no = yes, no

    def compose(self) -> ComposeResult:
        """Lay out the dialogue."""
        quiet = "$quiet"
        keys = Content.assemble("q", (f" {self._yes}", quiet), "   Esc", (f" {self._no}", quiet))
        with Vertical(classes="dialogue"):
            yield Static(self._title, classes="title", markup=False)
            yield Static(self._text, markup=False)
            yield Static(keys, classes="keys")


def take_over_question() -> ConfirmScreen:
    """Return the question to a person whose code is open elsewhere."""
    return ConfirmScreen(
        "Take it over?",
        "This code is open elsewhere. If that is you, go on here: what was saved there is kept, "
        "and nothing more is saved from there.",
        yes="take it over",
        no="leave it",
    )
