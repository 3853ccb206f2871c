"""Rows for other programs: CSV, JSON lines or Parquet, in an order and in bytes that repeat.

A column has one kind throughout, and nothing is written where there is no value. A text is written
as it is: what begins with ``=`` is a formula to a spreadsheet, so import the columns as text there.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Literal

from core.errors import InputError, Unavailable

Format = Literal["csv", "jsonl", "parquet"]
Kind = Literal["text", "whole", "number", "truth"]
Value = str | int | float | bool | None
ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@dataclass(frozen=True, slots=True)
class Data:
    """Rows with the kinds of their columns, in order."""

    columns: Mapping[str, Kind]
    rows: tuple[Mapping[str, Value], ...]


def format_of(target: Path, asked: Format | None) -> Format:
    """Return the format that was asked for, or else the one that the file's ending names.

    Raises
    ------
    InputError
        When neither says.
    """
    if asked:
        return asked
    if target.suffix.lower() not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise InputError(f"{target} does not say its format: end it in {known}, or use --format")
    return ENDINGS[target.suffix.lower()]


def encoded(data: Data, form: Format) -> bytes:
    """Return the rows as the bytes of a file.

    Raises
    ------
    Unavailable
        When Parquet is asked for and pyarrow is not installed.
    """
    if form == "parquet":
        return _parquet(data)
    lines = _csv_lines(data) if form == "csv" else _json_lines(data)
    return "".join(lines).encode()


def _csv_lines(data: Data) -> list[str]:
    rows = [list(map(_cell, row.values())) for row in _uniform(data)]
    return [_csv_line(list(data.columns)), *map(_csv_line, rows)]


def _uniform(data: Data) -> list[dict[str, Value]]:
    """Return whole rows, every value of its column's kind, texts such that UTF-8 can hold them."""
    return [
        {key: _of_kind(row.get(key), kind) for key, kind in data.columns.items()}
        for row in data.rows
    ]


def _of_kind(value: Value, kind: Kind) -> Value:
    if value is None:
        return None
    if kind == "text":
        return _cell(value).encode("utf-8", "backslashreplace").decode()
    return float(value) if kind == "number" else value


def _csv_line(cells: list[str]) -> str:
    # Written with \r\n, because a writer quotes only the line ends that it uses itself, and a
    # comment may hold either of them.
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue().removesuffix("\r\n") + "\n"


def _cell(value: Value) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json_lines(data: Data) -> list[str]:
    return [json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in _uniform(data)]


def _parquet(data: Data) -> bytes:
    if find_spec("pyarrow") is None:
        raise Unavailable(
            "Parquet needs pyarrow, which is not installed; install the extra wavelock[parquet], "
            "or write CSV or JSON lines"
        )
    import pyarrow  # noqa: PLC0415  (an extra)
    import pyarrow.parquet  # noqa: PLC0415

    types: dict[Kind, Any] = {
        "text": pyarrow.string(),
        "whole": pyarrow.int64(),
        "number": pyarrow.float64(),
        "truth": pyarrow.bool_(),
    }
    schema = pyarrow.schema([(key, types[kind]) for key, kind in data.columns.items()])
    out = BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(_uniform(data), schema=schema), out)
    return out.getvalue()
