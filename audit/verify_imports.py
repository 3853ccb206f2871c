"""Whether what was imported into runs is what the ledger says, and nothing came in beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from audit.verify_entries import Check, Facts, Passed
from core.study import LedgerEntry
from db.file import StudyFile

IMPORTED = "generations imported"


def _imported(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    for told in entry.payload["runs"]:
        run = study.runs.numbered(told["run"])
        if run is None:
            continue  # its start has said so
        if run.kind != "imported":
            yield f"run {run.id}: outputs were imported into it, and it is {run.kind}"
        sealed = study.imports.seal(told["session"])
        if (told["answers"], told["digest"]) != (sealed["answers"], sealed["digest"]):
            yield f"run {run.id}: its imported answers are not those of entry {entry.sequence}"
        if told["bodies"] != sealed["bodies"]:
            yield f"run {run.id}: its raw records are not those of entry {entry.sequence}"


def _strays(study: StudyFile, _passed: Passed) -> Iterator[str]:
    sessions = [
        _session(told)
        for entry in study.ledger.intact(IMPORTED)
        for told in entry.payload.get("runs", ())
    ]
    for run, count in study.imports.stray(sessions):
        yield f"run {run}: {count} imported outputs stand without an entry"


def _session(told: Mapping[str, Any]) -> int:
    return int(told["session"])


CHECKS: Mapping[str, Check] = {IMPORTED: _imported}
FACTS: tuple[Facts, ...] = (_strays,)
