"""A long text of the study, set out: scrolled by the same keys as an item."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content

from ui.prose import BOLD, Block, blocks
from ui.widgets.reading_pane import ReadingPane


class ProsePane(ReadingPane):
    """Shows headings, paragraphs and lists; without colours its headings are still bold."""

    def lines(self, width: int, height: int) -> list[Content]:
        """Return the text, line by line."""
        return set_out(self._text, width)


def set_out(text: str, width: int) -> list[Content]:
    """Return a text line by line for a width: points hang, and blocks stand apart."""
    lines: list[Content] = []
    before: Block | None = None
    for block in blocks(text):
        if before and not (before.mark and block.mark):
            lines.append(Content(""))
        room = max(1, width - cell_len(block.mark))
        mark = block.mark if room > 1 else ""
        for number, line in enumerate(_drawn(block).wrap(room)):
            lines.append(Content.assemble(" " * cell_len(mark) if number else mark, line))
        before = block
    return lines


def _drawn(block: Block) -> Content:
    if block.heading:
        return Content.styled(block.plain, "bold")
    # Every second piece stood between two stars each.
    pieces = BOLD.split(block.text)
    return Content.assemble(*((piece, "bold" if n % 2 else "") for n, piece in enumerate(pieces)))
