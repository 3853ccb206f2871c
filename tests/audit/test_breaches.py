"""What breaks a construction rule is not frozen, unless a reason is given, which is frozen too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.breaches import RulesBroken, accepted
from audit.construction import construction_tables
from audit.freezing import freeze, freeze_declared
from audit.revising import all_faults
from audit.sentences import told
from audit.verify import study_faults
from core.items import Fault, Scenario
from db.file import StudyFile
from suites.base import Suite
from suites.core100.suite import SUITE

Freeze = Callable[..., Any]


def too_short(_suite: Suite, scenarios: Sequence[Scenario]) -> tuple[Fault, ...]:
    """A rule that S02/Removed breaks, and one across all scenarios when there are three."""
    found = [
        Fault(s.id, "too short", s.items[1].text, "Removed") for s in scenarios if s.id == "S02"
    ]
    across = [Fault("all tasks", "unbalanced", f"{len(scenarios)} scenarios")]
    return (*found, *(across if len(scenarios) == 3 else ()))


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    found: StudyFile = workshop.create(tmp_path / "study.db", 3)
    return found


@pytest.mark.parametrize("declared", [True, False])
def test_a_breach_stops_the_freezing_and_every_one_is_named(
    study: StudyFile, workshop: Any, declared: bool
) -> None:
    """Nothing is frozen or logged; the error holds what is broken, item by item."""
    if not declared:
        workshop.decided(study)
    before = len(study.ledger.entries())
    with pytest.raises(RulesBroken, match="2 breaches of the construction rules") as refused:
        (freeze_declared if declared else freeze)(study, SUITE, rules=too_short)
    assert list(map(str, refused.value.breaches)) == [
        "S02/Removed: too short: Task 2, wording 1. Drive or walk?",
        "all tasks: unbalanced: 3 scenarios",
    ]
    assert (len(study.ledger.entries()), study.waves.all()) == (before, ())


@pytest.mark.parametrize("declared", [True, False])
def test_with_a_reason_the_wave_holds_the_breaches_and_the_ledger_says_so(
    study: StudyFile, workshop: Any, declared: bool
) -> None:
    """They are under the published hash, the reason on one line, and the study is sound."""
    if not declared:
        workshop.decided(study)
    go = freeze_declared if declared else freeze
    wave = go(study, SUITE, rules=too_short, despite="  the removed\nclause is long ")
    held = wave.header["breaches"]
    assert held["reason"] == "the removed clause is long"
    assert held["found"][0] == {
        "scenario": "S02",
        "condition": "Removed",
        "rule": "too short",
        "found": "Task 2, wording 1. Drive or walk?",
    }
    entry = study.ledger.entries()[-1]
    assert entry.payload["breaches"] == {"count": 2, "reason": "the removed clause is long"}
    assert told(entry).endswith(
        "; in spite of 2 breaches of the construction rules (the removed clause is long)"
    )
    assert study_faults(study) == ()
    fates = construction_tables(study, replicates=100, seed=1)[0]
    assert (
        "Wave 1 was frozen in spite of 2 breaches of the construction rules: the removed clause is "
        "long."
    ) in fates.notes


def test_what_is_not_frozen_breaks_nothing(study: StudyFile, workshop: Any) -> None:
    """A scenario that was left out, and a condition that no wave has, hold up nobody."""
    workshop.decided(study, scenarios=("S01", "S03"))
    wave = freeze(study, SUITE, rules=too_short)
    assert "breaches" not in wave.header
    assert "breaches" not in study.ledger.entries()[-1].payload
    surveyed = replace(SUITE, surveyed=("Removed",))
    assert "breaches" not in freeze_declared(study, surveyed, rules=lambda *_: (
        Fault("S02", "too short", "it", "Removed"),)).header  # fmt: skip


def test_of_two_alike_the_later_wave_has_the_breach(workshop: Any, tmp_path: Path) -> None:
    """What stands already came first, wherever it was drafted."""
    first, second = workshop.scenarios(2)
    twin = replace(second, items=tuple(replace(item, text=f"{item.text} ") for item in first.items))
    study = workshop.create(tmp_path / "alike.db", [first, twin])
    workshop.decided(study, "one", scenarios=("S02",))
    freeze(study, SUITE)
    workshop.decided(study, "two", scenarios=("S01",))
    with pytest.raises(RulesBroken) as refused:
        freeze(study, SUITE, rules=all_faults)
    alike = [b for b in refused.value.breaches if b.rule == "near-duplicate"]
    assert [(breach.scenario, breach.found) for breach in alike] == [("S01", "1.0000 like S02")]


def test_a_reason_is_needed_only_for_breaches() -> None:
    """Where every rule holds nothing is said, whatever reason was given; blanks are no reason."""
    assert accepted((), "because") == {}
    with pytest.raises(RulesBroken, match="1 breach of"):
        accepted([Fault("S01", "rule", "found")], " \n ")
