"""A rater's way on the screen: pages beside the items, and the items themselves.

What comes next the stages say; this draws it, and takes back what was done about it. What is stored
beside the items is tried in short pieces while the file is busy, as ratings are.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from textual.screen import ModalScreen, Screen
from textual.timer import Timer

from annotate.desk import RatingDesk
from annotate.items import StagedItems
from annotate.pages import page_of
from annotate.screens.page import PageScreen
from annotate.screens.rate import RateScreen, Reported
from annotate.sitting import RatingView
from annotate.stages import Stages
from core.errors import Busy
from ui.app import WavelockApp
from ui.flow import PAUSE, Flow
from ui.saving import reason
from ui.state import State

Tell = Callable[[str, bool], None]  # a line for the person, and whether something failed


class RatingFlow(Flow[RatingView]):
    """One rater at work, from the consent text to the completion code."""

    def __init__(self, app: WavelockApp, stages: Stages, *, left: Callable[[], None]) -> None:
        stages.wait = RatingDesk.WAIT
        desk = RatingDesk(StagedItems(stages), advance=app.settings.auto_advance)
        super().__init__(app, desk, item=RateScreen, left=left)
        self._stages = stages
        self._trying: Timer | None = None

    def aside(self, state: State[RatingView]) -> Screen[None] | None:
        """Return the page that stands before the item, when one does."""
        view = self._stages.view()
        if isinstance(view, RatingView):
            if self._screen is None:
                self.desk.time.take()  # reading a page is not working on an item
            return None
        return PageScreen(page_of(view), self._app.own_keys, self._app.guard)

    def turn(self, event: PageScreen.Turned) -> None:
        """Go the way that a page's reader goes."""
        match event.way:
            case "leave":
                self.ask("stop")
            case "back":
                self._try(self.desk.back, self._go_on, event.screen.tell)
            case "on":
                self._try(self._stages.forward, self._go_on, event.screen.tell)
            case "answer":
                act = partial(self._stages.answer, event.answer)
                self._try(act, self._go_on, event.screen.tell)

    def report(self, event: Reported) -> None:
        """Store what is wrong with the item on the screen."""
        if event.number == self.desk.view.number:
            act = partial(self._stages.report, event.text)
            self._try(act, event.rating.reported, event.rating.tell)

    def _go_on(self) -> None:
        self.draw(self.desk.state())

    def _try(
        self,
        act: Callable[[], object],
        done: Callable[[], None],
        tell: Tell,
        since: float | None = None,
    ) -> None:
        """Do something that writes; while the file is busy, again and again in short pieces."""
        self._trying = None
        since = time.monotonic() if since is None else since
        again = partial(self._try, act, done, tell, since)
        if isinstance(self._app.screen, ModalScreen):
            self._trying = self._app.set_timer(PAUSE, again)
            return
        try:
            act()
        except Exception as error:  # noqa: BLE001  (not saved is not saved, whatever the reason)
            if isinstance(error, Busy) and time.monotonic() - since < self.desk.PATIENCE:
                self._trying = self._app.set_timer(PAUSE, again)
                tell("", False)
            else:
                tell(f"Not saved: {reason(error)}", True)
        else:
            done()

    def _leave(self) -> None:
        """Leave; what was given up is not stored after all when the file is free again."""
        if self._trying:
            self._trying.stop()
        super()._leave()
