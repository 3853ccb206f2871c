"""The audit application: an access code, then one pair at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen

from audit.desk import AuditDesk
from audit.screens.audit import AuditScreen
from audit.sitting import AuditSitting, AuditView
from core.errors import WavelockError
from core.settings import Settings
from ui.flow import Flow
from ui.opening import Entrance, OneStudy
from ui.screens.done import DoneScreen
from ui.state import State

if TYPE_CHECKING:  # the first screen is painted before what reads a study is loaded
    from pathlib import Path

    from db.file import StudyFile


class AuditFlow(Flow[AuditView]):
    """One auditor at work: pairs, and thanks after the last."""

    def aside(self, state: State[AuditView]) -> Screen[None] | None:
        """Return the thanks when all pairs have been gone through."""
        if not state.over:
            return None
        told = f"All {state.view.total} pairs are audited, and every verdict is saved."
        return DoneScreen(AuditScreen.HEADING, told, AuditScreen.NOUN, state.view.total)


class Auditing(Entrance):
    """An application in which people audit pairs."""

    study: StudyFile

    def faults(self) -> tuple[type[Exception], ...]:
        """Return what is told in a line."""
        from db.connection import DatabaseError  # noqa: PLC0415  (after the first painting)

        return WavelockError, DatabaseError

    def ask_audit_code(self) -> None:
        """Ask for an access code, and go on to the pairs when it opens a seat."""
        self.ask_code(AuditScreen.HEADING, self._open_list)

    def start_audit(self, sitting: AuditSitting) -> None:
        """Show the pairs of a sitting, from the first without a verdict."""
        desk = AuditDesk(sitting, advance=self.settings.auto_advance)
        self.flow = flow = AuditFlow(self, desk, item=AuditScreen, left=self.left)
        flow.draw(desk.state())

    def _open_list(self, code: str, take_over: bool) -> None:
        self.start_audit(AuditSitting.enter(self.study, code, take_over=take_over))


class AuditApp(OneStudy, Auditing):
    """Auditing alone, on one study file.

    Raises
    ------
    NotAStudy
        When the file is none; before anything is drawn.
    """

    def ask(self) -> None:
        """Ask for the access code."""
        self.ask_audit_code()

    def load(self) -> StudyFile:
        """Load what reads a study, and open it."""
        from db.file import open_study  # noqa: PLC0415  (after the first painting)

        return open_study(self.path)


def run(path: Path, settings: Settings) -> None:
    """Run the audit application; see :meth:`ui.app.WavelockApp.run_to_end`."""
    AuditApp(path, settings).run_to_end()
