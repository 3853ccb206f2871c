"""Whether packets are those that were handed out, and what came back is what was logged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts, Passed
from core.study import LedgerEntry
from db.file import StudyFile
from db.packets import ISSUED, MERGED, taken_digest


def _handed_out(study: StudyFile, _passed: Passed) -> Iterator[str]:
    said = {
        entry.sequence: {**entry.payload, "at": entry.at} for entry in study.ledger.intact(ISSUED)
    }
    for entry, found in study.packets.handed_out():
        told = said.pop(entry, None)
        if told is None:
            yield f"packet {found['packet']} was handed out without an entry"
        elif any(told.get(field) != value for field, value in found.items()):
            yield f"packet {told.get('packet')} is not the one that was handed out"
    for told in said.values():
        yield f"packet {told.get('packet')} is not the one that was handed out"


def _taken(study: StudyFile, _passed: Passed) -> Iterator[str]:
    stand = study.packets.taken()
    for entry in study.ledger.intact(ISSUED, MERGED):
        found = stand.pop(entry.sequence, frozenset())
        if not _is_said(entry, found):
            name = entry.payload.get("packet")
            yield f"what came in by packet {name} is not what entry {entry.sequence} says"
    for sequence in sorted(stand):
        yield f"something came in by a packet with entry {sequence}, which does not say so"


def _is_said(entry: LedgerEntry, found: frozenset[str]) -> bool:
    """Return whether an entry says what was read; of one with nothing read nothing is there."""
    said = entry.payload.get("taken")
    nothing = taken_digest(str(entry.payload.get("packet")), [])
    return found == {said} or (not found and said == nothing)


CHECKS: Mapping[str, Check] = {}
FACTS: tuple[Facts, ...] = (_handed_out, _taken)
