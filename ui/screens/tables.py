"""Tables in a pane that scrolls both ways. They may take a while; until then it says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.console import RenderableType
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from ui.text import visible
from ui.widgets.key_line import Hint, KeyLine
from ui.widgets.rule import Rule
from ui.widgets.top_line import TopLine

Draw = Callable[[int], RenderableType]


class TablesScreen(Screen[None]):
    """Shows what :meth:`show` is given, drawn anew for every width."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape,backspace", "leave", show=False),
        Binding("j", "scroll('down')", show=False),
        Binding("k", "scroll('up')", show=False),
    ]

    class Left(Message):
        """The reader has seen enough."""

    def __init__(self, heading: str, waiting: str) -> None:
        super().__init__()
        self._heading = heading
        self._waiting = waiting
        self._draw: Draw | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield TopLine(self._heading)
        yield Rule(id="above")
        with ScrollableContainer(classes="tables"):
            yield Static(self._waiting, markup=False)
        with Vertical(id="foot"):
            yield Rule()
            yield KeyLine(Hint("↑↓ PgUp PgDn", "scroll", 1), Hint("q", "back", 0))

    def show(self, draw: Draw) -> None:
        """Show tables; `draw` returns them for a width."""
        self._draw = draw
        self._redraw()

    def fail(self, why: str) -> None:
        """Say why there is nothing to show."""
        self.query_one(Static).update(visible(why))

    def on_resize(self, event: events.Resize) -> None:
        """Draw anew for the new width."""
        self._redraw()

    def _redraw(self) -> None:
        width = self.size.width - 4
        if self._draw and width > 0:
            self.query_one(Static).update(self._draw(width))

    def action_scroll(self, way: str) -> None:
        """Scroll by a line."""
        pane = self.query_one(ScrollableContainer)
        pane.scroll_relative(y=1 if way == "down" else -1, animate=False)

    def action_leave(self) -> None:
        """Go back."""
        self.post_message(self.Left())
