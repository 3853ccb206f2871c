"""The sections of ``docs/tampering.md``: what every edit of a table is found as."""

from __future__ import annotations

import re

from tests.audit.tampering_terms import ALLOWED

# What differs from one making of the study to the next.
VARYING = (
    (re.compile(r"sha256:[0-9a-f]{64}"), "sha256:…"),
    (re.compile(r"P-[A-Z0-9]{5}"), "P-…"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "TIME"),
)
LONGEST = 110  # characters of a fault that the page shows


def section(table: str, found: dict[str, str]) -> str:
    """Return what ``docs/tampering.md`` says of a table, from edits and the faults they led to."""
    rows = [f"| {what} | {_shown(fault)} |" for what, fault in found.items()]
    lines = ["| edit | what is said |", "| --- | --- |", *rows] if rows else []
    excused = [
        f"- {'every column' if column == '*' else f'`{column}`'}: {reason}"
        for (name, column), reason in ALLOWED.items()
        if name == table
    ]
    if excused:
        lines += ["", "Not covered, because:", "", *excused]
    return "\n".join([f"### `{table}`", "", *lines, "", f"<!-- end of {table} -->"])


def _shown(fault: str) -> str:
    for pattern, instead in VARYING:
        fault = pattern.sub(instead, fault)
    fault = fault if len(fault) <= LONGEST else f"{fault[:LONGEST]}…"
    return fault.replace("|", "\\|")
