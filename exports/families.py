"""The registered families of tests: each p beside what is left of it within its family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.estimate import Estimate
from core.registration import Registration
from core.tables import Cell, Column, Table
from core.words import counted
from stats.multiplicity import correct_family

Tests = dict[str, Estimate]
TITLE = "Registered families of tests"


def family_tables(
    plan: Registration | None, tables: Sequence[Table], caveats: Sequence[str] = ()
) -> tuple[Table, ...]:
    """Return the families of the plan as one table; none when none is registered.

    A family holds the numbers that are preregistered, over all rows of their tables. It is
    corrected when every one of them has a p-value; otherwise it would be smaller than planned.

    Parameters
    ----------
    caveats
        What every title must say of the evidence.
    """
    families = plan.document["families"] if plan else []
    if not families:
        return ()
    rows: list[Mapping[str, Cell]] = []
    notes: list[str] = []
    for family in families:
        found = _apart(_tests(family, tables))
        lacking = [name for name, estimate in found.items() if estimate.p is None]
        notes += _notes(family, found, lacking)
        rows += _rows(family, found, corrected=not lacking)
    return (
        Table(
            name="families",
            title=f"{TITLE} ({'; '.join(caveats)})" if caveats else TITLE,
            columns=(
                Column("family", "Family"),
                Column("test", "Test"),
                Column("estimate", "Estimate", "signed"),
                Column("p", "p", "share"),
                Column("corrected", "corrected p", "share"),
                Column("rejected", "rejected"),
            ),
            rows=tuple(rows),
            notes=tuple(notes),
            empty="no number of a family is preregistered in this report",
        ),
    )


def _tests(family: Mapping[str, Any], tables: Sequence[Table]) -> Iterator[tuple[str, Estimate]]:
    for metric in family["tests"]:
        name, _, key = metric.partition(".")
        for table in tables:
            for row in table.rows if table.name == name else ():
                cell = row.get(key)
                if isinstance(cell, Estimate) and cell.standing == "preregistered":
                    yield f"{row.get(table.columns[0].key)}: {metric}", cell


def _apart(tests: Iterator[tuple[str, Estimate]]) -> Tests:
    """Return tests by name; two configurations of one model are not taken for one test."""
    found: Tests = {}
    for name, estimate in tests:
        number = 1 + sum(known.startswith(name) for known in found)
        found[f"{name} ({number})" if number > 1 else name] = estimate
    return found


def _rows(
    family: Mapping[str, Any], found: Tests, *, corrected: bool
) -> Iterator[Mapping[str, Cell]]:
    better: dict[str, tuple[float, bool]] = {}
    if corrected:
        tests = {name: estimate.p for name, estimate in found.items()}
        done = correct_family(
            family["name"], tests, correction=family["correction"], alpha=family["alpha"]
        )
        better = {test.name: (test.corrected, test.rejected) for test in done.tests}
    for name, estimate in found.items():
        left, rejected = better.get(name, (None, None))
        yield {
            "family": family["name"],
            "test": name,
            "estimate": estimate,
            "p": estimate.p,
            "corrected": left,
            "rejected": None if rejected is None else ("yes" if rejected else "no"),
        }


def _notes(family: Mapping[str, Any], found: Tests, lacking: Sequence[str]) -> Iterator[str]:
    how = f"{family['name']}: {family['correction']} over {counted(len(found), 'test')}"
    yield f"{how}, rejected at corrected p <= {family['alpha']}."
    if lacking:
        yield f"{family['name']} is not corrected: {', '.join(lacking)} has no p-value."
