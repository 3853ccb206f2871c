"""Which rounds a file from elsewhere is in already, as the ledger has it."""

from __future__ import annotations

from core.errors import Refused
from db.file import StudyFile


def rounds_with(study: StudyFile, event: str, digest: str) -> tuple[str, ...]:
    """Name the rounds that a file was imported into, by the event that an import is logged as."""
    return tuple(
        str(entry.payload["round"])
        for entry in study.ledger.entries()
        if entry.event == event and entry.payload["file"] == digest
    )


def require_new(study: StudyFile, event: str, digest: str, name: str) -> None:
    """Refuse a file that is in a round already."""
    if name in rounds_with(study, event, digest):
        raise Refused(f"this file was imported into round {name} already; nothing was changed")
