"""Every edit that somebody could make in a study file, made one by one from the schema.

Each column of each table is changed, each table loses a row and gains one, with all triggers
dropped; what verification says of it is compared with what it must name. A column that nothing can
or need cover stands in ``ALLOWED`` with its reason, so that a new table without cover is noticed.

What is said stands in ``docs/tampering.md``; ``UPDATE_GOLDEN=1`` writes it there.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.verify import study_faults
from core.hashing import canonical, digest
from db.file import open_study
from tests.audit.tampering_terms import ADDED, ALLOWED, ALSO, NAMED, ROWS, allowed

Row = dict[str, Any]
Edit = Callable[[sqlite3.Connection], object]


@dataclass(frozen=True)
class Case:
    """One edit: where, what, and what verification must name."""

    table: str
    what: str
    edit: Edit
    named: str


def tables(connection: sqlite3.Connection) -> list[str]:
    """Return every table of the study, in the order of its making."""
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%sqlite%'"
    return [name for (name,) in connection.execute(sql)]


def cases(connection: sqlite3.Connection, table: str) -> Iterator[Case]:
    """Yield every edit of a table: each column, a row less, a row more."""
    if (table, "*") in ALLOWED:
        return
    if table not in NAMED:
        raise AssertionError(f"{table} is new: say in NAMED what names it, or why not in ALLOWED")
    row, key = _row(connection, table)
    named = _named(connection, table, row)
    where = f"WHERE {key} = ?"
    for column, value in row.items():
        if allowed(table, column) is None:
            sql = f"UPDATE {table} SET {column} = ? {where}"
            also = rf"|refers to a row of {table} " if column == key else ""
            extra = ALSO.get((table, column))
            pattern = f"{named}{also}" + (f"|{extra}" if extra else "")
            new = _other(connection, table, column, value)
            yield Case(table, column, _statement(sql, (new, row[key])), pattern)
    gone = rf"{named}|refers to a row of {table} |entry {row.get('sequence')} is missing"
    yield Case(table, "row removed", _statement(f"DELETE FROM {table} {where}", (row[key],)), gone)
    if table not in ("study", "ledger") and allowed(table, "row added") is None:
        added = ADDED.get(table, named)
        yield Case(table, "row added", lambda c: _copy(c, table, row), added)


def documents(connection: sqlite3.Connection) -> Iterator[Case]:
    """Yield each field of a frozen document changed together with the document's own hash."""
    number, text = connection.execute(
        "SELECT id, document FROM wave_items WHERE scenario = 'S01' AND condition = 'Active'"
    ).fetchone()
    for field, value in json.loads(text).items():
        changed = canonical({**json.loads(text), field: _changed(value)})
        edit = _statement(
            "UPDATE wave_items SET document = ?, hash = ? WHERE id = ?",
            (changed, digest(changed), number),
        )
        name = "prompt" if field in ("messages", "prompt_hash") else field
        yield Case("wave_items", f"document.{field} and hash", edit, f"S01/Active: {name} is ")
    (header,) = connection.execute("SELECT header FROM waves").fetchone()
    for field, value in json.loads(header).items():
        changed = canonical({**json.loads(header), field: _changed(value)})
        edit = _statement("UPDATE waves SET header = ?, hash = ?", (changed, digest(changed)))
        named = "S01/" if field == "items" else f"the wave: {field} is "
        yield Case("waves", f"header.{field} and hash", edit, named)


def ledgers(connection: sqlite3.Connection) -> Iterator[Case]:
    """Yield the edits of the ledger that are no edit of one column."""
    (last,) = connection.execute("SELECT max(sequence) FROM ledger").fetchone()

    def swapped(c: sqlite3.Connection) -> None:
        for before, after in ((4, -9), (5, 4), (-9, 5)):
            c.execute("UPDATE ledger SET sequence = ? WHERE sequence = ?", (after, before))

    yield Case("ledger", "two entries exchanged", swapped, "entry 4 ")
    yield Case(
        "ledger",
        "entry removed from the middle",
        _statement("DELETE FROM ledger WHERE sequence = 6", ()),
        "entry 6 is missing",
    )
    for cut in (1, 2, 3):
        sql = "DELETE FROM ledger WHERE sequence > ?"
        what = f"last {cut} entries cut (with a published head)"
        yield Case("ledger", what, _statement(sql, (last - cut,)), "its tail was cut")


def moves(connection: sqlite3.Connection) -> Iterator[Case]:
    """Yield edits of several rows that leave each row sensible by itself."""
    first, second = connection.execute(
        "SELECT id, revision FROM assignments WHERE seat = 1 ORDER BY position LIMIT 2"
    ).fetchall()

    def exchanged(c: sqlite3.Connection) -> None:
        """Give two assignments each other's place and item: the list reads as before."""
        places = dict(c.execute("SELECT id, position FROM assignments WHERE seat = 1"))
        for number, revision, position in (
            (first[0], -1, -1), (second[0], first[1], places[first[0]]),
            (first[0], second[1], places[second[0]]),
        ):  # fmt: skip
            sql = "UPDATE assignments SET revision = ?, position = ? WHERE id = ?"
            c.execute(sql, (revision, position, number))

    yield Case("assignments", "two ratings moved to each other's item", exchanged, "its plan")
    yield Case("items", "conditions of a scenario that failed exchanged", _conditions, "its plan")
    early = "UPDATE generations SET run = 2 WHERE id = 7"
    yield Case("generations", "moved to another run", _statement(early, ()), "run 1: ")


