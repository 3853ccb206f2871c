"""Whether the drafted texts are those that the ledger says came in, and nothing else did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.study import Exclusion, LedgerEntry
from db.drafts import EXCLUDED, IMPORTED, REVISED
from db.file import StudyFile

NOTHING = (0, "")


def draft_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    """Name texts and exclusions without their entry, and entries without what they brought."""
    found = study.drafts.digests()
    for entry in entries:
        payload = entry.payload
        if entry.event == "study created":
            count, texts = found.pop(None, NOTHING)
            # A study from before texts were digested says only how many there were.
            if payload.get("items") != count or payload.get("texts", texts) != texts:
                yield "the drafted texts are not those that the study was created with"
        elif entry.event in (IMPORTED, REVISED):
            said = payload.get("revisions"), payload.get("texts")
            if found.pop(entry.sequence, NOTHING) != said:
                yield f"the texts that entry {entry.sequence} brought are not what it says"
    for sequence in sorted(number for number in found if number is not None):
        yield f"texts came in by entry {sequence}, which does not say so"
    yield from _exclusion_faults(study, entries)


def _exclusion_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    excluded = study.drafts.exclusions()
    said = [entry for entry in entries if entry.event == EXCLUDED]
    for number, entry in enumerate(said, start=1):
        name = entry.payload.get("scenario")
        stands = excluded.pop(str(name), None)
        if stands is None:
            yield f"the exclusion of {name} was taken back"
        elif stands != _said(number, entry):
            yield f"the exclusion of {name} is not what entry {entry.sequence} says"
    for name in excluded:
        yield f"{name} is excluded without an entry"


def _said(number: int, entry: LedgerEntry) -> Exclusion:
    """Return the exclusion that an entry tells of."""
    told = entry.payload
    return Exclusion(
        number=number,
        scenario=str(told.get("scenario")),
        kind=str(told.get("kind")),
        reason=str(told.get("reason")),
        entry=entry.sequence,
        at=entry.at,
    )
