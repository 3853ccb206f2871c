"""The rules that items of every suite keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.items import Option, Scenario
from suites.core100.pool import scenarios
from suites.core100.suite import SUITE
from suites.draft_rules import general_faults

SOUND = scenarios()[0]


def with_item(**change: object) -> Scenario:
    first, *others = SOUND.items
    return replace(SOUND, items=(replace(first, **change), *others))  # type: ignore[arg-type]


HEAVY, HEURISTIC = SOUND.items[0].options
BREACHES: dict[str, tuple[Callable[[], Scenario], str]] = {
    "control": (lambda: with_item(text="a\x07b"), "hidden character"),
    "direction": (lambda: with_item(text="a\u202eb"), "hidden character"),
    "in a label": (
        lambda: with_item(options=(HEAVY, Option("heuristic", "Go\u200b"))), "hidden character",
    ),
    "no label": (lambda: with_item(options=(HEAVY, Option("heuristic", " "))), "missing label"),
    "one option": (lambda: with_item(options=(HEAVY,)), "missing label"),
    "no options": (lambda: with_item(options=()), "missing label"),
    "gold": (lambda: with_item(gold="heuristic"), "gold"),
    "no fact": (lambda: replace(SOUND, facts={**SOUND.facts, "domain": ""}), "missing fact"),
    "fact": (lambda: replace(SOUND, facts={**SOUND.facts, "domain": "space"}), "unknown fact"),
}  # fmt: skip


def test_what_ships_keeps_them() -> None:
    """The pool has no general fault either."""
    assert general_faults(SUITE, scenarios()) == ()


@pytest.mark.parametrize("case", BREACHES)
def test_each_breach_is_named(case: str) -> None:
    """Under its rule, and a sound scenario beside it is not accused."""
    make, rule = BREACHES[case]
    found = general_faults(SUITE, [make(), scenarios()[1]])
    assert {fault.rule for fault in found} == {rule}
    assert {fault.scenario for fault in found} == {SOUND.id}


@pytest.mark.parametrize("text", ["क्\u200dष", "👩\u200d🚀", "a\nb\tc"])
def test_what_writing_needs_is_no_fault(text: str) -> None:
    """Joiners, line breaks and tabs are part of texts."""
    assert general_faults(SUITE, [with_item(text=text)]) == ()
