"""The second reading of a file: what matches becomes generations, all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from core.clock import now
from core.errors import CheckFailed
from core.runs import Answered, GenerationKey
from db.file import StudyFile
from evals.imports.examining import EVERY, Examined, Progress, again
from evals.imports.files import opened
from evals.imports.formats import samples_of
from evals.imports.groups import IMPORT, Group
from evals.imports.matching import Unmatched
from evals.imports.samples import How, Unreadable

EVENT = "generations imported"
BATCH = 500  # generations that are handed over at once
OTHERWISE = "the study changed while the file was read; nothing was imported; import it again"


@dataclass(frozen=True, slots=True)
class Added:
    """What an import added to one run."""

    run: int
    model: str
    generations: int


@dataclass(slots=True)
class _Target:
    """A run that takes something: its session, and how much came."""

    run: int
    session: int
    model: str
    count: int = 0
    errors: int = 0
    waves: set[int] = field(default_factory=set)


def store(
    study: StudyFile, found: Examined, *, partial: bool, progress: Progress | None = None
) -> tuple[Added, ...]:
    """Store what is new in a file, with one entry in the ledger; nothing where nothing is new.

    Raises
    ------
    CheckFailed
        When the file, or what the study has of it, is not any more what was examined: another
        process may have imported the same file since, or withdrawn an item.
    """
    if not found.counts["new"]:
        return ()
    with study.transaction():
        if found.groups.moved:
            raise CheckFailed(OTHERWISE)
        at = now()
        targets: dict[tuple[int, int | None], _Target] = {}
        batch: list[Answered] = []
        for done, answer in enumerate(_answers(study, found, targets, at), start=1):
            batch.append(answer)
            if len(batch) >= BATCH:
                _keep(study, batch)
            if progress is not None and not done % EVERY:
                progress(done, found.counts["new"])
        _keep(study, batch)
        if sum(target.count for target in targets.values()) != found.counts["new"]:
            raise CheckFailed(OTHERWISE)
        if opened(found.file.path).digest != found.file.digest:
            raise CheckFailed(f"{found.file.path} changed while it was read; nothing was imported")
        for target in targets.values():
            study.run_sessions.end(target.session, "finished")
        study.ledger.append(EVENT, _entry(study, found, targets.values(), partial=partial))
    return tuple(Added(t.run, t.model, t.count) for t in targets.values())


def elsewhere(study: StudyFile, found: Examined) -> tuple[int, ...]:
    """Return the runs that the same file was imported into, other than those that it would add to.

    Under another name or other options it would be counted twice.
    """
    mine = {run for group in found.groups for run in group.runs}
    there = {
        int(told["run"])
        for entry in study.ledger.intact(EVENT)
        if entry.payload["file"] == found.file.digest
        for told in entry.payload["runs"]
    }
    return tuple(sorted(there - mine - study.run_drops.all().keys()))


def _answers(
    study: StudyFile, found: Examined, targets: dict[tuple[int, int | None], _Target], at: str
) -> Iterator[Answered]:
    """Yield what is new, each under its key in the run that takes it."""
    sorter = again(study, found)
    for entry in samples_of(found.file, found.origin.format, found.how):
        if isinstance(entry, Unreadable):
            continue
        try:
            kept = sorter.sort(entry)
        except Unmatched:
            continue
        if kept.fate != "new" or kept.key in found.conflicting:
            continue
        group, frozen = kept.group, kept.frozen
        held = group.held.get((frozen.item, entry.intervention, kept.number))
        run = held[0] if held else group.run_for(found.groups.frozen_at.get(frozen.wave, 0))
        if (group.number, run) not in targets:
            targets[group.number, run] = _begun(study, found, group, run, at)
        target = targets[group.number, run]
        target.count += 1
        target.errors += entry.reply.state == "error"
        key = GenerationKey(
            target.run, frozen.item, frozen.prompt_hash, kept.number, entry.intervention
        )
        yield Answered(key, entry.reply, target.session)


def _begun(study: StudyFile, found: Examined, group: Group, run: int | None, at: str) -> _Target:
    """Return the run that takes something, in a session of its own; a new one is started."""
    if run is None:
        config = {**group.config, IMPORT: _about(found, at)}
        run = study.runs.start(group.name, "imported", config).id
    return _Target(run, study.run_sessions.begin(run, 1), group.name)


def _keep(study: StudyFile, batch: list[Answered]) -> None:
    if "dropped" in study.runs.keep(batch):
        raise CheckFailed(OTHERWISE)
    batch.clear()


def _about(found: Examined, at: str) -> dict[str, Any]:
    """Return what a run records of the file that it was made from."""
    return {
        "provenance": "imported",
        "format": found.origin.format,
        "file": found.file.name,
        "sha256": found.file.digest,
        "harness": found.origin.harness,
        "version": found.origin.version,
        "imported_at": at,
        "columns": dict(found.how.columns),
        "options": options(found.how),
    }


def options(how: How) -> dict[str, Any]:
    """Return the options of an import, as far as they were given."""
    given = {
        "model": how.model,
        "sample_offset": how.sample_offset,
        "ignore_system": how.ignore_system,
        "strip_trailing_newline": how.strip_trailing_newline,
        "requests": opened(how.requests).digest if how.requests else "",
    }
    return {name: value for name, value in given.items() if value}


def _entry(study: StudyFile, found: Examined, targets: Any, *, partial: bool) -> dict[str, Any]:
    counts = found.counts
    return {
        "file": found.file.digest,
        "name": found.file.name,
        "format": found.origin.format,
        "harness": found.origin.harness,
        "version": found.origin.version,
        "columns": dict(found.how.columns),
        "options": options(found.how),
        "partial": partial,
        "records": found.records,
        "stored": counts["stored"],
        "left": {k: counts[k] for k in ("duplicate", "conflict", "unmatched", "unreadable")},
        "generations": sum(target.count for target in targets),
        "runs": [
            {
                "run": target.run,
                "model": target.model,
                "session": target.session,
                "generations": target.count,
                "errors": target.errors,
                **study.imports.seal(target.session),
            }
            for target in targets
        ],
    }
