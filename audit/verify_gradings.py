"""Whether the samples of grading rounds are what the ledger says, and what graders are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts, Passed
from core.grading import Grading
from core.hashing import digest_of
from core.study import LedgerEntry, Round
from db.file import StudyFile
from db.gradings import SAMPLED


def grading_faults(study: StudyFile) -> Iterator[str]:
    """Name samples that were changed, stand without an entry, or are not on the graders' lists."""
    rounds, known = {r.name: r for r in study.rounds.all()}, study.gradings.entries()
    entries = {entry.sequence: entry for entry in study.ledger.intact(SAMPLED)}
    for entry in entries.values():
        campaign = rounds.get(str(entry.payload.get("round")))
        if campaign is None or campaign.id not in known:
            yield f"the sample of round {entry.payload.get('round')} is in the ledger, but gone"
    for campaign in rounds.values():
        sample = study.gradings.of_round(campaign.id)
        if sample is None:
            continue
        sealed, number, at = known[campaign.id]
        for fault in _faults(study, campaign, sample, entries.get(number), at):
            yield f"round {campaign.name}: {fault}"
        if sealed != digest_of(sample.document):
            yield f"round {campaign.name}: its sample is not what it was"


def _faults(
    study: StudyFile, campaign: Round, sample: Grading, entry: LedgerEntry | None, at: str
) -> Iterator[str]:
    if entry is None or entry.payload.get("round") != campaign.name:
        yield "its sample was drawn without an entry"
    else:
        if entry.payload.get("hash") != sample.hash:
            yield f"its sample is not the one that entry {entry.sequence} names"
        if entry.at != at:
            yield f"its sample was drawn at {at}, which entry {entry.sequence} does not say"
    drawn = frozenset(each.response for each in sample.drawn)
    for responses in study.gradings.planned(campaign.id).values():
        if responses != drawn:
            yield "a grader's list is not its sample"
            return


def _gradings(study: StudyFile, _passed: Passed) -> Iterator[str]:
    return grading_faults(study)


CHECKS: Mapping[str, Check] = {}
FACTS: tuple[Facts, ...] = (_gradings,)
