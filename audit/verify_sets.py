"""Whether the declared sets of models are those that the ledger names, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts, Passed
from core.study import LedgerEntry
from db.file import StudyFile
from db.sets import DECLARED, payload


def _declared(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    name, version = entry.payload.get("set"), entry.payload.get("version")
    found = next((s for s in study.sets.every() if (s.name, s.version) == (name, version)), None)
    if found is None:
        yield f"set {name} is in the ledger, but not in the study"
    elif payload(found) != entry.payload or found.created_at != entry.at:
        yield f"set {name}, version {version}, is not what was declared"


def _sets(study: StudyFile, _passed: Passed) -> Iterator[str]:
    ledgered = {
        (entry.payload.get("set"), entry.payload.get("version"))
        for entry in study.ledger.intact(DECLARED)
    }
    for each in study.sets.every():
        if (each.name, each.version) not in ledgered:
            yield f"set {each.name}, version {each.version}, is not what was declared"


CHECKS: Mapping[str, Check] = {DECLARED: _declared}
FACTS: tuple[Facts, ...] = (_sets,)
