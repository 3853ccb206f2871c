"""A long text of the study, set out: scrolled by the same keys as an item."""

from __future__ import annotations

from textual.content import Content

from ui.prose import set_out
from ui.widgets.reading_pane import ReadingPane


class ProsePane(ReadingPane):
    """Shows headings, paragraphs and lists; without colours its headings are still bold."""

    def lines(self, width: int, height: int) -> list[Content]:
        """Return the text, line by line."""
        return set_out(self._text, width)
