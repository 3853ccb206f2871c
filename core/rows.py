"""Rows from elsewhere: bytes to cells as texts, each row with its place, nothing guessed.

CSV, JSON lines and JSON come out alike. Objects inside a row become columns with dotted names
(``answers.choice``). Nothing here opens a file: whoever reads one has its bytes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, Literal

FileKind = Literal["csv", "jsonl", "json"]
Unit = Literal["line", "row"]
SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
# Marks at the beginning of a file, longest first: one of UTF-32 begins like one of UTF-16.
MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


class Bare(str):
    """A cell that was written as a number, a truth or nothing (empty), and not as a text."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One row: where it begins, and its cells as texts, empty where there is none.

    `unit` is what the format counts: a Parquet file has rows and no lines.
    """

    line: int
    cells: Mapping[str, str]
    unit: Unit = "line"


@dataclass(frozen=True, slots=True)
class RowFault:
    """What is wrong, and where."""

    line: int
    column: str | None
    what: str
    unit: Unit = "line"

    def __str__(self) -> str:
        column = f", column {self.column}" if self.column else ""
        return f"{self.unit} {self.line}{column}: {self.what}"


@dataclass(frozen=True, slots=True)
class FileContent:
    """What was read: rows, the columns that occur, and every fault."""

    records: tuple[Record, ...]
    columns: frozenset[str]
    faults: tuple[RowFault, ...]

    def lacking(self, names: Iterable[str]) -> list[RowFault]:
        """Return a fault per column that a map names and the file has not."""
        if not self.records:
            return []
        absent = [name for name in names if name not in self.columns]
        return [RowFault(1, name, "the file has no such column") for name in absent]


Found = Iterator[Record | RowFault]


def read(
    data: bytes, kind: FileKind, delimiter: str = ",", nothing: str = "the file holds no rows"
) -> FileContent:
    """Read a whole file; a row with a fault is left out and its fault named.

    `nothing` is what is said of a file without rows.
    """
    text = decoded(data)
    if isinstance(text, RowFault):
        return FileContent((), frozenset(), (text,))
    match kind:
        case "csv":
            found = _csv(text, delimiter)
        case "jsonl":
            found = _json_lines(text)
        case "json":
            found = _json(text)
    return gathered(found, nothing)


def gathered(found: Found, nothing: str) -> FileContent:
    """Return rows and faults, told apart; no row at all is a fault as well."""
    everything = list(found)
    records = tuple(entry for entry in everything if isinstance(entry, Record))
    faults = [entry for entry in everything if isinstance(entry, RowFault)]
    if not everything:
        faults.append(RowFault(1, None, nothing))
    columns = frozenset(name for record in records for name in record.cells)
    return FileContent(records, columns, tuple(faults))


def decoded(data: bytes) -> str | RowFault:
    """Return the text of UTF-8, with or without its mark; what is something else is named."""
    for mark, name in MARKS:
        if data.startswith(mark):
            return RowFault(1, None, f"not UTF-8 but {name}; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        what = f"not UTF-8 at byte {error.start} (0x{data[error.start]:02X}); save it as UTF-8"
        return RowFault(line, None, what)


def _csv(text: str, delimiter: str) -> Found:
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    line = 1
    try:
        for row in reader:
            if not header:
                header = [name.strip() for name in row]
                if fault := _header_fault(header, line, delimiter):
                    yield fault
                    return
            elif len(row) == len(header):
                yield Record(line, dict(zip(header, row, strict=True)))
            elif row:
                yield RowFault(line, None, f"{len(row)} cells for {len(header)} columns")
            line = reader.line_num + 1
    except csv.Error as error:
        yield RowFault(line, None, f"not CSV: {error}")


def _header_fault(header: list[str], line: int, delimiter: str) -> RowFault | None:
    if len(header) == 1:
        for other, name in SEPARATORS.items():
            if other != delimiter and other in header[0]:
                used = SEPARATORS.get(delimiter, repr(delimiter))
                return RowFault(line, None, f"the columns are set apart by {name}, not by {used}")
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
            value = _loads(written)
            yield Record(line, flattened(value))
        except (ValueError, RecursionError) as error:
            yield RowFault(line, None, f"not a row of JSON lines: {error}")


def _json(text: str) -> Found:
    """Read a list of objects entry by entry, so that each has the line on which it begins."""
    decoder = json.JSONDecoder(**_STRICT)
    at = _past_blanks(text, 0)
    if text[at : at + 1] != "[":
        yield RowFault(1, None, "a JSON file must hold a list: [ ... ]")
        return
    at, line, counted = _past_blanks(text, at + 1), 1, 0
    while text[at : at + 1] != "]":
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            where = error.lineno if isinstance(error, json.JSONDecodeError) else line
            yield RowFault(where, None, f"not JSON: {why}")
            return
        try:
            yield Record(line, flattened(value))
        except ValueError as error:
            yield RowFault(line, None, f"not a row: {error}")
        at = _past_blanks(text, at)
        if text[at : at + 1] == ",":
            at = _past_blanks(text, at + 1)
        elif text[at : at + 1] != "]":
            yield RowFault(text.count("\n", 0, at) + 1, None, "not JSON: a comma or ] is missing")
            return
    if text[at + 1 :].strip():
        yield RowFault(text.count("\n", 0, at) + 1, None, "not JSON: something follows the list")


def _past_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n"):
        at += 1
    return at


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"a name is given twice: {twice}")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


_STRICT: dict[str, Any] = {
    "object_pairs_hook": _object,
    "parse_constant": _no_number,
    "parse_int": Bare,
    "parse_float": Bare,
}


def _loads(text: str) -> Any:
    return json.loads(text, **_STRICT)


def flattened(value: object) -> dict[str, str]:
    """Return the cells of an object; objects inside it become columns with dotted names.

    An empty object says nothing as a whole group of columns, and is kept as ``{}`` inside one.

    Raises
    ------
    ValueError
        When it is no object, two of its values would have one name, or a text is no text.
    """
    if not isinstance(value, dict):
        raise ValueError("an object is needed, with a name for every value")  # noqa: TRY004
    cells: dict[str, str] = {}
    _flatten(value, "", cells)
    return cells


def _flatten(value: Mapping[str, Any], prefix: str, cells: dict[str, str]) -> None:
    for name, entry in value.items():
        key = f"{prefix}{name}"
        if isinstance(entry, dict) and (entry or not prefix):
            _flatten(entry, f"{key}.", cells)
            continue
        if key in cells:
            raise ValueError(f"two values are called {key}")
        cells[key] = _text(entry)


def _text(value: Any) -> str:
    if value is None:
        return Bare()
    if isinstance(value, bool):
        return Bare(str(value).lower())
    if isinstance(value, (list, dict)):
        return Bare(json.dumps(_plain(value), ensure_ascii=False))
    text: str = value if isinstance(value, str) else str(value)
    text.encode()  # half a character is refused here, with its line
    return text


def _plain(value: Any) -> Any:
    """Return what a list holds with its numbers as numbers again."""
    if isinstance(value, Bare):
        return json.loads(value)
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return value


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return the first names of many as a list in a sentence."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def told(cell: str) -> str:
    """Return a cell for an error: quoted, and short."""
    return repr(str(cell) if len(cell) <= 40 else f"{cell[:39]}…")
