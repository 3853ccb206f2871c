"""Whether runs and judges conform to the preregistration; what does not is openly exploratory.

A run that does not conform is refused unless it is called exploratory. A judge is asked all the
same: its verdicts are marked, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from core.errors import Refused
from core.judging import Judge
from core.registration import (
    Change,
    Document,
    Registration,
    judge_differences,
    late_by,
    run_differences,
    told,
)
from db.file import StudyFile


def require_plan(study: StudyFile) -> Registration:
    """Return the plan in force; asked before a model is loaded.

    Raises
    ------
    Refused
        When there is none, naming both ways out.
    """
    registered = study.registrations.current()
    if registered is None:
        raise Refused(
            "nothing is preregistered, so this run would be exploratory: freeze a plan with "
            "wavelock prereg freeze FILE, or run with --exploratory, which marks its numbers"
        )
    return registered


def standing(study: StudyFile, model: str, config: Mapping[str, Any]) -> str:
    """Return the hash of the plan that a run conforms to.

    Raises
    ------
    Refused
        When it differs, or rests on waves that are exploratory themselves.
    """
    registered = require_plan(study)
    found = run_differences(registered.document, model, config)
    found += _exploratory_waves(study, config.get("waves", ()))
    if found:
        raise Refused(
            f"this run is not the one that was preregistered: {told(found)}; log the change with "
            "wavelock prereg amend, or run with --exploratory"
        )
    return registered.hash


def _exploratory_waves(study: StudyFile, waves: Sequence[int]) -> tuple[Change, ...]:
    """Return the waves that rest on a round without a plan."""
    return tuple(
        Change(f"round {name} of wave {wave.number}", "preregistered", "exploratory")
        for wave in study.waves.all()
        if wave.number in waves
        for name in wave.header.get("rounds", {})
        if study.registrations.of_round(study.rounds.named(name).id) is None
    )


def judge_plan(study: StudyFile, judge: Judge) -> str | None:
    """Return the hash of the plan that a judge conforms to; ``None``: it is exploratory."""
    registered = study.registrations.current()
    if registered is None or _differences(registered.document, judge):
        return None
    return registered.hash


def judged_on(study: StudyFile, judges: Sequence[Judge]) -> str:
    """Say for a title whether the verdicts of judges are preregistered, and if not why.

    Nothing is said where nothing is preregistered at all.
    """
    versions = study.registrations.versions()
    if not versions:
        return ""
    why = dict.fromkeys(_exploratory(study, versions, judges))
    return f"exploratory: {', '.join(why)}" if why else "preregistered"


def _exploratory(
    study: StudyFile, versions: Sequence[Registration], judges: Sequence[Judge]
) -> Iterator[str]:
    """Yield every reason: a judge, a run below it, or a panel that is not the registered one."""
    document = versions[-1].document
    if not document.get("judges"):
        yield "no judge is registered"
        return
    for judge in judges:
        plans = study.judges.plans(judge.id)
        if found := _differences(document, judge):
            yield f"judge {judge.id}: {told(found)}"
        elif not plans or None in plans:
            yield f"judge {judge.id} was asked without the plan"
        elif late := late_by(versions, partial(_conforms, judge)):
            yield f"judge {judge.id} {late}"
    scopes = {scope for judge in judges for scope in study.judges.scopes(judge.id)}
    for run in sorted({run for scope in scopes for run in scope.runs}):
        if study.registrations.of_run(run) is None:
            yield f"run {run} is exploratory"
    for entry in document.get("judges", []):
        under = [judge for judge in judges if judge.rubric_hash == entry["hash"]]
        alone = {"judges": [entry]}
        if under and not any(_conforms(judge, alone) for judge in under):
            yield f"registered judge {entry['name']} ({entry['model']}) is missing"


def _conforms(judge: Judge, document: Document) -> bool:
    return not _differences(document, judge)


def _differences(document: Document, judge: Judge) -> tuple[Change, ...]:
    return judge_differences(document, judge.model, judge.rubric, judge.rubric_hash, judge.config)
