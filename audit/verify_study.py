"""Whether the study is the one that was created: its name, suite, salt and secret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts
from core.study import LedgerEntry
from db.file import StudyFile


def _created(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    for field, value in study.seals.creation().items():
        if entry.payload.get(field) != value:
            yield f"the study's {field} is not the one that it was created with"


CHECKS: Mapping[str, Check] = {"study created": _created}
FACTS: tuple[Facts, ...] = ()
