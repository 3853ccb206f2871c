"""The rating screen: one item, alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from annotate.sitting import RatingView
from annotate.widgets.item_pane import ItemPane
from core.forms import Answer, Form
from ui.facts import Fact
from ui.saving import SAVING
from ui.screens.item import ItemScreen
from ui.screens.note import NoteScreen
from ui.widgets.key_line import Hint
from ui.widgets.message_line import MessageLine

REPORT_SAVED = "Your report is saved ✓"


class Reported(Fact):
    """Something is wrong with the item with this number."""

    def __init__(self, screen: RateScreen, number: int, text: str) -> None:
        super().__init__(screen, number)
        self.rating = screen
        self.text = text


class RateScreen(ItemScreen[RatingView]):
    """Draws a blind item and posts what the rater did."""

    ACTS: ClassVar[Mapping[str, str]] = {**ItemScreen.ACTS, "report": "report"}

    _unsent = ""  # a report that is not on disk

    @property
    def form(self) -> Form:
        """The questions of the round."""
        return self.state.view.form

    @property
    def options(self) -> tuple[str, ...]:
        """The option labels in the shown order."""
        return self.state.view.item.options

    @property
    def answers(self) -> Mapping[str, Answer]:
        """The answers so far."""
        return self.state.view.answers

    @property
    def note(self) -> str:
        """The comment so far."""
        return self.state.view.comment

    def make_pane(self) -> ItemPane:
        """Return a pane for one text, or a question with its response."""
        return ItemPane()

    def fill_pane(self) -> None:
        """Show the item."""
        self._unsent = ""
        self.query_one(ItemPane).show_item(self.state.view.item)

    def hints(self) -> tuple[Hint, ...]:
        """Add the key for reports."""
        *others, help_, stop = super().hints()
        return *others, Hint(self._keys.of("report"), "report", 7), help_, stop

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Add the key for reports."""
        *others, retry, stop = super().keys()
        report = (self._keys.of("report"), "report a problem with this item")
        return *others, report, retry, stop

    def action_report(self) -> None:
        """Write what is wrong with the item, in a dialogue where no key does anything but write."""
        number = self.state.view.number

        def done(text: str | None) -> None:
            if text:
                self._unsent = text
                self.post_message(Reported(self, number, text))

        if not self._leaving:
            title = f"What is wrong with item {number}?"
            foot = "Esc report it; with nothing written, nothing is reported"
            self.app.push_screen(NoteScreen(title, self._unsent, foot=foot), done)

    def reported(self) -> None:
        """Say that the report is on disk."""
        self._unsent = ""
        self.query_one(MessageLine).say(REPORT_SAVED)

    def tell(self, text: str, failed: bool) -> None:
        """Say that a report is on its way to disk, or why it is not there."""
        again = f"; {self._keys.of('report')} shows the report again" if failed else ""
        self.query_one(MessageLine).say(f"{text or SAVING}{again}", failed=failed)
