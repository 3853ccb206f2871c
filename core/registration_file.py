"""A preregistration as a file that people write: TOML, checked on load, every fault with its line.

What is given is a draft: rules in full, forms by name. ``audit.registration`` makes it whole.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from typing import Any

from core.registration import SETTINGS
from core.rules import rule_faults
from core.toml import Place, parse_toml, refuse_first

FILL_IN = "FILL IN"  # what a template leaves to the researcher; a file that has it is no plan yet
CORRECTIONS = ("holm", "bonferroni", "bh")
Faults = Iterator[tuple[Place, str]]

# The fields of each table and their types; a field in OPTIONAL may be left out.
TOP: dict[str, type] = {
    "title": str, "hypotheses": list, "analysis": dict, "runs": dict, "rule": dict,
    "family": list, "model": list, "judge": list, "round": list,
}  # fmt: skip
TABLES: dict[str, dict[str, type]] = {
    "analysis": {"seed": int, "replicates": int, "metrics": list},
    "runs": {"conditions": list, "samples": int, "dropping": str},
}
LISTS: dict[str, dict[str, type]] = {
    "family": {"name": str, "correction": str, "alpha": float, "tests": list},
    "model": {"name": str, **SETTINGS},
    "judge": {
        "name": str, "model": str, "rubric": str, "version": str, "hash": str, **SETTINGS,
    },
    "round": {
        "name": str, "kind": str, "design": str, "seats": int, "ratings": int, "auditors": int,
        "seed": int, "on_replace": str, "idle_limit": int, "form": str, "plan": str,
    },
}  # fmt: skip
OPTIONAL: dict[str, dict[str, Any]] = {
    "family": {"correction": "holm", "alpha": 0.05},
    "model": dict.fromkeys(SETTINGS),
    "judge": dict.fromkeys(("version", "hash", *SETTINGS)),
    "round": {"kind": "main", "on_replace": "keep", "idle_limit": 4320, "plan": None},
}
ONE_OF: dict[tuple[str, str], tuple[str, ...]] = {
    ("family", "correction"): CORRECTIONS,
    ("round", "kind"): ("rehearsal", "pilot", "main"),
    ("round", "design"): ("latin-square", "crossed", "overlap"),
    ("round", "on_replace"): ("keep", "void"),
}
LEAST = {"replicates": 2, "samples": 1, "seats": 1, "ratings": 1, "idle_limit": 1}


def parse_draft(
    text: str, source: str, *, metrics: Collection[str], conditions: Collection[str]
) -> dict[str, Any]:
    """Read a preregistration from TOML.

    Parameters
    ----------
    metrics, conditions
        What the suite has; a name that it has not is a fault.

    Raises
    ------
    InputError
        Naming source and line of the first fault.
    """
    raw = parse_toml(text, source)
    refuse_first(_faults(raw, metrics, conditions), text, source)
    lists = {name: [{**OPTIONAL[name], **entry} for entry in raw.get(name, [])] for name in LISTS}
    return {**raw, **lists}


def _faults(raw: Mapping[str, Any], metrics: Collection[str], known: Collection[str]) -> Faults:
    yield from _left_open((), raw)
    yield from _typed((), raw, TOP, {"hypotheses", *LISTS})
    yield from _texts(("hypotheses",), raw.get("hypotheses", []))
    for name, fields in TABLES.items():
        yield from _typed((name,), raw[name], fields, {})
    yield from ((("rule", *place), f"rule: {fault}") for place, fault in rule_faults(raw["rule"]))
    for name, fields in LISTS.items():
        yield from _of_list(name, raw.get(name, []), fields)
    yield from _names(("analysis", "metrics"), raw["analysis"]["metrics"], metrics, "metric")
    yield from _names(("runs", "conditions"), raw["runs"]["conditions"], known, "condition")
    for place in ("decisive", "eligibility"):
        yield from _names(("rule", place), raw["rule"][place], known, "condition", least=0)
    registered = raw["analysis"]["metrics"]
    for number, family in enumerate(raw.get("family", [])):
        tests = family["tests"]
        yield from _names(("family", number, "tests"), tests, registered, "registered metric")
        if not 0 < family.get("alpha", 0.05) < 1:
            yield (
                ("family", number, "alpha"),
                f"alpha is {family['alpha']}; it lies between 0 and 1",
            )


def _left_open(place: tuple[str | int, ...], value: Any) -> Faults:
    if isinstance(value, str) and FILL_IN in value:
        name = next(step for step in reversed(place) if isinstance(step, str))
        yield place, f"{name} still says {FILL_IN}"
    if isinstance(value, (Mapping, list)):
        for key, each in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _left_open((*place, key), each)


def _of_list(name: str, entries: Any, fields: Mapping[str, type]) -> Faults:
    if not all(isinstance(entry, Mapping) for entry in entries):
        yield (name,), f"{name} must be written as [[{name}]] tables"
        return
    seen: list[str] = []
    for number, entry in enumerate(entries):
        place = (name, number)
        yield from _typed(place, entry, fields, OPTIONAL[name])
        if entry["name"] in seen:
            yield (*place, "name"), f"two {name}s are called {entry['name']!r}"
        seen.append(entry["name"])


def _typed(
    place: Place, raw: Mapping[str, Any], fields: Mapping[str, type], optional: Collection[str]
) -> Faults:
    where = str(place[0]) if place else ""
    named = f"{where}: " if where else ""
    for name in raw:
        if name not in fields:
            yield (*place, name), f"{named}unknown field {name!r}"
    for name, kind in fields.items():
        if name not in raw:
            if name not in optional:
                yield place, f"{named}{name} is missing"
            continue
        value = raw[name]
        if not _is(value, kind) or (kind is str and name != "prefill" and not value.strip()):
            yield (*place, name), f"{named}{name} cannot be {value!r}"
        allowed = ONE_OF.get((where, name))
        if allowed and value not in allowed:
            yield (*place, name), f"{named}{name} must be one of {', '.join(allowed)}"
        if kind in (int, float) and value < LEAST.get(name, 0):
            least = LEAST.get(name, 0)
            yield (*place, name), f"{named}{name} is {value}; it must be {least} or more"


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return type(value) in (int, float) and isfinite(value)
    return type(value) is kind


def _names(
    place: Place, named: Any, known: Collection[str], what: str, *, least: int = 1
) -> Faults:
    yield from _texts(place, named)
    if len(named) < least:
        yield place, f"{place[-1]} names no {what}"
    for number, name in enumerate(named):
        if name not in known:
            yield (*place, number), f"there is no {what} {name!r}; known: {', '.join(known)}"
        if name in named[:number]:
            yield (*place, number), f"{name!r} stands there twice"


def _texts(place: Place, values: Any) -> Faults:
    for number, value in enumerate(values):
        if not isinstance(value, str) or not value.strip():
            yield (*place, number), f"{place[-1]} must hold texts, not {value!r}"


def written(draft: Mapping[str, Any], notes: Mapping[str, str]) -> str:
    """Return a draft as the TOML file that :func:`parse_draft` reads.

    `notes` are comments by table, such as ``round``, and ``""`` for the top of the file.
    """
    lines = _comment(notes.get("", ""))
    lines += [
        _line(key, value)
        for key, value in draft.items()
        if key in TOP and key not in LISTS and not isinstance(value, Mapping)
    ]
    for name in ("analysis", "family", "runs", "model", "judge", "round", "rule"):
        entries = draft.get(name, [])
        if not entries and name not in notes:
            continue
        lines += ["", *_comment(notes.get(name, ""))]
        for number, entry in enumerate([entries] if isinstance(entries, Mapping) else entries):
            lines += [""] if number else []
            lines.append(f"[{name}]" if isinstance(entries, Mapping) else f"[[{name}]]")
            lines += [_line(key, value) for key, value in entry.items() if value is not None]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in text.splitlines()]


def _line(key: str, value: Any) -> str:
    return f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(each) for each in value)}]"
    # A JSON text is a TOML text but for one character, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
