"""The audit application: an access code, then one pair at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from audit.desk import AuditDesk
from audit.screens.audit import AuditScreen
from audit.sitting import AuditSitting, AuditView
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

CODE = "audit-code"


class Auditing(WavelockApp):
    """An application in which people audit pairs."""

    study: StudyFile

    def open(self) -> None:
        """See that the study is open."""

    def ask_audit_code(self) -> None:
        """Ask for an access code, and go on to the pairs when it opens a seat."""
        self.go_to(CodeScreen(AuditScreen.HEADING, id=CODE))

    def start_audit(self, sitting: AuditSitting) -> None:
        """Show the pairs of a sitting, from the first without a verdict."""
        desk = AuditDesk(sitting, advance=self.settings.auto_advance)
        self.flow = flow = Flow(self, desk, item=AuditScreen, done=_done, left=self.left)
        flow.draw(desk.state())

    @on(CodeScreen.Entered, f"#{CODE}")
    def _audit_code_entered(self, event: CodeScreen.Entered) -> None:
        self._enter_audit(event.screen, event.code)

    def _enter_audit(self, screen: CodeScreen, code: str, *, take_over: bool = False) -> None:
        from db.connection import DatabaseError  # noqa: PLC0415  (after the first painting)

        try:
            self.open()
            sitting = AuditSitting.enter(self.study, code, take_over=take_over)
        except SeatInUse as error:
            screen.refuse(reason(error))
            self.push_screen(
                take_over_question(),
                lambda sure: self._enter_audit(screen, code, take_over=True) if sure else None,
            )
        except (WavelockError, DatabaseError) as error:
            screen.refuse(reason(error))
        else:
            self.start_audit(sitting)

    @on(CodeScreen.Left, f"#{CODE}")
    def _audit_code_left(self) -> None:
        self.left()


def _done(view: AuditView) -> DoneScreen:
    told = f"All {view.total} pairs are audited, and every verdict is saved."
    return DoneScreen(AuditScreen.HEADING, told, "pair", view.total)


class AuditApp(OneStudy, Auditing):
    """Auditing alone, on one study file.

    Raises
    ------
    NotAStudy
        When the file is none; before anything is drawn.
    """

    def begin(self) -> None:
        """Ask for the access code; the study is opened while it is typed."""
        self.ask_audit_code()
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
    """Run the audit application; see :meth:`ui.app.WavelockApp.run_to_end`."""
    AuditApp(path, settings).run_to_end()
