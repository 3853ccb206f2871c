"""Whether batches are what the ledger says of them: prepared, submitted, ended; both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts, Passed
from core.study import LedgerEntry
from db.batch_seals import SealedBatch
from db.batches import ENDED, PREPARED, SUBMITTED
from db.file import StudyFile


def batch_faults(study: StudyFile) -> Iterator[str]:
    """Name batches and requests that were changed, and batches without their entries."""
    entries: dict[tuple[int, str], LedgerEntry] = {}
    for entry in study.ledger.intact(PREPARED, SUBMITTED, ENDED):
        entries.setdefault((int(entry.payload.get("batch", 0)), entry.event), entry)
    batches = {batch.id: batch for batch in study.batch_seals.all()}
    for number in sorted({number for number, _ in entries} - batches.keys()):
        yield f"batch {number} is in the ledger, but not in the study"
    for number, batch in batches.items():
        prepared, submitted, ended = (
            entries.get((number, event)) for event in (PREPARED, SUBMITTED, ENDED)
        )
        for check in (_prepared(batch, prepared), _submitted(batch, submitted), _end(batch, ended)):
            for fault in check:
                yield f"batch {number}: {fault}"
    for number, kind in study.batch_seals.loose():
        yield f"batch {number}: a line that was kept ({kind}) is not the one that came"


def _prepared(batch: SealedBatch, entry: LedgerEntry | None) -> Iterator[str]:
    if entry is None:
        yield "it was prepared without an entry"
        return
    facts = (batch.run, batch.marker, batch.requests)
    if tuple(entry.payload.get(name) for name in ("run", "marker", "requests")) != facts:
        yield f"its run, marker or size is not what entry {entry.sequence} says"
    if entry.at != batch.prepared_at:
        yield f"it was prepared at {entry.at}, not at {batch.prepared_at}"
    if {entry.payload.get("sealed"), batch.sealed} != {batch.found_requests}:
        yield "its requests are not those that were prepared"


def _submitted(batch: SealedBatch, entry: LedgerEntry | None) -> Iterator[str]:
    if (entry is None) != (not batch.remote):
        yield "it was submitted without an entry" if entry is None else "its sending was taken back"
    if entry is None:
        if batch.submitted_at is not None or batch.adopted:
            yield "it was submitted without an entry"
        return
    facts = (batch.run, batch.remote, batch.adopted, batch.submitted_at)
    said = (*(entry.payload.get(name) for name in ("run", "remote", "adopted")), entry.at)
    if said != facts:
        yield f"how or when it was submitted is not what entry {entry.sequence} says"


def _end(batch: SealedBatch, entry: LedgerEntry | None) -> Iterator[str]:
    if (entry is None) != (batch.ended is None):
        yield "it has ended without an entry" if entry is None else "its end was taken back"
    if entry is None:
        if batch.ended_at is not None or batch.digest is not None or batch.said:
            yield "it has ended without an entry"
        return
    said = (entry.payload.get("ended"), entry.payload.get("said"), entry.at)
    if said != (batch.ended, batch.said, batch.ended_at):
        yield f"how or when it ended is not what entry {entry.sequence} says"
    if {entry.payload.get("digest"), batch.digest} != {batch.found_outcomes}:
        yield "what became of its requests is not what it was when it ended"


def _batches(study: StudyFile, _passed: Passed) -> Iterator[str]:
    return batch_faults(study)


CHECKS: Mapping[str, Check] = {}
FACTS: tuple[Facts, ...] = (_batches,)
