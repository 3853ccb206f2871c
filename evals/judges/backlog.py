"""How many replies of each run its judges have still to judge."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from core.judging import Judge, Scope
from core.runs import Generation
from db.file import StudyFile
from db.panels import first_said
from evals.scoring import nothing_to_read


def still_open(study: StudyFile) -> dict[int, dict[int, int]]:
    """Return, by run and judge, how many replies that it was to judge it has said nothing of.

    What a judge said and nobody can read is not open. Replies that show nothing, dropped runs and
    withdrawn items are nobody's to judge.
    """
    conditions = {item.id: item.condition for item in study.waves.standing()}
    judges = study.judges.all()
    scopes = {judge.id: study.judges.scopes(judge.id) for judge in judges}
    asked = {run for each in scopes.values() for scope in each for run in scope.runs}
    found: dict[int, dict[int, int]] = {}
    for run in sorted(asked - study.run_drops.all().keys()):
        readable = [
            (each, conditions[each.wave_item])
            for each in study.runs.generations(run)
            if each.wave_item in conditions and not nothing_to_read(each)
        ]
        found[run] = {
            judge.id: sum(1 for _ in _open(study, judge, scopes[judge.id], readable))
            for judge in judges
            if any(run in scope.runs for scope in scopes[judge.id])
        }
    return found


def backlog_notes(study: StudyFile, runs: Collection[int]) -> tuple[str, ...]:
    """Say in a line per run how much its judges have still open; nothing where all is judged."""
    notes = []
    for run, by_judge in still_open(study).items():
        left = [f"{count} of judge {judge}" for judge, count in by_judge.items() if count]
        if run in runs and left:
            notes.append(f"Run {run}, still open to judges: {', '.join(left)}.")
    return tuple(notes)


def _open(
    study: StudyFile,
    judge: Judge,
    scopes: Collection[Scope],
    readable: Collection[tuple[Generation, str]],
) -> Iterator[int]:
    said = first_said(study.judges, judge).values()
    done = {each.generation for each in said if each.state != "error"}
    for each, condition in readable:
        where = (each.run, condition, each.sample, each.id)
        if each.id not in done and any(scope.holds(*where) for scope in scopes):
            yield each.id
