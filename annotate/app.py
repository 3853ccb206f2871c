"""The rating application: an access code, then one item at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from annotate.desk import RatingDesk
from annotate.screens.rate import RateScreen
from annotate.sitting import RatingSitting, RatingView
from core.errors import SeatInUse, WavelockError
from core.settings import Settings
from ui.app import WavelockApp
from ui.flow import Flow
from ui.opening import OneStudy
from ui.saving import reason
from ui.screens.code import CodeScreen
from ui.screens.confirm import take_over_question
from ui.screens.done import DoneScreen

if TYPE_CHECKING:
    from pathlib import Path

    from db.file import StudyFile

CODE = "rating-code"


class Rating(WavelockApp):
    """An application in which people rate."""

    study: StudyFile

    def open(self) -> None:
        """See that the study is open."""

    def ask_rating_code(self) -> None:
        """Ask for an access code, and go on to the items when it opens a seat."""
        self.go_to(CodeScreen("Wavelock", id=CODE))

    def start_rating(self, sitting: RatingSitting) -> None:
        """Show the items of a sitting, from the first without an answer."""
        desk = RatingDesk(sitting, advance=self.settings.auto_advance)
        self.flow = flow = Flow(self, desk, item=RateScreen, done=_done, left=self.left)
        flow.draw(desk.state())

    @on(CodeScreen.Entered, f"#{CODE}")
    def _rating_code_entered(self, event: CodeScreen.Entered) -> None:
        self._enter_rating(event.screen, event.code)

    def _enter_rating(self, screen: CodeScreen, code: str, *, take_over: bool = False) -> None:
        from db.connection import DatabaseError  # noqa: PLC0415  (after the first painting)

        try:
            self.open()
            sitting = RatingSitting.enter(self.study, code, take_over=take_over)
        except SeatInUse as error:
            screen.refuse(reason(error))
            self.push_screen(
                take_over_question(),
                lambda sure: self._enter_rating(screen, code, take_over=True) if sure else None,
            )
        except (WavelockError, DatabaseError) as error:
            screen.refuse(reason(error))
        else:
            self.start_rating(sitting)

    @on(CodeScreen.Left, f"#{CODE}")
    def _rating_code_left(self) -> None:
        self.left()


def _done(view: RatingView) -> DoneScreen:
    told = f"All {view.total} items are rated, and every answer is saved."
    return DoneScreen("Wavelock", told, "item", view.total)


class RateApp(OneStudy, Rating):
    """Rating alone, on one study file.

    Raises
    ------
    NotAStudy
        When the file is none; before anything is drawn.
    """

    def begin(self) -> None:
        """Ask for the access code; the study is opened while it is typed."""
        self.ask_rating_code()
        self.open_soon()

    def open(self) -> None:
        """Open the study, unless it is open."""
        if not hasattr(self, "study"):
            from db.file import open_study  # noqa: PLC0415  (after the first painting)

            self.study = open_study(self.path)

    def on_unmount(self) -> None:
        """Close the study file."""
        if hasattr(self, "study"):
            self.end_sitting()
            self.study.close()


def run(path: Path, settings: Settings) -> None:
    """Run the rating application; see :meth:`ui.app.WavelockApp.run_to_end`."""
    RateApp(path, settings).run_to_end()
