"""Reading rows: by column name, each record built field by field, so that a wrong name fails."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from sqlite_utils import Database

from core.items import Option

Row = dict[str, Any]


def rows(db: Database, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
    """Yield the rows of a query as dictionaries."""
    cursor = db.execute(sql, parameters)
    names = [column[0] for column in cursor.description]
    for values in cursor:
        yield dict(zip(names, values, strict=True))


def row(db: Database, sql: str, parameters: Sequence[Any] = ()) -> Row | None:
    """Return the first row of a query, or ``None``."""
    return next(rows(db, sql, parameters), None)


def insert(db: Database, table: str, **values: Any) -> int:
    """Insert one row and return its row id; part of the transaction that is open."""
    columns = ", ".join(values)
    marks = ", ".join("?" for _ in values)
    cursor: sqlite3.Cursor = db.execute(
        f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(values.values())
    )
    if cursor.lastrowid is None:
        raise RuntimeError(f"no row id for {table}")
    return cursor.lastrowid


def options_to_json(options: Sequence[Option]) -> str:
    """Return options as the study file keeps them, in the shown order."""
    return json.dumps(
        [{"action": option.action, "label": option.label} for option in options],
        ensure_ascii=False,
    )


def options_from_json(text: str) -> tuple[Option, ...]:
    """Rebuild options from what :func:`options_to_json` gave."""
    return tuple(Option(entry["action"], entry["label"]) for entry in json.loads(text))
