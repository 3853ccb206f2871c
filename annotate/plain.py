"""``wavelock rate --plain``: rating by typed lines."""

from __future__ import annotations

from pathlib import Path

from annotate.stages import Stages
from annotate.talk import RaterTalk
from core.errors import WavelockError
from core.settings import Settings
from db.connection import DatabaseError
from db.file import open_study
from ui.keys import Keys
from ui.lines import LineTerminal


def run(path: Path, settings: Settings) -> None:
    """Ask for the access code, and rate until the end, a stop, or the end of the input."""
    with open_study(path) as study:
        lines = LineTerminal()
        stages = lines.admit(
            lambda code, take_over: Stages.enter(study, code, take_over=take_over),
            WavelockError,
            DatabaseError,
        )
        if stages:
            talk = RaterTalk(stages, Keys(settings), advance=settings.auto_advance)
            try:
                lines.talk(talk)
            finally:
                talk.leave()
