"""Whether a run conforms to the preregistration; without one it must be openly exploratory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import Refused
from core.registration import Change, Registration, run_differences, told
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
