"""Whether waves are what was frozen, and withdrawals of their items what was logged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts, Passed
from core.study import LedgerEntry
from db.file import StudyFile
from db.waves import WITHDRAWN


def _withdrawn(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    said = {
        f"wave {entry.payload['wave']}, {name}: {entry.payload['reason']}"
        for name in entry.payload["items"]
    }
    stand = {
        f"wave {found.wave}, {name}: {found.reason}"
        for found in study.waves.withdrawals(entry.sequence)
        for name in found.items
    }
    for name in sorted(said - stand):
        yield f"{name}: the withdrawal of entry {entry.sequence} was taken back or changed"
    for name in sorted(stand - said):
        yield f"{name}: it is withdrawn by entry {entry.sequence}, which does not say so"


def _waves(study: StudyFile, _passed: Passed) -> Iterator[str]:
    yield from map(str, study.waves.faults())


def _without_entry(study: StudyFile, passed: Passed) -> Iterator[str]:
    for found in study.waves.withdrawals():
        if passed.event(found.entry) != WITHDRAWN:
            yield (
                f"wave {found.wave}, {', '.join(found.items)}: withdrawn by entry {found.entry}, "
                "which does not say so"
            )


CHECKS: Mapping[str, Check] = {WITHDRAWN: _withdrawn}
FACTS: tuple[Facts, ...] = (_waves, _without_entry)
