"""The audit application: an access code, then one pair at a time.

The code is asked for before what follows it is loaded, so that nobody waits for the first screen;
hence the imports in methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import WavelockError
from core.settings import Settings
from ui.headings import AUDIT
from ui.opening import Entrance, OneStudy

if TYPE_CHECKING:
    from pathlib import Path

    from audit.sitting import AuditSitting
    from db.file import StudyFile


class Auditing(Entrance):
    """An application in which people audit pairs."""

    study: StudyFile

    def faults(self) -> tuple[type[Exception], ...]:
        """Return what is told in a line."""
        from db.connection import DatabaseError  # noqa: PLC0415  (after the first painting)

        return WavelockError, DatabaseError

    def load_screens(self) -> None:
        """Load what an auditor comes to."""
        import audit.flow  # noqa: F401, PLC0415  (after the first painting)

        super().load_screens()

    def ask_audit_code(self) -> None:
        """Ask for an access code, and go on to the pairs when it opens a seat."""
        self.ask_code(AUDIT, self._open_list)

    def start_audit(self, sitting: AuditSitting) -> None:
        """Show the pairs of a sitting, from the first without a verdict."""
        from audit.flow import AuditFlow  # noqa: PLC0415  (after the first painting)

        self.flow = flow = AuditFlow(self, sitting, left=self.left)
        flow.draw(flow.desk.state())

    def _open_list(self, code: str, take_over: bool) -> None:
        from audit.sitting import AuditSitting  # noqa: PLC0415  (after the first painting)

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
