"""An application on one study file, which is opened while the first screen is looked at.

Loading what reads a study takes as long as loading what draws, so the screen comes first.
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from core.settings import Settings
from ui.app import WavelockApp

MARK, PLACE = b"WVLK", 68  # of a study file, in the header that SQLite keeps for it


class OneStudy(WavelockApp):
    """Base of what rates and audits.

    Raises
    ------
    NotAStudy
        When the file does not even look like one; before anything is drawn.
    """

    def __init__(self, path: Path, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.path = path
        self._refused: Exception | None = None
        if not looks_like_one(path):
            self.open()

    @abstractmethod
    def open(self) -> None:
        """Open the study, unless it is open."""

    def open_soon(self) -> None:
        """Open the study after the next painting."""
        self.call_after_refresh(self._open)

    def _open(self) -> None:
        try:
            self.open()
        except Exception as error:  # noqa: BLE001  (raised again when the screen is gone)
            self._refused = error
            self.exit(1, return_code=1)

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
        with path.open("rb") as file:
            return file.read(100)[PLACE : PLACE + len(MARK)] == MARK
    except OSError:
        return False
