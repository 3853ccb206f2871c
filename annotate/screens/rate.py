"""The rating screen: one item, alone."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.sitting import RatingView
from core.forms import Answer, Form
from ui.screens.item import ItemScreen
from ui.widgets.reading_pane import ReadingPane


class RateScreen(ItemScreen[RatingView]):
    """Draws a blind item and posts what the rater did."""

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

    def make_pane(self) -> ReadingPane:
        """Return a pane for one text."""
        return ReadingPane()

    def fill_pane(self) -> None:
        """Show the text of the item."""
        self.query_one(ReadingPane).show(self.state.view.item.text)
