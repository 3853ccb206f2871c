"""Tables for machines: JSON with whole estimates, CSV with one column per part of an estimate."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict
from io import StringIO

from core.estimate import Estimate
from core.tables import Cell, Table

PARTS = ("low", "high", "p", "n", "why_undefined")


def to_json(table: Table) -> str:
    """Return a table as one JSON object; an undefined value is ``null`` beside its reason."""
    value = {
        "name": table.name,
        "title": table.title,
        "rows": [{key: _plain(cell) for key, cell in row.items()} for row in table.rows],
        "notes": list(table.notes),
    }
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)


def to_csv(table: Table) -> str:
    """Return a table as CSV; estimates become ``key``, ``key_low``, ``key_high``, ... columns."""
    split = {
        column.key
        for column in table.columns
        if any(isinstance(row.get(column.key), Estimate) for row in table.rows)
    }
    marked = any(_marked(row.get(key)) for row in table.rows for key in split)
    parts = (*PARTS, "standing") if marked else PARTS
    header = []
    for column in table.columns:
        header.append(column.key)
        header += [f"{column.key}_{part}" for part in parts] if column.key in split else []
    out = StringIO()
    writer = csv.DictWriter(out, header, lineterminator="\n", restval="")
    writer.writeheader()
    for row in table.rows:
        writer.writerow(_flat({c.key: row.get(c.key) for c in table.columns}, parts))
    return out.getvalue()


def _plain(cell: Cell) -> object:
    return asdict(cell) if isinstance(cell, Estimate) else cell


def _marked(cell: Cell) -> bool:
    return isinstance(cell, Estimate) and cell.standing is not None


def _flat(row: dict[str, Cell], parts: Sequence[str]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, cell in row.items():
        if isinstance(cell, Estimate):
            flat[key] = "" if cell.value is None else cell.value
            for part in parts:
                value = getattr(cell, part)
                flat[f"{key}_{part}"] = "" if value is None else value
        else:
            flat[key] = "" if cell is None else cell
    return flat
