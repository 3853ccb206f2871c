"""Whether what judges said is what the ledger says of their calls, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.verify_entries import Check, Facts, Passed
from core.study import LedgerEntry
from db.file import StudyFile
from db.judge_seals import SealedCall
from db.judges import BEGUN, ENDED, judge_hash
from db.registrations import AMENDED, FROZEN


def judge_faults(study: StudyFile) -> Iterator[str]:
    """Name rubrics, judges and judgements that were changed, and calls without their entries.

    A call that has begun and not ended is open, like a run: what it brings is sealed when it ends,
    by itself or by the next call of its judge.
    """
    entries = tuple(study.ledger.intact(BEGUN, ENDED))
    yield from _rubric_faults(study)
    yield from _identity_faults(study, entries)
    yield from _call_faults(study, entries)
    for number in study.judge_seals.strays():
        yield f"judgement {number} belongs to no call of its judge"


def _rubric_faults(study: StudyFile) -> Iterator[str]:
    for sealed, found in study.judge_seals.rubrics().items():
        if sealed != found:
            yield f"the rubric {sealed} is not the text that it was"


def _identity_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    judges = {judge.id: judge for judge in study.judges.all()}
    plans = {
        entry.payload.get("preregistration"): entry.sequence
        for entry in study.ledger.intact(FROZEN, AMENDED)
    }
    for judge in judges.values():
        if judge.hash != judge_hash(judge.rubric_hash, judge.model, judge.kind, judge.config):
            yield f"judge {judge.id}: its rubric, model or configuration is not what it was"
    for entry in entries:
        if entry.event == BEGUN:
            number = entry.payload.get("judge")
            found = judges.get(int(number or 0))
            if found is None:
                yield f"judge {number} is in the ledger, but not in the study"
            elif found.hash != entry.payload.get("hash"):
                yield f"judge {number} is not the one that entry {entry.sequence} names"
            elif (plan := entry.payload.get("preregistration")) is not None and (
                plans.get(plan, entry.sequence) >= entry.sequence
            ):
                yield f"judge {number} stands on no plan that entry {entry.sequence} follows"


def _call_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    calls = {call.id: call for call in study.judge_seals.calls()}
    begun, ended = (
        {int(e.payload.get("call", 0)): e for e in entries if e.event == event}
        for event in (BEGUN, ENDED)
    )
    for number in sorted((begun.keys() | ended.keys()) - calls.keys()):
        yield f"call {number} of a judge is in the ledger, but not in the study"
    for number, call in calls.items():
        for fault in _of_call(call, begun.get(number), ended.get(number)):
            yield f"call {number} of judge {call.judge}: {fault}"


def _of_call(
    call: SealedCall, begun: LedgerEntry | None, ended: LedgerEntry | None
) -> Iterator[str]:
    if begun is None:
        yield "it has begun without an entry"
    elif (begun.payload.get("judge"), begun.payload.get("scope")) != (call.judge, call.scope):
        yield f"entry {begun.sequence} names another judge or other replies"
    elif begun.at != call.started_at:
        yield f"it began at {begun.at}, not at {call.started_at}"
    if (ended is None) != (call.ended is None):
        yield "it has ended without an entry" if ended is None else "its end was taken back"
    if ended is None:
        return
    if (ended.payload.get("ended"), ended.at) != (call.ended, call.ended_at):
        yield f"how or when it ended is not what entry {ended.sequence} says"
    if {ended.payload.get("digest"), call.digest} != {call.judgements}:
        yield "its judgements are not those of its end"
    if ended.payload.get("bodies") != call.bodies:
        yield "its raw bodies are not those of its end"


def _judges(study: StudyFile, _passed: Passed) -> Iterator[str]:
    return judge_faults(study)


CHECKS: Mapping[str, Check] = {}
FACTS: tuple[Facts, ...] = (_judges,)
