"""Whether runs and scores are what their entries say, and came after what was frozen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts, Passed
from core.hashing import digest_of
from core.runs import Run
from core.study import LedgerEntry
from db.file import StudyFile
from db.waves import FROZEN

STARTED, CLOSED, SCORED = "run started", "run closed", "scores recorded"
DROPPED = "run dropped"


def _started(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    run = study.runs.numbered(entry.payload.get("run"))
    if run is None:
        yield f"run {entry.payload.get('run')} is in the ledger, but not in the study"
        return
    config = digest_of({"model": run.model, "kind": run.kind, "config": run.config})
    if {entry.payload.get("config"), run.hash} != {config}:
        yield f"run {run.id}: its model or configuration is not what it was started with"
    if run.created_at != entry.at:
        yield f"run {run.id}: it began at {entry.at}, not at {run.created_at}"


def _closed(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    run = study.runs.numbered(entry.payload.get("run"))
    if run is None:
        return  # its start has said so
    if run.closed_at is None:
        yield f"run {run.id}: its closing was taken back"
    elif run.closed_at != entry.at:
        yield f"run {run.id}: it was closed at {entry.at}, not at {run.closed_at}"
    if {entry.payload.get("digest"), run.digest} != {study.runs.digest(run.id)}:
        yield f"run {run.id}: its generations are not those of its closing"
    if entry.payload.get("record") != study.runs.record(run.id):
        yield f"run {run.id}: times or numbers of its generations are not those of its closing"
    if entry.payload.get("bodies") != study.runs.bodies_digest(run.id):
        yield f"run {run.id}: its raw bodies are not those of its closing"


def _dropped(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    drop = study.run_drops.all().get(int(entry.payload.get("run", 0)))
    said = (entry.payload.get("reason"), entry.payload.get("rule"), entry.at)
    if drop is None or (drop.reason, drop.rule, drop.at) != said:
        yield f"run {entry.payload.get('run')} is not dropped as the ledger says"


def _drops(study: StudyFile, _passed: Passed) -> Iterator[str]:
    ledgered = {entry.payload.get("run") for entry in study.ledger.intact(DROPPED)}
    for run in study.run_drops.all():
        if run not in ledgered:
            yield f"run {run} is dropped without an entry"


def _scored(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    first, last = int(entry.payload["first"]), int(entry.payload["last"])
    for field, value in study.scores.summary(first, last).items():
        if entry.payload.get(field) != value:
            yield (
                f"scores {first} to {last}: their {field} is not what entry {entry.sequence} says"
            )


def _runs(study: StudyFile, passed: Passed) -> Iterator[str]:
    for run in study.runs.all():
        if passed.number(STARTED, run.id) is None:
            yield f"run {run.id}: it was started without an entry"
        if run.closed_at is not None and passed.number(CLOSED, run.id) is None:
            yield f"run {run.id}: it was closed without an entry"
        yield from _order(study, passed, run)


def _order(study: StudyFile, passed: Passed, run: Run) -> Iterator[str]:
    """Yield the waves of which a run has outputs although it began before they were frozen."""
    began = passed.number(STARTED, run.id)
    for wave in sorted(study.runs.waves(run.id)):
        frozen = passed.number(FROZEN, wave)
        if frozen is not None and began is not None and began < frozen:
            yield (
                f"run {run.id}: it began (entry {began}) before wave {wave} was frozen (entry "
                f"{frozen}), and has outputs on it"
            )


def _scores(study: StudyFile, _passed: Passed) -> Iterator[str]:
    ranges = (
        (int(entry.payload["first"]), int(entry.payload["last"]))
        for entry in study.ledger.intact(SCORED)
    )
    if count := study.scores.beyond(ranges):
        yield f"{count} scores stand without an entry"


CHECKS: Mapping[str, Check] = {
    STARTED: _started,
    CLOSED: _closed,
    DROPPED: _dropped,
    SCORED: _scored,
}
FACTS: tuple[Facts, ...] = (_runs, _drops, _scores)
