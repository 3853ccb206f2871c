"""What is rated: a text alone, or, where responses are graded, a question with its response.

The response is what is read, so it is the loudest; and it is told from the question without colour:
it has a heading, and a bar along every line, so that no response can end itself and go on as
something else.
"""

from __future__ import annotations

from textual.content import Content

from core.items import BlindItem
from ui.text import visible
from ui.widgets.reading_pane import ReadingPane

BAR = "┃ "
BESIDE = (("Right answer", "reference"), ("Held to", "criterion"))
WIDEST = 96  # cells of a line; longer ones are hard to follow


class ItemPane(ReadingPane):
    """Shows a blind item from its beginning."""

    def __init__(self) -> None:
        super().__init__()
        self._item: BlindItem | None = None

    def show_item(self, item: BlindItem) -> None:
        """Show an item."""
        self._item = item
        self.show("" if item.response else item.text)

    def lines(self, width: int, height: int) -> list[Content]:
        """Set the question above its response; a text alone is set as it is."""
        item = self._item
        if item is None or item.response is None:
            return super().lines(width, height)
        width = min(width, WIDEST)
        question = Content.styled(visible(item.question), "$foreground").wrap(width)
        beside = [
            line
            for name, field in BESIDE
            if (text := getattr(item.response, field))
            for line in _beside(name, visible(text), width)
        ]
        response = Content(visible(item.response.text)).wrap(max(1, width - len(BAR)))
        return [
            *question,
            Content(""),
            *beside,
            *([Content("")] if beside else []),
            _heading("Response", width),
            *(Content.assemble((BAR, "$accent"), line) for line in response),
        ]


def _beside(name: str, text: str, width: int) -> list[Content]:
    """Return a short text behind its name, its further lines below its first."""
    indent = len(name) + 3
    wrapped = Content.styled(text, "$foreground").wrap(max(10, width - indent))
    heads = [f"{name}:".ljust(indent), *[" " * indent] * (len(wrapped) - 1)]
    return [
        Content.assemble((head, "$quiet"), line) for head, line in zip(heads, wrapped, strict=True)
    ]


def _heading(name: str, width: int) -> Content:
    rest = "━" * max(0, width - len(name) - 4)
    return Content.assemble(("┏━ ", "$accent"), (name, "bold"), (f" {rest}", "$accent"))
