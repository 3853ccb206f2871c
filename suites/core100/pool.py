"""The starter pool of Core-100: 16 drafted scenarios, at least one in each populated cell.

They are drafts. Nothing here says that a label is right: people decide that, by rating.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from importlib import resources
from typing import Any

from core.errors import InputError
from core.items import ItemText, Option, Scenario
from suites.core100.construction import CONDITIONS

FILE = "scenarios.jsonl"

# The frame of the paper (arXiv 2603.29025, section 4): 15 of its 20 cells are populated.
HEURISTICS = ("proximity", "efficiency", "cost", "semantic match")
CONSTRAINTS = ("presence", "capability", "validity", "scope", "procedural")
DOMAINS = ("transportation", "shopping", "digital", "medical", "home", "work", "travel")
ACTIONS = ("heavy", "heuristic")

_CHOICES = {"heuristic": HEURISTICS, "constraint": CONSTRAINTS, "domain": DOMAINS}
_FACTS = ("heuristic", "constraint", "domain", "prerequisite")
_PARTS = ("actions", "texts")


def scenarios() -> tuple[Scenario, ...]:
    """Return the shipped scenarios, in the order of their file."""
    source = resources.files("suites.core100").joinpath(FILE)
    return read(source.read_text(encoding="utf-8"), FILE)


def read(text: str, name: str) -> tuple[Scenario, ...]:
    """Build scenarios from JSON lines; empty lines are skipped.

    Parameters
    ----------
    text
        One JSON object per line.
    name
        What the text is called in an error.

    Raises
    ------
    InputError
        A line is malformed; the message names file, line and field.
    """
    lines = enumerate(text.split("\n"), start=1)
    return tuple(_scenario(line, f"{name}, line {at}") for at, line in lines if line.strip())


def _scenario(line: str, where: str) -> Scenario:
    record = _record(line, where)
    facts = {field: _sentence(record, field, where) for field in ("id", *_FACTS)}
    for field, allowed in _CHOICES.items():
        if facts[field] not in allowed:
            raise InputError(f"{where}: {field} is “{facts[field]}”; use one of {_list(allowed)}")
    labels = _part(record, "actions", ACTIONS, where)
    texts = _part(record, "texts", CONDITIONS, where)
    options = tuple(Option(action, labels[action]) for action in ACTIONS)
    items = tuple(ItemText(name, texts[name], options, gold_of(name)) for name in CONDITIONS)
    return Scenario(facts.pop("id"), facts, items)


def gold_of(condition: str) -> str:
    """Return the action that the drafters intend: only Removed lifts the constraint."""
    return "heuristic" if condition == "Removed" else "heavy"


def _record(line: str, where: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON at column {error.colno} ({error.msg})") from None
    return _object(record, "the line", ("id", *_FACTS, *_PARTS), where)


def _part(
    record: Mapping[str, Any], field: str, keys: Collection[str], where: str
) -> dict[str, str]:
    """Return the texts of a nested object that has exactly these keys."""
    part = _object(record[field], field, keys, where)
    return {key: _sentence(part, key, f"{where}: {field}") for key in keys}


def _object(value: Any, field: str, keys: Collection[str], where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: {field} is not an object with {_list(keys)}")
    for key in keys:
        if key not in value:
            raise InputError(f"{where}: {field} has no field “{key}”")
    for key in value:
        if key not in keys:
            raise InputError(f"{where}: {field} has a field “{key}”; use only {_list(keys)}")
    return value


def _sentence(record: Mapping[str, Any], field: str, where: str) -> str:
    value = record[field]
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: {field} is not a text")
    return value


def _list(words: Collection[str]) -> str:
    return ", ".join(words)
