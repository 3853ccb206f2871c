"""Whether choice scores are what the ledger says of their calls, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.verify_entries import Check, Facts, Passed
from core.hashing import digest_of
from core.study import LedgerEntry
from db.choice_seals import SealedChoices
from db.choices import BEGUN, ENDED, setup_hash
from db.file import StudyFile


def choice_faults(study: StudyFile) -> Iterator[str]:
    """Name setups and scores that were changed, and calls without their entries.

    A call that has begun and not ended is open, like a run: what it brings is sealed when it ends,
    by itself or by the next call of its setup.
    """
    entries = tuple(study.ledger.intact(BEGUN, ENDED))
    yield from _setup_faults(study, entries)
    yield from _call_faults(study, entries)
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


def _call_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    calls = {call.id: call for call in study.choice_seals.calls()}
    begun, ended = (
        {int(e.payload.get("call", 0)): e for e in entries if e.event == event}
        for event in (BEGUN, ENDED)
    )
    for number in sorted((begun.keys() | ended.keys()) - calls.keys()):
        yield f"call {number} of a setup is in the ledger, but not in the study"
    for number, call in calls.items():
        for fault in _of_call(call, begun.get(number), ended.get(number)):
            yield f"call {number} of setup {call.setup}: {fault}"


def _of_call(
    call: SealedChoices, begun: LedgerEntry | None, ended: LedgerEntry | None
) -> Iterator[str]:
    if begun is None:
        yield "it has begun without an entry"
    elif (begun.payload.get("setup"), begun.payload.get("scope")) != (call.setup, call.scope):
        yield f"entry {begun.sequence} names another setup or other items"
    elif begun.at != call.started_at:
        yield f"it began at {begun.at}, not at {call.started_at}"
    if (ended is None) != (call.ended is None):
        yield "it has ended without an entry" if ended is None else "its end was taken back"
    if ended is None:
        return
    if (ended.payload.get("ended"), ended.at) != (call.ended, call.ended_at):
        yield f"how or when it ended is not what entry {ended.sequence} says"
    if {ended.payload.get("digest"), call.digest} != {call.scores}:
        yield "its choice scores are not those of its end"
    if ended.payload.get("bodies") != call.bodies:
        yield "its raw bodies or times are not those of its end"


def _choices(study: StudyFile, _passed: Passed) -> Iterator[str]:
    return choice_faults(study)


CHECKS: Mapping[str, Check] = {}
FACTS: tuple[Facts, ...] = (_choices,)
