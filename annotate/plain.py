"""``wavelock rate --plain``: rating by typed lines."""

from __future__ import annotations

from pathlib import Path

from annotate.desk import RatingDesk
from annotate.sitting import RatingSitting, RatingView
from core.errors import WavelockError
from core.forms import Form
from core.settings import Settings
from db.connection import DatabaseError
from db.file import open_study
from ui.keys import Keys
from ui.lines import LineTerminal
from ui.plain import Talk
from ui.text import visible


class RatingTalk(Talk[RatingView]):
    """Reads a blind item out and takes the rater's answers."""

    def form(self, view: RatingView) -> Form:
        """Return the questions of the round."""
        return view.form

    def options(self, view: RatingView) -> tuple[str, ...]:
        """Return the option labels in the shown order."""
        return view.item.options

    def note(self, view: RatingView) -> str:
        """Return the comment so far."""
        return view.comment

    def read(self, view: RatingView) -> list[str]:
        """Return the text of the item."""
        return [visible(view.item.text)]

    def thanks(self, view: RatingView) -> str:
        """Return what is said at the end."""
        return f"Thank you. All {view.total} items are rated, and every answer is saved."


def run(path: Path, settings: Settings) -> None:
    """Ask for the access code, and rate until the end, a stop, or the end of the input."""
    with open_study(path) as study:
        lines = LineTerminal()
        sitting = lines.admit(
            lambda code, take_over: RatingSitting.enter(study, code, take_over=take_over),
            WavelockError,
            DatabaseError,
        )
        if sitting:
            desk = RatingDesk(sitting, advance=settings.auto_advance)
            try:
                lines.talk(RatingTalk(desk, Keys(settings)))
            finally:
                desk.leave()
