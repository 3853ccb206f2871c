"""The construction rules: what ships keeps them, and every breach is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.items import ItemText, Scenario
from suites.wise.construction import faults
from suites.wise.suite import SUITE
from suites.wise.tasks import Task, shipped
from tests.suites.wise.making import small, suite


def test_what_ships_keeps_the_rules() -> None:
    """A hundred tasks, 25 of each target, every keyword different and absent from its task."""
    assert faults(SUITE.scenarios()) == ()
    tasks = shipped()
    assert Counter(task.target for task in tasks) == {5: 25, 8: 25, 10: 25, 12: 25}
    assert len({task.keyword for task in tasks}) == len({task.id for task in tasks}) == 100
    assert all(len(task.fields) == 2 for task in tasks)


def scenarios(*changed: Task) -> list[Scenario]:
    return list(suite(tasks=changed).scenarios())


def changed(place: int, **change: object) -> list[Scenario]:
    tasks = list(small())
    tasks[place] = replace(tasks[place], **change)  # type: ignore[arg-type]
    return scenarios(*tasks)


def with_text(text: Callable[[ItemText], str]) -> list[Scenario]:
    first, *others = scenarios(*small())
    items = tuple(
        replace(item, text=text(item)) if item.condition == "exact/NEG" else item
        for item in first.items
    )
    return [replace(first, items=items), *others]


def without_item() -> list[Scenario]:
    first, *others = scenarios(*small())
    return [replace(first, items=first.items[1:]), *others]


BREACHES: dict[str, tuple[Callable[[], list[Scenario]], str, str]] = {
    "keyword in task": (lambda: changed(0, keyword="FOG"), "keyword in task", "W001"),
    "keyword twice": (lambda: changed(1, keyword="Ground"), "repeated keyword", "W002"),
    "targets": (lambda: changed(0, target=8), "unbalanced targets", "all tasks"),
    "another request": (
        lambda: with_text(lambda item: item.text.replace("fog", "mist")),
        "unmatched request",
        "W001",
    ),
    "only the task": (
        lambda: with_text(lambda _: small()[0].task), "unmatched request", "W001",
    ),
    "a condition less": (without_item, "missing condition", "W001"),
    "no keyword": (lambda: changed(0, keyword=""), "missing condition", "W001"),
    "near-duplicate": (
        lambda: changed(1, task="Explain why fog often forms early in a morning."),
        "near-duplicate",
        "W002",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("made", "rule", "where"), BREACHES.values(), ids=BREACHES)
def test_a_breach_is_found(made: Callable[[], list[Scenario]], rule: str, where: str) -> None:
    """Each rule is named, with the scenario that breaks it."""
    assert faults(scenarios(*small())) == ()
    assert {(fault.rule, fault.scenario) for fault in faults(made())} == {(rule, where)}


def test_a_keyword_inside_another_word_is_no_breach() -> None:
    """Whole words count: "for" does not stand in "forms"."""
    assert faults(changed(0, keyword="for")) == ()
