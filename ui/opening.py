"""The way in: a code is asked for while the study is opened, and leads to what it opens.

Loading what reads a study and shows its items takes as long as loading what draws the first screen,
so that comes first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual import on

from core.errors import SeatInUse
from core.marks import HEADER, own_header
from core.settings import Settings
from ui.app import WavelockApp
from ui.saving import reason
from ui.screens.code import CodeScreen
from ui.screens.confirm import take_over_question


class Entrance(WavelockApp):
    """Base of whatever is opened with an access code."""

    def open(self) -> None:
        """See that the study is open."""

    def load_screens(self) -> None:
        """Load the screens that a code leads to; by then nobody waits for a first one."""

    @abstractmethod
    def faults(self) -> tuple[type[Exception], ...]:
        """Return what can go wrong with a code or a study, and is told in a line."""

    def ask_code(self, heading: str, enter: Callable[[str, bool], None]) -> None:
        """Ask for an access code until `enter` takes it."""
        self.go_to(CodeScreen(heading, enter))

    @on(CodeScreen.Entered)
    def _code_entered(self, event: CodeScreen.Entered) -> None:
        self._enter(event.screen, event.code)

    @on(CodeScreen.Left)
    def _code_left(self) -> None:
        self.left()

    def _enter(self, screen: CodeScreen, code: str, *, take_over: bool = False) -> None:
        try:
            self.open()
            screen.enter(code, take_over)
        except SeatInUse as error:
            screen.refuse(reason(error))
            self.push_screen(
                take_over_question(),
                lambda sure: self._enter(screen, code, take_over=True) if sure else None,
            )
        except self.faults() as error:
            screen.refuse(reason(error))


class OneStudy(Entrance):
    """Base of what rates and audits on one study file.

    Raises
    ------
    NotAStudy
        When the file does not even look like one; before anything is drawn.
    """

    study: Any

    def __init__(self, path: Path, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.path = path
        self._refused: Exception | None = None
        if not looks_like_one(path):
            self.open()

    @abstractmethod
    def ask(self) -> None:
        """Ask for the access code."""

    @abstractmethod
    def load(self) -> Any:
        """Load what reads a study, and open it."""

    def begin(self) -> None:
        """Ask for the access code; the study is opened while it is typed."""
        self.ask()
        self.call_after_refresh(self._open)

    def open(self) -> None:
        """Open the study, unless it is open."""
        if not hasattr(self, "study"):
            self.study = self.load()
            self.load_screens()

    def _open(self) -> None:
        try:
            self.open()
        except Exception as error:  # noqa: BLE001  (raised again when the screen is gone)
            self._refused = error
            self.exit(1, return_code=1)

    def on_unmount(self) -> None:
        """Close the study file."""
        if hasattr(self, "study"):
            self.end_sitting()
            self.study.close()

    def run_to_end(self) -> None:
        """Run until the person leaves; raise what the study could not be opened for."""
        try:
            super().run_to_end()
        finally:
            if self._refused:
                raise self._refused


def looks_like_one(path: Path) -> bool:
    """Return whether a file carries the mark of a study; opening it looks more closely."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return False
        with path.open("rb") as file:
            return own_header(file.read(HEADER))
    except OSError:
        return False
