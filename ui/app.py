"""What every Wavelock application shares: its look, Ctrl-C, and the way through a list."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen

from core.settings import Settings
from ui.facts import Answered, Asked, Looked, Noted
from ui.guard import KeyGuard
from ui.keys import Keys
from ui.screens.done import DoneScreen
from ui.straight import straight_driver
from ui.theme import DARK, LIGHT, THEMES, preferred

if TYPE_CHECKING:  # the first screen is painted before what leads through a list is loaded
    from ui.flow import Flow

INTERRUPTED = 130
SIGN = 30.0  # seconds between two signs that somebody is there


class WavelockApp(App[int]):
    """Base of the rating, audit and home applications.

    Attributes
    ----------
    flow
        The list that somebody is working on.
    guard
        Keeps a key that is held down on one screen from doing something on the next.
    """

    TITLE = "Wavelock"
    CSS_PATH = Path(__file__).with_name("theme.tcss")
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012  (Textual's type)
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (14, "-short"), (20, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+t", "other_theme", show=False, priority=True),
    ]

    def __init__(self, settings: Settings | None = None) -> None:
        # Under NO_COLOR nothing but the terminal's own two colours is sent, whatever the theme.
        super().__init__(ansi_color="NO_COLOR" in os.environ or None)
        self.settings = settings or Settings()
        self.own_keys = Keys(self.settings)
        self.flow: Flow[Any] | None = None
        self.guard = KeyGuard()
        self._ground = 1  # screens that stay below the one that is worked on
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = preferred(os.environ, self.settings.theme)

    def get_driver_class(self) -> type[Driver]:
        """Return the driver for this terminal, kept straight."""
        return straight_driver(super().get_driver_class())

    def run_to_end(self) -> None:
        """Run until the person leaves.

        Raises
        ------
        KeyboardInterrupt
            When they left with Ctrl-C, as any command would.
        SystemExit
            When the application failed; its traceback is on the terminal.
        """
        self.run()
        if self.return_code == INTERRUPTED:
            raise KeyboardInterrupt
        if self.return_code:
            sys.exit(self.return_code)

    def on_mount(self) -> None:
        """Show the first screen."""
        self.set_interval(SIGN, self._alive)
        self.begin()

    def _alive(self) -> None:
        if self.flow:
            self.flow.desk.alive()

    def end_sitting(self) -> None:
        """Let go of the list that somebody worked on, so that it can be opened elsewhere."""
        if self.flow:
            self.flow.desk.leave()
        self.flow = None

    def begin(self) -> None:
        """Show the first screen; each application has its own."""

    def left(self) -> None:
        """Go on after somebody has left a list; each application in its own way."""
        self.exit(0)

    def go_to(self, screen: Screen[Any]) -> None:
        """Show a screen in place of the one that is worked on."""
        if len(self.screen_stack) > self._ground:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    async def on_event(self, event: events.Event) -> None:
        """Tell activity from mere waiting, then handle the event."""
        if self.flow:
            if isinstance(event, events.InputEvent) and not event.is_forwarded:
                self.flow.desk.time.touch()
            elif isinstance(event, events.AppBlur):
                self.flow.desk.time.away()
        await super().on_event(event)

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        if flow := self.flow:
            flow.change(event.number, lambda: flow.desk.answer(event.question, event.value))

    @on(Noted)
    def _noted(self, event: Noted) -> None:
        if flow := self.flow:
            flow.change(event.number, lambda: flow.desk.note(event.text))

    @on(Looked)
    def _looked(self, event: Looked) -> None:
        if flow := self.flow:
            flow.change(event.number, flow.desk.look)

    @on(Asked)
    def _asked(self, event: Asked) -> None:
        if self.flow:
            self.flow.ask(event.wish)

    @on(DoneScreen.Answered, "DoneScreen")
    def _done(self, event: DoneScreen.Answered) -> None:
        if self.flow and event.way == "back":
            self.flow.ask("back")
        elif event.way == "leave":
            self.left()

    def action_interrupt(self) -> None:
        """Leave at once; everything acknowledged is on disk."""
        self.exit(INTERRUPTED, return_code=INTERRUPTED)

    def action_other_theme(self) -> None:
        """Change between dark and light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name
