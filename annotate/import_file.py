"""Reading a file from elsewhere: rows as texts, each with its line, nothing guessed.

CSV and JSON lines come out alike. Objects inside a line become columns with dotted names
(``answers.choice``).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any, Literal

from core.columns import FileContent, Record, RowFault

FileKind = Literal["csv", "jsonl"]


def read(data: bytes, kind: FileKind, delimiter: str = ",") -> FileContent:
    """Read a whole file; a row with a fault is left out and its fault named."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return FileContent((), frozenset(), (RowFault(line, None, "not UTF-8"),))
    found = list(_csv(text, delimiter) if kind == "csv" else _json_lines(text))
    records = tuple(entry for entry in found if isinstance(entry, Record))
    faults = [entry for entry in found if isinstance(entry, RowFault)]
    if not found:
        faults.append(RowFault(1, None, "the file holds no rows"))
    columns = frozenset(name for record in records for name in record.cells)
    return FileContent(records, columns, tuple(faults))


Found = Iterator[Record | RowFault]


def _csv(text: str, delimiter: str) -> Found:
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    line = 1
    try:
        for row in reader:
            if not header:
                header = [name.strip() for name in row]
                if fault := _header_fault(header, line):
                    yield fault
                    return
            elif len(row) == len(header):
                yield Record(line, dict(zip(header, row, strict=True)))
            elif row:
                yield RowFault(line, None, f"{len(row)} cells for {len(header)} columns")
            line = reader.line_num + 1
    except csv.Error as error:
        yield RowFault(line, None, f"not CSV: {error}")


def _header_fault(header: list[str], line: int) -> RowFault | None:
    for place, name in enumerate(header, start=1):
        if not name:
            return RowFault(line, None, f"column {place} has no name")
        if name in header[: place - 1]:
            return RowFault(line, name, "two columns have this name")
    return None


def _json_lines(text: str) -> Found:
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        try:
            value = json.loads(
                written,
                object_pairs_hook=_object,
                parse_constant=_no_number,
                parse_int=str,
                parse_float=str,
            )
            if not isinstance(value, dict):
                raise ValueError("an object is needed, with a name for every value")  # noqa: TRY301, TRY004
            cells: dict[str, str] = {}
            _flatten(value, "", cells)
        except (ValueError, RecursionError) as error:
            yield RowFault(line, None, f"not a row of JSON lines: {error}")
        else:
            yield Record(line, cells)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _flatten(value: Mapping[str, Any], prefix: str, cells: dict[str, str]) -> None:
    for name, entry in value.items():
        key = f"{prefix}{name}"
        if isinstance(entry, dict):
            _flatten(entry, f"{key}.", cells)
            continue
        if key in cells:
            raise ValueError(f"two values are called {key}")
        cells[key] = _text(entry)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text.encode()  # half a character is refused here, with its line
    return text