def _conditions(c: sqlite3.Connection) -> None:
    for before, after in (("Active", "x"), ("Removed", "Active"), ("x", "Removed")):
        sql = "UPDATE items SET condition = ? WHERE condition = ? AND scenario = 'S06'"
        c.execute(sql, (after, before))


def all_cases(path: Path) -> dict[str, list[Case]]:
    """Return every edit of a study file, by table."""
    with closing(sqlite3.connect(path)) as connection:
        found = {table: list(cases(connection, table)) for table in tables(connection)}
        for case in (*documents(connection), *ledgers(connection), *moves(connection)):
            found[case.table].append(case)
    return found


def unguarded(path: Path, target: Path) -> Path:
    """Return a copy of a study file without a single trigger."""
    shutil.copy(path, target)
    with closing(sqlite3.connect(target)) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return target


def said_of(case: Case, bare: Path, scratch: Path, head: str) -> list[str]:
    """Make an edit in a copy of a study without guards; return what verification says of it."""
    shutil.copy(bare, scratch)
    with closing(sqlite3.connect(scratch)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        case.edit(connection)
        assert connection.total_changes, f"nothing done: {case}"
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with open_study(scratch) as study:
        # Only a cut tail needs the head that was published; all else is found without it.
        found = study_faults(study, head if "published" in case.what else None)
    return [fault for fault in found if not fault.startswith("the guard ")]


def naming(case: Case, faults: list[str]) -> str | None:
    """Return the fault that names what was edited."""
    return next((fault for fault in faults if re.search(case.named, fault)), None)


def _statement(sql: str, values: tuple[Any, ...]) -> Edit:
    return lambda connection: connection.execute(sql, values)


def _row(connection: sqlite3.Connection, table: str) -> tuple[Row, str]:
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    key = next(column[1] for column in columns if column[5])
    sql = f"SELECT * FROM {table} WHERE {ROWS.get(table, '1')} ORDER BY {key} LIMIT 1"
    found = connection.execute(sql).fetchone()
    assert found, f"{table} has no row to attack"
    return dict(zip([column[1] for column in columns], found, strict=True)), key


def _named(connection: sqlite3.Connection, table: str, row: Row) -> str:
    pattern, sql = NAMED[table]
    found = connection.execute(sql, row).fetchone() if sql else ()
    return pattern.format(*found, **row)


def _other(connection: sqlite3.Connection, table: str, column: str, value: Any) -> Any:
    """Return another value: one that the column allows, or of the same kind."""
    sql = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    (made,) = connection.execute(sql, (table,)).fetchone()
    choices = re.search(rf"CHECK \({column} IN \(([^)]*)\)\)", made)
    if choices:
        known = [choice.strip().strip("'") for choice in choices[1].split(",")]
        other = next(choice for choice in known if choice != str(value))
        return int(other) if other.isdigit() else other
    if isinstance(value, str) and value[:1] in ("{", "["):
        return canonical(_changed(json.loads(value)))
    return _changed(value)


def _changed(value: Any) -> Any:
    """Return a value that differs in one place."""
    match value:
        case None:
            return 1
        case bool():
            return not value
        case int() | float():
            return value + 1000
        case str():
            return f"{value}x"
        case bytes():
            return value + b"x"
        case list():
            return [_changed(value[0]), *value[1:]] if value else ["x"]
        case _:
            first = next(iter(value), None)
            return {"x": 1} if first is None else {**value, first: _changed(value[first])}


def _copy(connection: sqlite3.Connection, table: str, row: Row) -> None:
    """Insert a copy of a row under keys of its own, referring to rows that are there."""
    parents = {
        entry[3]: (entry[2], entry[4])
        for entry in connection.execute(f"PRAGMA foreign_key_list({table})")
    }
    copy = dict(row)
    for key in ((_row(connection, table)[1],), *_unique(connection, table)):
        own = [column for column in key if column not in parents]
        if own:
            copy[own[-1]] = _changed(copy[own[-1]])
        elif all(copy[column] == row[column] for column in key):
            copy |= _free(connection, table, key, parents, copy)
    marks = ", ".join("?" for _ in copy)
    connection.execute(f"INSERT INTO {table} VALUES ({marks})", tuple(copy.values()))


def _unique(connection: sqlite3.Connection, table: str) -> list[tuple[str, ...]]:
    indices = connection.execute(f"PRAGMA index_list({table})").fetchall()
    return [
        tuple(entry[2] for entry in connection.execute(f"PRAGMA index_info({name})"))
        for _, name, unique, *_ in indices
        if unique
    ]


def _free(
    connection: sqlite3.Connection,
    table: str,
    key: tuple[str, ...],
    parents: dict[str, tuple[str, str]],
    copy: Row,
) -> Row:
    """Return a column of a key with a row that the table does not refer to yet beside the rest."""
    for column in reversed(key):
        parent, number = parents[column]
        rest = " AND ".join(f"{name} = :{name}" for name in key if name != column) or "1"
        sql = (
            f"SELECT {number} FROM {parent} WHERE {number} NOT IN "
            f"(SELECT {column} FROM {table} WHERE {rest}) ORDER BY {number} LIMIT 1"
        )
        if found := connection.execute(sql, copy).fetchone():
            return {column: found[0]}
    # All have one, as every run has its standing: what is added can only be of something else.
    return {key[-1]: _changed(copy[key[-1]])}
