"""A menu: letters or arrows and Enter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from ui.text import visible
from ui.widgets.key_line import Hint, KeyLine
from ui.widgets.message_line import MessageLine
from ui.widgets.rule import Rule
from ui.widgets.top_line import TopLine


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a menu: its key, its name, and a few quiet words."""

    key: str
    name: str
    about: str = ""


class MenuList(Widget):
    """The entries, one of them in focus."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self.entries = tuple(entries)
        self.place = 0

    def offer(self, entries: Sequence[Entry]) -> None:
        """Show other entries; the focus stays on the same key where it can."""
        key = self.entries[self.place].key
        self.entries = tuple(entries)
        keys = [entry.key for entry in entries]
        self.place = keys.index(key) if key in keys else 0
        self.refresh(layout=True)

    def move(self, count: int) -> None:
        """Move the focus."""
        self.place = (self.place + count) % len(self.entries)
        self.refresh()

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Take one line per entry."""
        return len(self.entries)

    def render(self) -> Content:
        """Draw the entries."""
        room = max(cell_len(entry.name) for entry in self.entries) + 4
        return Content("\n").join([self._draw(*pair, room) for pair in enumerate(self.entries)])

    def _draw(self, place: int, entry: Entry, room: int) -> Content:
        here = place == self.place
        name = entry.name + " " * (room - cell_len(entry.name))
        about = entry.about[: max(0, self.size.width - room - 7)]
        return Content.assemble(
            (" ▸ " if here else "   ", "bold $accent"),
            (entry.key, "bold $accent"),
            ("  " + name, "bold $item" if here else "$foreground"),
            (about, "$quiet"),
        )

    def on_click(self, event: events.Click) -> None:
        """Choose with the mouse."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y < len(self.entries):
            self.place = offset.y
            self.refresh()
            self.screen.post_message(MenuScreen.Chosen(self.entries[offset.y].key))


class MenuScreen(Screen[None]):
    """What can be done here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("enter,space,right", "choose", show=False),
    ]

    class Chosen(Message):
        """An entry was chosen, by its key."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, heading: str, title: str, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._heading = heading
        self._title = visible(title)
        self._entries = entries

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield TopLine(self._heading)
        yield Rule(id="above")
        with Vertical(classes="page"):
            yield Static(self._title, classes="title", markup=False)
            yield MenuList(self._entries)
        yield MessageLine()
        with Vertical(id="foot"):
            yield Rule()
            yield KeyLine(Hint("↑↓", "move"), Hint("Enter", "choose", 0), Hint("q", "quit", 0))

    def offer(self, entries: Sequence[Entry]) -> None:
        """Show other entries."""
        self.query_one(MenuList).offer(entries)

    def say(self, text: str, *, failed: bool = False) -> None:
        """Show a line under the menu."""
        self.query_one(MessageLine).say(text, failed=failed)

    def on_key(self, event: events.Key) -> None:
        """Choose by letter."""
        if event.character in {entry.key for entry in self.query_one(MenuList).entries}:
            event.stop()
            self.post_message(self.Chosen(event.character or ""))

    def action_move(self, count: int) -> None:
        """Move the focus."""
        self.query_one(MenuList).move(count)

    def action_choose(self) -> None:
        """Choose the entry in focus."""
        entries = self.query_one(MenuList)
        self.post_message(self.Chosen(entries.entries[entries.place].key))
