"""The construction rules of WISE: balanced targets, matched wordings, keywords that are not given.

Source: sections 4 and 5.5 (arXiv 2610.05278). The measure of near-duplicates is ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from rapidfuzz.distance import Indel

from core.items import Fault, Scenario

NEAR_DUPLICATE_AT = 0.90


def faults(scenarios: Sequence[Scenario]) -> tuple[Fault, ...]:
    """Return every breach of the rules, scenario by scenario, then those between scenarios."""
    tasks = [scenario for scenario in scenarios if scenario.facts.get("kind") == "task"]
    found = [fault for task in tasks for rule in (_matched, _keyword) for fault in rule(task)]
    for across in (_complete, _balanced, _keywords_apart, _near_duplicates):
        found += across(tasks)
    return tuple(found)


def _matched(task: Scenario) -> Iterator[Fault]:
    """Every condition asks the same: the wording alone differs."""
    request = task.facts.get("task", "")
    for item in task.items:
        if not request or not item.text.startswith(f"{request} "):
            yield Fault(task.id, "unmatched request", "the text does not begin with the task",
                        item.condition)  # fmt: skip


def _keyword(task: Scenario) -> Iterator[Fault]:
    keyword, request = task.facts.get("keyword", ""), task.facts.get("task", "")
    if keyword and re.search(rf"(?<!\w){re.escape(keyword)}(?!\w)", request, re.IGNORECASE):
        yield Fault(task.id, "keyword in task", f"“{keyword}” stands in “{request}”")


def _complete(tasks: Sequence[Scenario]) -> Iterator[Fault]:
    """Every task has all conditions that any task has."""
    known = dict.fromkeys(item.condition for task in tasks for item in task.items)
    for task in tasks:
        there = {item.condition for item in task.items}
        for condition in known:
            if condition not in there:
                yield Fault(task.id, "missing condition", "other tasks have it", condition)


def _balanced(tasks: Sequence[Scenario]) -> Iterator[Fault]:
    """Every target has the same number of tasks."""
    counts = Counter(task.facts.get("target", "") for task in tasks)
    if len(set(counts.values())) > 1:
        by_target = sorted(counts.items(), key=lambda entry: (len(entry[0]), entry[0]))
        found = ", ".join(f"{count} of {target}" for target, count in by_target)
        yield Fault("all tasks", "unbalanced targets", found)


def _keywords_apart(tasks: Sequence[Scenario]) -> Iterator[Fault]:
    first: dict[str, str] = {}
    for task in tasks:
        keyword = task.facts.get("keyword", "").casefold()
        if keyword and keyword in first:
            yield Fault(task.id, "repeated keyword", f"“{keyword}” is {first[keyword]}'s too")
        first.setdefault(keyword, task.id)


def _near_duplicates(tasks: Sequence[Scenario]) -> Iterator[Fault]:
    told = [(task.id, task.facts.get("task", "").casefold()) for task in tasks]
    for (first, left), (second, right) in combinations(told, 2):
        similarity = Indel.normalized_similarity(left, right)
        if similarity >= NEAR_DUPLICATE_AT:
            yield Fault(second, "near-duplicate", f"{similarity:.4f} like {first}")
