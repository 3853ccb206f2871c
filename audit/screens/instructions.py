"""What auditors are to do: a page over the pair, at first by itself and then on a key."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from ui.widgets.key_line import Hint, KeyLine
from ui.widgets.reading_pane import ReadingPane
from ui.widgets.rule import Rule
from ui.widgets.top_line import TopLine

DOT = "· "


class InstructionsPane(ReadingPane):
    """Shows headings, paragraphs, and lists whose lines stand under each other."""

    def __init__(self, paragraphs: tuple[str, ...]) -> None:
        super().__init__()
        self._paragraphs = paragraphs

    def lines(self, width: int, height: int) -> list[Content]:
        """Set one paragraph after the other, with air between those that are no list."""
        found: list[Content] = []
        for place, text in enumerate(self._paragraphs):
            entry = text.startswith(DOT)
            if not place:
                found += Content.styled(text, "bold").wrap(width)
                continue
            if not (entry and self._paragraphs[place - 1].startswith(DOT)):
                found.append(Content(""))
            found += _entry(text, width) if entry else Content(text).wrap(width)
        return found


def _entry(text: str, width: int) -> list[Content]:
    wrapped = Content(text.removeprefix(DOT)).wrap(max(1, width - len(DOT)))
    return [
        Content.assemble(" " * len(DOT) if place else DOT, line)
        for place, line in enumerate(wrapped)
    ]


class InstructionsScreen(ModalScreen[None]):
    """Covers the pair until it is read; no key gives a verdict here."""

    CSS = "InstructionsScreen { align: left top; background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,escape", "close", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(self, heading: str, paragraphs: tuple[str, ...]) -> None:
        super().__init__()
        self._heading = heading
        self._paragraphs = paragraphs

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield TopLine(self._heading)
        yield Rule(id="above")
        yield InstructionsPane(self._paragraphs)
        yield Rule(id="below")
        with Vertical(id="foot"):
            yield Rule()
            yield KeyLine(Hint("↑↓ PgUp PgDn", "scroll", 1), Hint("Enter", "go on", 0))

    def on_mount(self) -> None:
        """Set the text once its width is known."""
        self.query_one(ReadingPane).rewrap()

    @on(ReadingPane.Scrolled)
    def _scrolled(self, event: ReadingPane.Scrolled) -> None:
        event.stop()
        self.query_one("#above", Rule).say(_more(event.above, "above"))
        self.query_one("#below", Rule).say(_more(event.below, "more · PgDn"))

    def action_scroll(self, count: int) -> None:
        """Scroll by lines."""
        self.query_one(ReadingPane).scroll_lines(count)

    def action_page(self, count: int) -> None:
        """Scroll by screens."""
        self.query_one(ReadingPane).scroll_pages(count)

    def action_close(self) -> None:
        """Go to the pair."""
        self.dismiss()


def _more(count: int, where: str) -> str:
    return f"{count} line{'s' if count > 1 else ''} {where}" if count else ""
