"""Two texts: side by side where there is room for both, else one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from audit.differences import Segment, differing
from ui.text import visible
from ui.widgets.reading_pane import ReadingPane

BETWEEN = " │ "
NARROWEST = 28  # cells of a column that can still be read
MARK = "bold underline $accent"
SECOND = " second text ───"


class PairPane(ReadingPane):
    """Shows a pair and, when asked, the words in which it differs."""

    STEADY = 10

    def __init__(self) -> None:
        super().__init__()
        self._pair = ("", "")
        self._marked = False

    def show_pair(self, left: str, right: str) -> None:
        """Show two texts from their beginning, without marks."""
        self._pair, self._marked = (visible(left), visible(right)), False
        self.show("")

    def mark(self, *, marked: bool) -> None:
        """Mark the differing words, or take the marks away.

        The place is kept, unless no mark is in sight: then the first one comes into it.
        """
        self._marked = marked
        self.rewrap()
        height = self.content_size.height
        places = [place for place, line in enumerate(self._lines) if _has_mark(line)]
        if places and not any(self._top <= place < self._top + height for place in places):
            self.scroll_lines(places[0] - height // 3 - self._top)

    def lines(self, width: int, height: int) -> list[Content]:
        """Set the pair in columns when it fits, else stack it."""
        left, right = (_drawn(side) for side in self._sides())
        column = (width - len(BETWEEN)) // 2
        air = [Content("")] if height >= self.STEADY else []
        if column >= NARROWEST:
            pair = [[*air, *side.wrap(column), *air] for side in (left, right)]
            if max(map(len, pair)) <= height:
                return _beside(pair[0], pair[1], column, min(height, self.STEADY))
        return [*air, *left.wrap(width), _between(width), *right.wrap(width)]

    def _sides(self) -> Sequence[Sequence[Segment]]:
        if self._marked:
            return differing(*self._pair)
        return tuple((Segment(text, differs=False),) for text in self._pair)


def _drawn(segments: Sequence[Segment]) -> Content:
    """Return one text; differing words stand in brackets, bold and underlined."""
    pieces: list[str | tuple[str, str]] = []
    for segment in segments:
        if segment.differs:
            pieces.append((f"[{segment.text}]", MARK))
        else:
            pieces.append(segment.text)
    return Content.assemble(*pieces)


def _beside(left: list[Content], right: list[Content], column: int, least: int) -> list[Content]:
    count = max(len(left), len(right), least)
    blank = Content("")
    lines = []
    for at in range(count):
        first = left[at] if at < len(left) else blank
        second = right[at] if at < len(right) else blank
        pad = " " * (column - first.cell_length)
        lines.append(Content.assemble(first, pad, (BETWEEN, "$line"), second))
    return lines


def _between(width: int) -> Content:
    line = "─" * max(0, width - len(SECOND))
    return Content.assemble((line, "$line"), (SECOND[-width:], "$quiet" if line else "$line"))


def _has_mark(line: Content) -> bool:
    return any(span.style == MARK for span in line.spans)
