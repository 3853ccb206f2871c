"""A page with something to know: an access code to keep, an error, the end of a list."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from ui.text import visible
from ui.widgets.key_line import Hint, KeyLine
from ui.widgets.rule import Rule
from ui.widgets.top_line import TopLine


class NoticeScreen(Screen[None]):
    """A title and some lines; what the keys mean is up to who shows it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "answer('on')", show=False),
        Binding("left", "answer('back')", show=False),
        Binding("q,escape", "answer('leave')", show=False),
    ]

    class Answered(Message):
        """The page was read: go ``on``, ``back``, or ``leave``."""

        def __init__(self, screen: NoticeScreen, way: str) -> None:
            super().__init__()
            self.screen = screen
            self.way = way

        @property
        def control(self) -> NoticeScreen:
            """The page that was read."""
            return self.screen

    def __init__(
        self,
        heading: str,
        title: str,
        lines: tuple[str | Content, ...],
        *hints: Hint,
        id: str | None = None,  # noqa: A002  (Textual's name)
        progress: tuple[int, int] | None = None,
        mark: str = "",
    ) -> None:
        super().__init__(id=id)
        self._heading, self._title = heading, title
        self._lines = lines
        self._hints = hints
        self._progress = progress
        self._mark = mark

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield TopLine(self._heading)
        yield Rule(id="above")
        with Vertical(classes="page"):
            yield Static(self._title, classes="title", markup=False)
            for line in self._lines:
                yield Static(line if isinstance(line, Content) else visible(line), markup=False)
        with Vertical(id="foot"):
            yield Rule()
            yield KeyLine(*self._hints)

    def on_mount(self) -> None:
        """Fill in what is known only when shown."""
        if self._progress:
            done, total = self._progress
            self.query_one(TopLine).show(done, done, total)
        self.query_one(KeyLine).mark(self._mark)

    def action_answer(self, way: str) -> None:
        """Say which way the reader wants to go."""
        self.post_message(self.Answered(self, way))
