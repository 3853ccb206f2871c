"""Where each thing stands in a file of audits from elsewhere: a TOML file, checked before any row.

::

    [columns]                 # auditor, scenario and only_intended are needed
    auditor = "worker"
    scenario = "task"
    only_intended = "verdict"
    left = "shown_left"       # the condition on each side; also left_revision, left_text, ...
    right = "shown_right"     # also: note, differences, time, position, auditor_kind

    [sides]                   # in place of both columns, where everybody was shown the same sides
    left = "Active"
    right = "Removed"

    [verdicts]                # what stands in the file -> whether only the intended fact changed
    "more than one" = false

    [file]
    delimiter = ";"
    zone = "Europe/Paris"     # of times without one; or UTC, or +02:00
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from core.columns import Faults, faults_of_file, zone_of
from core.toml import parse_toml, refuse_first

SIDES = ("left", "right")
NEEDED = ("auditor", "scenario", "only_intended")
COLUMNS = (
    *NEEDED, *SIDES, "left_revision", "right_revision", "left_text", "right_text",
    "note", "differences", "time", "position", "auditor_kind",
)  # fmt: skip
TABLES = ("columns", "sides", "verdicts", "file")


@dataclass(frozen=True, slots=True)
class AuditMap:
    """A checked map; `document` is what the ledger keeps of it."""

    columns: Mapping[str, str]
    document: Mapping[str, Any]
    sides: Mapping[str, str] = field(default_factory=dict)
    verdicts: Mapping[str, bool] = field(default_factory=dict)
    delimiter: str = ","
    zone: tzinfo | None = None


def own_map() -> AuditMap:
    """Return the map of what ``wavelock export audits`` writes."""
    return AuditMap({name: name for name in COLUMNS}, {"columns": "as exported by Wavelock"})


def parse_map(text: str, source: str) -> AuditMap:
    """Read a map.

    Raises
    ------
    InputError
        Naming source and line.
    """
    raw = parse_toml(text, source)
    refuse_first(_faults(raw), text, source)
    file = raw.get("file", {})
    return AuditMap(
        columns=raw["columns"],
        document=raw,
        sides=raw.get("sides", {}),
        verdicts=raw.get("verdicts", {}),
        delimiter=file.get("delimiter", ","),
        zone=zone_of(file["zone"]) if "zone" in file else None,
    )


# Only the first fault is asked for, so that each check may rely on the ones before it.
def _faults(raw: Mapping[str, Any]) -> Faults:
    for name, table in raw.items():
        if name not in TABLES:
            yield (name,), f"unknown table {name!r}; there are {', '.join(TABLES)}"
        if not isinstance(table, dict):
            yield (name,), f"{name} must be a table"
    if "columns" not in raw:
        yield (), "a map needs a table [columns]"
    yield from _faults_of_columns(raw["columns"])
    yield from _faults_of_sides(raw)
    for name, verdict in raw.get("verdicts", {}).items():
        if not isinstance(verdict, bool):
            yield ("verdicts", name), f"a verdict is true or false, not {verdict!r}"
    yield from faults_of_file(raw.get("file", {}))


def _faults_of_columns(columns: Mapping[str, Any]) -> Faults:
    for name, column in columns.items():
        if name not in COLUMNS:
            yield ("columns", name), f"unknown {name!r}; known are {', '.join(COLUMNS)}"
        if not (isinstance(column, str) and column):
            yield ("columns", name), f"{name} must name a column, not {column!r}"
    for name in NEEDED:
        if name not in columns:
            yield ("columns",), f"the column of {name} is missing"


def _faults_of_sides(raw: Mapping[str, Any]) -> Faults:
    sides, columns = raw.get("sides", {}), raw["columns"]
    for name, condition in sides.items():
        if name not in SIDES:
            yield ("sides", name), f"unknown side {name!r}; there are left and right"
        if not (isinstance(condition, str) and condition):
            yield ("sides", name), f"{name} must name a condition, not {condition!r}"
        if name in columns:
            yield ("sides", name), f"the column of {name} is named already"
    for name in SIDES:
        if name not in sides and name not in columns:
            yield ("columns",), f"name the column of {name}, or say under [sides] what stood there"
