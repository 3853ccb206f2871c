"""The rating application: an access code, then a rater's whole way, one page or item at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from annotate.flow import RatingFlow
from annotate.screens.page import PageScreen
from annotate.screens.rate import RateScreen, Reported
from annotate.stages import Stages
from core.errors import WavelockError
from core.settings import Settings
from ui.opening import Entrance, OneStudy

if TYPE_CHECKING:  # the first screen is painted before what reads a study is loaded
    from pathlib import Path

    from db.file import StudyFile


class Rating(Entrance):
    """An application in which people rate."""

    study: StudyFile

    def faults(self) -> tuple[type[Exception], ...]:
        """Return what is told in a line."""
        from db.connection import DatabaseError  # noqa: PLC0415  (after the first painting)

        return WavelockError, DatabaseError

    def ask_rating_code(self) -> None:
        """Ask for an access code, and begin or go on with what it opens."""
        self.ask_code(RateScreen.HEADING, self._open_seat)

    def start_rating(self, stages: Stages) -> None:
        """Show the page or the item that is next."""
        self.flow = flow = RatingFlow(self, stages, left=self.left)
        flow.draw(flow.desk.state())

    def _open_seat(self, code: str, take_over: bool) -> None:
        self.start_rating(Stages.enter(self.study, code, take_over=take_over))

    @on(PageScreen.Turned)
    def _turned(self, event: PageScreen.Turned) -> None:
        if isinstance(self.flow, RatingFlow):
            self.flow.turn(event)

    @on(Reported)
    def _reported(self, event: Reported) -> None:
        if isinstance(self.flow, RatingFlow):
            self.flow.report(event)


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
