"""Whether choice scores are what the ledger says of their calls, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.verify_calls import CallWords, call_faults
from audit.verify_entries import Check, Facts, Passed
from core.hashing import digest_of
from core.study import LedgerEntry
from db.choice_seals import CHOOSING
from db.choices import BEGUN, ENDED, setup_hash
from db.file import StudyFile

WORDS = CallWords("items", "choice scores", "raw bodies or times")


def choice_faults(study: StudyFile) -> Iterator[str]:
    """Name setups and scores that were changed, and calls without their entries."""
    entries = tuple(study.ledger.intact(BEGUN, ENDED))
    yield from _setup_faults(study, entries)
    yield from call_faults(CHOOSING, WORDS, study.choice_seals.calls(), entries)
    for number in study.choice_seals.strays():
        yield f"choice score {number} belongs to no call of its setup"


def _setup_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    setups = {setup.id: setup for setup in study.choices.all()}
    for setup in setups.values():
        if setup.hash != setup_hash(setup.model, setup.kind, setup.build, setup.config):
            yield f"setup {setup.id}: its model, build or configuration is not what it was"
    for entry in entries:
        if entry.event == BEGUN:
            number = entry.payload.get("setup")
            found = setups.get(int(number or 0))
            if found is None:
                yield f"setup {number} is in the ledger, but not in the study"
            elif (found.hash, digest_of(found.build)) != (
                entry.payload.get("hash"),
                entry.payload.get("build"),
            ):
                yield f"setup {number} is not the one that entry {entry.sequence} names"


def _choices(study: StudyFile, _passed: Passed) -> Iterator[str]:
    return choice_faults(study)


CHECKS: Mapping[str, Check] = {}
FACTS: tuple[Facts, ...] = (_choices,)
