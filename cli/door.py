"""The application behind ``wavelock enter``: asks for the code once, and opens what it is for."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from annotate.app import Rating
from annotate.serve.leash import leashed, note_failure
from audit.app import Auditing
from cli.enter import CLOSED
from core.errors import Unavailable, WavelockError
from ui.opening import OneStudy

if TYPE_CHECKING:  # the first screen is painted before what reads a study is loaded
    from db.file import StudyFile


class DoorApp(OneStudy, Rating, Auditing):
    """Rating and auditing behind one screen for the code."""

    def ask(self) -> None:
        """Ask for the access code."""
        self.ask_code("Wavelock", self._open_either)

    def load(self) -> StudyFile:
        """Load what reads a study, and open it."""
        from db.file import open_study  # after the first painting

        try:
            return open_study(self.path)
        except WavelockError as error:
            # Its sentence names the file, which is no business of people behind a server.
            raise Unavailable(CLOSED) if leashed(os.environ) else error from error

    def _open_either(self, code: str, take_over: bool) -> None:
        """Let those screens try the code that it is for; both refuse in the same words."""
        auditor = self.study.people.role_of(code) == "auditor"
        (self._open_list if auditor else self._open_seat)(code, take_over)

    def _fatal_error(self) -> None:
        """Keep a traceback, with the values in it, from people behind a server."""
        super()._fatal_error()
        error = sys.exception()
        if leashed(os.environ) and error:
            note_failure(os.environ, error)
            self._exit_renderables.clear()
