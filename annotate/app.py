"""The rating application: an access code, then a rater's whole way, one page or item at a time.

The code is asked for before what follows it is loaded, so that nobody waits for the first screen.
Hence the imports in methods, and handlers that go by their names: ``@on`` would need the messages'
classes, and with them every screen, as soon as this module is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import WavelockError
from core.settings import Settings
from ui.headings import RATING
from ui.opening import Entrance, OneStudy

if TYPE_CHECKING:
    from pathlib import Path

    from annotate.flow import RatingFlow
    from annotate.screens.page import PageScreen
    from annotate.screens.rate import Reported
    from annotate.stages import Stages
    from db.file import StudyFile


class Rating(Entrance):
    """An application in which people rate."""

    study: StudyFile

    def faults(self) -> tuple[type[Exception], ...]:
        """Return what is told in a line."""
        from db.connection import DatabaseError  # noqa: PLC0415  (after the first painting)

        return WavelockError, DatabaseError

    def load_screens(self) -> None:
        """Load what a rater comes to."""
        import annotate.flow  # noqa: F401, PLC0415  (after the first painting)

        super().load_screens()

    def ask_rating_code(self) -> None:
        """Ask for an access code, and begin or go on with what it opens."""
        self.ask_code(RATING, self._open_seat)

    def start_rating(self, stages: Stages) -> None:
        """Show the page or the item that is next."""
        from annotate.flow import RatingFlow  # noqa: PLC0415  (after the first painting)

        self.flow = flow = RatingFlow(self, stages, left=self.left)
        flow.draw(flow.desk.state())

    def on_page_screen_turned(self, event: PageScreen.Turned) -> None:
        """Go the way that a page's reader goes."""
        if flow := self._rating():
            flow.turn(event)

    def on_reported(self, event: Reported) -> None:
        """Store what is wrong with an item."""
        if flow := self._rating():
            flow.report(event)

    def _open_seat(self, code: str, take_over: bool) -> None:
        from annotate.stages import Stages  # noqa: PLC0415  (after the first painting)

        self.start_rating(Stages.enter(self.study, code, take_over=take_over))

    def _rating(self) -> RatingFlow | None:
        from annotate.flow import RatingFlow  # noqa: PLC0415  (after the first painting)

        return self.flow if isinstance(self.flow, RatingFlow) else None


class RateApp(OneStudy, Rating):
    """Rating alone, on one study file.

    Raises
    ------
    NotAStudy
        When the file is none; before anything is drawn.
    """

    def ask(self) -> None:
        """Ask for the access code."""
        self.ask_rating_code()

    def load(self) -> StudyFile:
        """Load what reads a study, and open it."""
        from db.file import open_study  # noqa: PLC0415  (after the first painting)

        return open_study(self.path)


def run(path: Path, settings: Settings) -> None:
    """Run the rating application; see :meth:`ui.app.WavelockApp.run_to_end`."""
    RateApp(path, settings).run_to_end()
