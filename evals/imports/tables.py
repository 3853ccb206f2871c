"""Tables of anybody's: CSV, JSON lines, a JSON list or Parquet, by a map of columns."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

from core.errors import InputError, Unavailable
from core.hashing import canonical
from core.rows import listed
from evals.imports.documents import load, load_object
from evals.imports.files import LINE, Foreign, lines, text_of, whole
from evals.imports.rows import NAMES, Row, sample_of
from evals.imports.samples import Entry, Format, NoSample, Origin, Unreadable

SEPARATORS = (",", ";", "\t", "|")
_NAMED = tuple[str, Mapping[str, Any] | str, bytes]  # the place, a row or a fault, as it came


def origin(form: Format) -> Origin:
    """Return what a table says of the program that wrote it: nothing."""
    return Origin(form)


def samples(file: Foreign, form: Format, columns: Mapping[str, str]) -> Iterator[Entry]:
    """Yield the responses of a table.

    Raises
    ------
    InputError
        When it cannot be read at all, or no row has a column that is named.
    """
    rows = {"csv": _csv, "jsonl": _json_lines, "json": _json, "parquet": _parquet}[form]
    found, seen = {**{name: name for name in NAMES}, **columns}, set[str]()
    for place, row, raw in rows(file):
        if isinstance(row, str):
            yield Unreadable(place, row)
            continue
        seen.update(row)
        try:
            yield sample_of(Row(place, row, found, raw))
        except ValueError as error:
            yield Unreadable(place, str(error))
    # A dotted name leads into an object, which has the first part of it.
    if lacking := sorted({c for c in columns.values() if not {c, c.split(".")[0]} & seen}):
        has = f"; it has {listed(sorted(seen), 12)}" if seen else ""
        raise InputError(f"{file.path} has no column {listed(lacking)}{has}")


def _csv(file: Foreign) -> Iterator[_NAMED]:
    delimiter = _delimiter(file)
    decoded = _Lines(file)
    reader = csv.reader(decoded, delimiter=delimiter, strict=True)
    header: list[str] = []
    begins = 1
    usual = csv.field_size_limit(LINE)  # shorter than a long answer, and everybody's
    try:
        for cells in reader:
            place = f"line {begins}"
            begins = reader.line_num + 1
            if not header:
                header = _header(cells, file)
            elif len(cells) == len(header):
                row = dict(zip(header, cells, strict=True))
                yield place, row, canonical(row).encode()
            elif cells:
                yield place, f"{len(cells)} cells for {len(header)} columns", b""
    except csv.Error as error:
        yield f"line {begins}", f"not CSV: {error}", b""
    except ValueError as error:
        raise InputError(f"{file.path}, line {decoded.number + 1}: {error}") from error
    finally:
        csv.field_size_limit(usual)


class _Lines:
    """The lines of a file as texts with their ends, for the CSV reader."""

    def __init__(self, file: Foreign) -> None:
        self._lines = _ended(file)
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.number, text = next(self._lines)
        return text


def _ended(file: Foreign) -> Iterator[tuple[int, str]]:
    for line in lines(file, ends=True):
        if line.fault:
            raise ValueError(line.fault)
        yield line.number, text_of(line.raw)


def _delimiter(file: Foreign) -> str:
    """Return what sets the columns apart, going by the first line."""
    first = file.head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    if file.path.suffix.lower() == ".tsv":
        return "\t"
    return max(SEPARATORS, key=lambda mark: (first.count(mark), -SEPARATORS.index(mark)))


def _header(cells: list[str], file: Foreign) -> list[str]:
    header = [name.strip() for name in cells]
    for place, name in enumerate(header, start=1):
        if not name or name in header[: place - 1]:
            what = f"two columns are called {name!r}" if name else f"column {place} has no name"
            raise InputError(f"{file.path}, line 1: {what}")
    return header


def _json_lines(file: Foreign) -> Iterator[_NAMED]:
    for line in lines(file):
        if line.fault:
            yield line.place, line.fault, b""
        elif line.raw.strip():
            try:
                yield line.place, load_object(text_of(line.raw)), line.raw
            except ValueError as error:
                yield line.place, str(error), b""


def _json(file: Foreign) -> Iterator[_NAMED]:
    try:
        found = load(whole(file))
    except ValueError as error:
        raise InputError(f"{file.path}: {error}") from error
    if not isinstance(found, list):
        raise InputError(f"{file.path}: a JSON file must hold a list: [ ... ]")
    yield from _numbered(found)


def _parquet(file: Foreign) -> Iterator[_NAMED]:
    if find_spec("pyarrow") is None:
        raise Unavailable(
            f"{file.path} needs pyarrow, which is not installed; install the extra "
            "wavelock[parquet], or save it as CSV or JSON lines"
        )
    import pyarrow  # noqa: PLC0415  (an extra)
    import pyarrow.parquet  # noqa: PLC0415

    try:
        batches = pyarrow.parquet.ParquetFile(file.path).iter_batches(1_000)
        yield from _numbered(row for batch in batches for row in batch.to_pylist())
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{file.path}: not Parquet: {str(error).splitlines()[0]}") from error


def _numbered(rows: Iterable[Any]) -> Iterator[_NAMED]:
    for number, row in enumerate(rows, start=1):
        place = f"row {number}"
        if not isinstance(row, dict):
            yield place, "not a JSON object", b""
            continue
        try:
            yield place, row, canonical(_plain(row)).encode("utf-8", "backslashreplace")
        except (ValueError, TypeError, RecursionError) as error:
            yield place, str(error) or "it cannot be read", b""


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it; a time of a Parquet file as it is written.

    Raises
    ------
    NoSample
        When it is no number.
    """
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise NoSample(f"{value} is no number")
    return value if isinstance(value, str | int | float | None) else str(value)
