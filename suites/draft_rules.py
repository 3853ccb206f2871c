"""The rules that drafted items of every suite keep: what is declared is there, and it can be read.

A suite's own rules (minimal pairs, matched clauses) are its ``faults``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from core.items import Fault, ItemText, Scenario
from suites.base import Suite

# Joiners that emoji and the spelling of several languages need.
JOINERS = "\u200c\u200d"


def general_faults(suite: Suite, scenarios: Sequence[Scenario]) -> tuple[Fault, ...]:
    """Name what breaks the rules of every suite, scenario by scenario."""
    return tuple(fault for scenario in scenarios for fault in _faults(suite, scenario))


def _faults(suite: Suite, scenario: Scenario) -> Iterator[Fault]:
    yield from _facts(suite, scenario)
    for item in scenario.items:
        yield from _hidden(scenario.id, item)
        yield from _options(suite, scenario.id, item)


def _facts(suite: Suite, scenario: Scenario) -> Iterator[Fault]:
    for name, allowed in suite.draft.facts.items():
        value = scenario.facts.get(name)
        if not value:
            yield Fault(scenario.id, "missing fact", f"{name} is not said")
        elif allowed and value not in allowed:
            yield Fault(scenario.id, "unknown fact", f"{name} is “{value}”")


def _hidden(scenario: str, item: ItemText) -> Iterator[Fault]:
    for text in (item.text, *(option.label for option in item.options)):
        found = {
            f"U+{ord(character):04X}"
            for character in text
            if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
            and character not in f"\n\t{JOINERS}"
        }
        if found:
            listed = ", ".join(sorted(found))
            yield Fault(scenario, "hidden character", f"{listed} in “{text}”", item.condition)


def _options(suite: Suite, scenario: str, item: ItemText) -> Iterator[Fault]:
    actions = [option.action for option in item.options]
    wanted = suite.draft.actions
    for option in item.options:
        if not option.label.strip():
            yield Fault(scenario, "missing label", f"{option.action} has none", item.condition)
    if wanted and sorted(actions) != sorted(wanted):
        found = ", ".join(actions) or "none"
        what = f"{found} instead of {', '.join(wanted)}"
        yield Fault(scenario, "missing label", what, item.condition)
    meant = suite.draft.golds.get(item.condition)
    if (meant and item.gold != meant) or (item.gold and actions and item.gold not in actions):
        yield Fault(scenario, "gold", f"{item.gold} is meant", item.condition)
