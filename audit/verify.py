"""Everything that can be re-derived, re-derived: chain, plans, evidence, digests, waves.

Facts and ledger are held against each other both ways: each entry, as it passes, against its fact,
and then each fact against the entries that have passed. So an entry whose fact was changed or is
gone is found, and a fact without the entry that it must have, as when the ledger's tail was cut.
Entries pass one by one and are not kept, so that a long ledger needs no more memory.
"""

from __future__ import annotations

from collections.abc import Iterable

from audit import (
    verify_batches,
    verify_choices,
    verify_drafts,
    verify_gradings,
    verify_imports,
    verify_judges,
    verify_packets,
    verify_people,
    verify_prereg,
    verify_rounds,
    verify_runs,
    verify_sets,
    verify_study,
    verify_waves,
)
from audit.verify_entries import Facts, Passed
from core.errors import CheckFailed, WavelockError
from core.study import LedgerEntry, Round
from db.file import StudyFile

SUBJECTS = (
    verify_study,
    verify_drafts,
    verify_prereg,
    verify_rounds,
    verify_people,
    verify_packets,
    verify_waves,
    verify_runs,
    verify_imports,
    verify_batches,
    verify_judges,
    verify_gradings,
    verify_choices,
    verify_sets,
)
FACTS: tuple[Facts, ...] = tuple(facts for subject in SUBJECTS for facts in subject.FACTS)


def study_faults(study: StudyFile, head: str | None = None) -> tuple[str, ...]:
    """Name every break of the ledger and every edit of what its digests cover."""
    found = [*study.guard_faults(), *study.reference_faults(), *study.ledger.faults(head)]
    passed = Passed()
    for entry in study.ledger.intact():
        passed.note(entry)
        found += _of_entry(study, entry)
    for facts in FACTS:
        found += _found("the study", facts(study, passed))
    return tuple(found)


def round_faults(study: StudyFile, campaign: Round) -> tuple[str, ...]:
    """Name every edit of a round's plan, rule, ratings, audits and decisions."""
    found: list[str] = []
    passed = Passed()
    for entry in study.ledger.intact(*verify_rounds.CHECKS):
        if entry.payload.get("round") == campaign.name:
            passed.note(entry)
            found += _of_entry(study, entry)
    found += _found(f"round {campaign.name}", verify_rounds.of_round(study, passed, campaign))
    return tuple(found)


def _of_entry(study: StudyFile, entry: LedgerEntry) -> list[str]:
    """Return what each subject has against an entry; several may look at one of a kind."""
    what = f"what entry {entry.sequence} ({entry.event}) says"
    checks = (subject.CHECKS.get(entry.event) for subject in SUBJECTS)
    return [fault for check in checks if check for fault in _found(what, check(study, entry))]


def _found(what: str, faults: Iterable[str]) -> list[str]:
    """Return what a check finds; that something cannot be read any more is a finding itself."""
    found: list[str] = []
    try:
        for fault in faults:
            found.append(fault)  # noqa: PERF402  (what was found before an error is kept)
    except CheckFailed as error:
        found.append(str(error))
    except (KeyError, TypeError, ValueError, AttributeError, WavelockError) as error:
        found.append(f"{what} cannot be read any more ({type(error).__name__}: {error})")
    return found
