"""Whether what judges said is what the ledger says of their calls, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.verify_calls import CallWords, call_faults
from audit.verify_entries import Check, Facts, Passed
from core.study import LedgerEntry
from db.file import StudyFile
from db.judge_seals import JUDGING
from db.judges import BEGUN, ENDED, judge_hash
from db.registrations import AMENDED, FROZEN

WORDS = CallWords("replies", "judgements", "raw bodies")


def judge_faults(study: StudyFile) -> Iterator[str]:
    """Name rubrics, judges and judgements that were changed, and calls without their entries."""
    entries = tuple(study.ledger.intact(BEGUN, ENDED))
    yield from _rubric_faults(study)
    yield from _identity_faults(study, entries)
    yield from call_faults(JUDGING, WORDS, study.judge_seals.calls(), entries)
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


def _judges(study: StudyFile, _passed: Passed) -> Iterator[str]:
    return judge_faults(study)


CHECKS: Mapping[str, Check] = {}
FACTS: tuple[Facts, ...] = (_judges,)
