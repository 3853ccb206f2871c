"""The whole agreement table for people: one grid per question, reasons as notes below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.estimate import Estimate
from core.tables import Cell, Column, Table
from stats.ratings import counted

# What a grid calls them; their full names stand below it, and in --json and --csv.
SHORT = {
    "Fleiss' kappa": "kappa",
    "Cohen's kappa": "kappa",
    "Krippendorff's alpha": "alpha",
    "Gwet's AC1": "AC1",
    "ICC(2,k)": "ICC(2,k)",
}
COLUMNS = (
    Column("group", "Among"),
    Column("estimator", ""),
    Column("value", "Value", "share"),
    Column("raw", "raw", "share"),
    Column("items", "items", "count"),
    Column("ratings", "ratings", "count"),
)
DROPPED = Column("dropped", "left out")
Row = Mapping[str, Cell]


def by_question(table: Table) -> tuple[Table, ...]:
    """Split the table into one per question; what holds for all stands below the last."""
    questions = dict.fromkeys(str(row["question"]) for row in table.rows)
    tables = [_of_question(table, name) for name in questions]
    if tables:
        tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, *table.notes))
    return tuple(tables)


def _of_question(table: Table, question: str) -> Table:
    mine = [row for row in table.rows if row["question"] == question]
    reasons: dict[str, int] = {}
    rows = tuple(_shown(row, reasons) for row in mine)
    dropped = any(row["dropped"] for row in rows)
    names = "; ".join(dict.fromkeys(str(row["estimator"]) for row in mine))
    return Table(
        name=f"agreement on {question}",
        title=f"{question}: {table.title[0].lower()}{table.title[1:]}",
        columns=(*COLUMNS, DROPPED) if dropped else COLUMNS,
        rows=rows,
        notes=(
            f"{names}.{'' if dropped else ' No item and no rating was left out.'}",
            *(f"Note {number}: {reason}." for reason, number in reasons.items()),
        ),
    )


def _shown(row: Row, reasons: dict[str, int]) -> dict[str, Cell]:
    value = row["value"]
    if isinstance(value, Estimate) and value.why_undefined:
        number = reasons.setdefault(value.why_undefined, len(reasons) + 1)
        value = replace(value, why_undefined=f"note {number}")
    elif isinstance(value, Estimate) and value.low is None and value.why_no_interval:
        number = reasons.setdefault(value.why_no_interval, len(reasons) + 1)
        value = replace(value, why_no_interval=f"note {number}")
    name = str(row["estimator"])
    return {
        "group": row["group"],
        "estimator": next((short for long, short in SHORT.items() if name.startswith(long)), name),
        "value": value,
        "raw": row["raw"],
        "items": row["items"],
        "ratings": row["ratings"],
        "dropped": _dropped(row),
    }


def _dropped(row: Row) -> str | None:
    parts = [(row["items_dropped"], "item"), (row["ratings_dropped"], "rating")]
    return ", ".join(counted(n, noun) for n, noun in parts if isinstance(n, int) and n) or None
