"""Breaches of the construction rules among what is about to be frozen.

What is frozen cannot be mended, so a breach stops the freezing, unless somebody says why it may
stand. Then the wave's document lists it with that reason, under the hash that is published.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from core.errors import CheckFailed
from core.items import Fault, Scenario
from core.study import Revision
from core.words import counted
from db.file import StudyFile
from suites.base import Suite

Rules = Callable[[Suite, Sequence[Scenario]], Sequence[Fault]]


class RulesBroken(CheckFailed):
    """What would be frozen breaks construction rules; every breach is there, to be named."""

    def __init__(self, breaches: Sequence[Fault]) -> None:
        self.breaches = tuple(breaches)
        broken = counted(len(breaches), "breach", "breaches")
        super().__init__(
            f"nothing was frozen: {broken} of the construction rules; mend the drafts (wavelock "
            "items revise, or exclude), or say with --despite-breaches why they may stand"
        )


def breaches_of(
    study: StudyFile, suite: Suite, rules: Rules, revisions: Collection[Revision]
) -> tuple[Fault, ...]:
    """Return what is wrong with revisions about to be frozen, held against those that are.

    What is not frozen breaks nothing: neither a scenario that was left out, nor a condition that
    the wave has not.
    """
    frozen = {item.scenario for item in study.waves.standing()}
    entering = {revision.scenario for revision in revisions} - frozen
    conditions = {revision.condition for revision in revisions}
    known = study.items.scenarios()
    # Of two that are too much alike the later is named; what stands already came first.
    held = [s for s in known if s.id in frozen] + [s for s in known if s.id in entering]
    others = {scenario.id for scenario in known} - entering
    return tuple(
        fault
        for fault in rules(suite, held)
        if fault.scenario not in others
        and (fault.condition is None or fault.condition in conditions)
    )


def accepted(breaches: Sequence[Fault], reason: str) -> dict[str, Any]:
    """Return what a wave's document says of breaches; nothing when every rule holds.

    Raises
    ------
    RulesBroken
        When there are any, and no reason why they may stand.
    """
    reason = " ".join(reason.split())
    if not breaches:
        return {}
    if not reason:
        raise RulesBroken(breaches)
    found = [
        {
            "scenario": fault.scenario,
            "condition": fault.condition,
            "rule": fault.rule,
            "found": fault.found,
        }
        for fault in breaches
    ]
    return {"breaches": {"reason": reason, "found": found}}
