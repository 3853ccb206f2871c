"""``wavelock audit --plain``: auditing pairs by typed lines."""

from __future__ import annotations

from pathlib import Path

from audit.desk import AuditDesk
from audit.differences import differing, told_without_marks
from audit.sitting import AuditSitting, AuditView
from audit.verdict import FORM
from audit.wording import paragraphs
from core.errors import WavelockError
from core.forms import Form
from core.settings import Settings
from db.connection import DatabaseError
from db.file import open_study
from ui.keys import SHIPPED, Keys
from ui.lines import LineTerminal
from ui.plain import Talk
from ui.text import visible


class AuditTalk(Talk[AuditView]):
    """Reads a blind pair out, one text after the other, and takes the verdict."""

    NOUN = "pair"
    WRITTEN = "note"

    def __init__(self, desk: AuditDesk, keys: Keys = SHIPPED) -> None:
        super().__init__(desk, keys)
        self._commands["differences"] = lambda _: self._differences()
        self._commands["instructions"] = lambda _: self._instructions()

    def begin(self) -> list[str]:
        """Return the first lines; who has given no verdict yet hears first what to do."""
        first = self.desk.view.instructions and not self.desk.view.done
        return [*(self._instructions() if first else []), *super().begin()]

    def form(self, view: AuditView) -> Form:
        """Return the one question, and room for a note."""
        return FORM

    def options(self, view: AuditView) -> tuple[str, ...]:
        """Return none: auditors are not asked for an answer to the item."""
        return ()

    def note(self, view: AuditView) -> str:
        """Return nothing: the note is one of the questions."""
        return ""

    def read(self, view: AuditView) -> list[str]:
        """Return both texts, each under its name."""
        return [
            "First text:",
            visible(view.pair.left),
            "",
            "Second text:",
            visible(view.pair.right),
        ]

    def thanks(self, view: AuditView) -> str:
        """Return what is said at the end."""
        return f"Thank you. All {view.total} pairs are audited, and every verdict is saved."

    def keys(self) -> list[str]:
        """Add the commands for the differences and the instructions."""
        return [
            *super().keys(),
            "differences: the words in which the texts differ",
            "instructions: what to do, once more",
        ]

    def _instructions(self) -> list[str]:
        text = visible(self.desk.view.instructions)
        return [*paragraphs(text), ""] if text else ["This round has no instructions."]

    def _differences(self) -> list[str]:
        left, right = visible(self.desk.view.pair.left), visible(self.desk.view.pair.right)
        self.desk.look()
        if told := told_without_marks(left, right):
            return [told]
        return [
            f"Only in the {name} text: {'; '.join(s.text for s in side if s.differs) or 'nothing'}"
            for name, side in zip(("first", "second"), differing(left, right), strict=True)
        ]


def run(path: Path, settings: Settings) -> None:
    """Ask for the access code, and audit until the end, a stop, or the end of the input."""
    with open_study(path) as study:
        lines = LineTerminal()
        sitting = lines.admit(
            lambda code, take_over: AuditSitting.enter(study, code, take_over=take_over),
            WavelockError,
            DatabaseError,
        )
        if sitting:
            desk = AuditDesk(sitting, advance=settings.auto_advance)
            try:
                lines.talk(AuditTalk(desk, Keys(settings)))
            finally:
                desk.leave()
