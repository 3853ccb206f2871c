"""Asks for the access code. A wrong one is told in one line, and the screen stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static

from ui.widgets.key_line import Hint, KeyLine
from ui.widgets.message_line import MessageLine
from ui.widgets.rule import Rule
from ui.widgets.top_line import TopLine


class CodeField(Input):
    """A field that is submitted as it stood when Enter was pressed, whatever is typed right after.

    Textual would hear of Enter last, when keys from the same burst are in the field already.
    """

    async def on_key(self, event: events.Key) -> None:
        """Submit at once."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            await self.action_submit()


class CodeScreen(Screen[None]):
    """One field. Codes may contain any letter, so leaving takes Escape, or q and Enter.

    Attributes
    ----------
    enter
        Opens what a code opens; told as well whether to take over what is open elsewhere.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    class Entered(Message):
        """A code was typed and confirmed."""

        def __init__(self, screen: CodeScreen, code: str) -> None:
            super().__init__()
            self.screen = screen
            self.code = code

        @property
        def control(self) -> CodeScreen:
            """The screen it was typed into."""
            return self.screen

    class Left(Message):
        """The person wants to leave without a code."""

        def __init__(self, screen: CodeScreen) -> None:
            super().__init__()
            self.screen = screen

        @property
        def control(self) -> CodeScreen:
            """The screen that is left."""
            return self.screen

    def __init__(self, heading: str, enter: Callable[[str, bool], None]) -> None:
        super().__init__()
        self.enter = enter
        self._heading = heading
        self._entered = False  # a code was given, and it was not refused

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield TopLine(self._heading)
        yield Rule(id="above")
        with Vertical(classes="page"):
            yield Static("Your access code", classes="title", markup=False)
            yield CodeField(placeholder="XXXX-XXXXXXXX", select_on_focus=False, compact=True)
            yield MessageLine()
        with Vertical(id="foot"):
            yield Rule()
            yield KeyLine(Hint("Enter", "open", 0), Hint("Esc", "leave", 1))

    def refuse(self, why: str) -> None:
        """Say in one line why a code does not open anything, and let it be typed again."""
        self.query_one(MessageLine).say(why, failed=True)
        self._entered = False
        field = self.query_one(Input)
        field.clear()
        field.focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        code = event.value.strip()
        if code.lower() == "q":
            self.action_leave()
        elif code and not self._entered:
            self._entered = True
            self.post_message(self.Entered(self, code))

    def action_leave(self) -> None:
        """Leave without a code."""
        self.post_message(self.Left(self))
