"""One person's way through a list: from the first open item to the end, or to a stop on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.screen import ModalScreen, Screen
from textual.timer import Timer

from ui.desk import Desk
from ui.screens.confirm import ConfirmScreen
from ui.screens.item import ItemScreen
from ui.state import Shown, State

if TYPE_CHECKING:
    from ui.app import WavelockApp

V = TypeVar("V", bound=Shown)
PAUSE = 0.05  # seconds between two attempts to save into a busy file


class Flow(ABC, Generic[V]):
    """Takes facts to a desk and draws the states that come back.

    Parameters
    ----------
    item
        The screen for an item.
    left
        Called when the person has left.
    """

    def __init__(
        self,
        app: WavelockApp,
        desk: Desk[V],
        *,
        item: type[ItemScreen[V]],
        left: Callable[[], None],
    ) -> None:
        self.desk = desk
        self._app = app
        self._item, self._left = item, left
        self._noun = item.NOUN
        self._screen: ItemScreen[V] | None = None
        self._retry: Timer | None = None

    @abstractmethod
    def aside(self, state: State[V]) -> Screen[None] | None:
        """Return the screen that stands in place of the item: the end, or a page before it."""

    def draw(self, state: State[V]) -> None:
        """Draw a state on the screen that fits it."""
        if page := self.aside(state):
            self._screen = None
            self._app.go_to(page)
        elif self._screen is None:
            self._screen = self._item(state, self._app.own_keys, self._app.guard)
            self._app.go_to(self._screen)
        else:
            self._screen.show(state)

    def change(self, number: int, act: Callable[[], State[V]]) -> None:
        """Do something to the item with a number, and save it when it is complete.

        Saving waits until the answer is painted, so that a slow disk never hides it. What comes
        too late for its item is dropped.
        """
        self.draw(act() if number == self.desk.view.number else self.desk.state())
        self.save_soon()

    def save_soon(self) -> None:
        """Save what is ready, after the next painting."""
        if self.desk.ready:
            self._app.call_after_refresh(self._save)

    def ask(self, wish: str) -> None:
        """Do what the person wants."""
        match wish:
            case "on":
                self.draw(self.desk.forward())
            case "back":
                self.draw(self.desk.back())
            case "again":
                self.save_soon()
            case "undo":
                self.draw(self.desk.undo())
                self.save_soon()
            case "stop":
                self._stop()

    def _save(self) -> None:
        """Save; while the file is busy, try again and again, and let the screen live in between."""
        if self.desk.ready and not isinstance(self._app.screen, ModalScreen):
            self.draw(self.desk.save())
        if self._retry is None and self.desk.ready and not self.desk.state().failure:
            self._retry = self._app.set_timer(PAUSE, self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        self._save()

    def _stop(self) -> None:
        """Leave; ask first when something is not on disk."""
        self.desk.save()
        if not self.desk.unsaved:
            self._leave()
            return
        numbers = ", ".join(str(number) for number in self.desk.unsaved)
        self.draw(self.desk.state())
        self._app.push_screen(
            ConfirmScreen(
                "Stop here?",
                f"What you did on {self._noun} {numbers} is not saved, and will be lost.",
                yes="stop anyway",
                no="stay",
            ),
            self._stop_confirmed,
        )

    def _stop_confirmed(self, sure: bool | None) -> None:
        if sure:
            self._leave()

    def _leave(self) -> None:
        """Leave; what was given up is not saved after all when the file is free again."""
        if self._retry:
            self._retry.stop()
        self._left()
