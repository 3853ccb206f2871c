"""The application behind ``wavelock enter``: asks for the code once, and opens what it is for."""

from __future__ import annotations

import os
import sys

from textual import on

from annotate.app import Rating
from annotate.serve.leash import leashed, note_failure
from audit.app import Auditing
from cli.enter import CLOSED
from core.errors import Unavailable, WavelockError
from ui.opening import OneStudy
from ui.saving import reason
from ui.screens.code import CodeScreen

CODE = "any-code"


class DoorApp(OneStudy, Rating, Auditing):
    """Rating and auditing behind one screen for the code."""

    def begin(self) -> None:
        """Ask for the access code; the study is opened while it is typed."""
        self.go_to(CodeScreen("Wavelock", id=CODE))
        self.open_soon()

    def open(self) -> None:
        """Open the study, unless it is open."""
        if not hasattr(self, "study"):
            from db.file import open_study  # after the first painting

            try:
                self.study = open_study(self.path)
            except WavelockError as error:
                # Its sentence names the file, which is no business of people behind a server.
                raise Unavailable(CLOSED) if leashed(os.environ) else error from error

    def on_unmount(self) -> None:
        """Close the study file."""
        if hasattr(self, "study"):
            self.end_sitting()
            self.study.close()

    @on(CodeScreen.Entered, f"#{CODE}")
    def _any_code_entered(self, event: CodeScreen.Entered) -> None:
        """Let those screens try the code that it is for; both refuse in the same words."""
        from db.connection import DatabaseError

        try:
            self.open()
            role = self.study.people.role_of(event.code)
        except (WavelockError, DatabaseError) as error:
            event.screen.refuse(reason(error))
            return
        enter = self._enter_audit if role == "auditor" else self._enter_rating
        enter(event.screen, event.code)

    @on(CodeScreen.Left, f"#{CODE}")
    def _any_code_left(self) -> None:
        self.left()

    def _fatal_error(self) -> None:
        """Keep a traceback, with the values in it, from people behind a server."""
        super()._fatal_error()
        error = sys.exception()
        if leashed(os.environ) and error:
            note_failure(os.environ, error)
            self._exit_renderables.clear()
