"""Rows of a file from elsewhere: cells as texts, what they stand for, and what is wrong with them.

What every import needs: a row that is read cell by cell keeps its faults, each with line and
column, instead of stopping at the first. The ``[file]`` table of a column map is read here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from math import isfinite
from typing import Any, Protocol, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.rows import Record, RowFault, told
from core.toml import Place

T = TypeVar("T")
P = TypeVar("P", bound="Placed")
Faults = Iterator[tuple[Place, str]]
TRUTHS: dict[str, bool] = {
    "true": True, "yes": True, "y": True, "1": True,
    "false": False, "no": False, "n": False, "0": False,
}  # fmt: skip


class Placed(Protocol):
    """What can say at which place, or when, it was given."""

    @property
    def position(self) -> int | None:
        """Its place in its person's order."""
        ...

    @property
    def at(self) -> str | None:
        """When it was given."""
        ...


class Row:
    """One row while it is read: gives cells by what they are, and keeps what is wrong."""

    def __init__(self, record: Record, columns: Mapping[str, str]) -> None:
        self.line = record.line
        self.faults: list[RowFault] = []
        self._cells = record.cells
        self._columns = columns

    def has(self, name: str) -> bool:
        """Return whether the map says where this stands."""
        return name in self._columns

    def cell(self, name: str) -> str:
        """Return a cell without blanks at its ends; empty where there is none."""
        return self.text(name).strip()

    def text(self, name: str) -> str:
        """Return a cell as it is."""
        return self._cells.get(self._columns[name], "") if self.has(name) else ""

    def column(self, column: str) -> str:
        """Return the cell of a column of the file."""
        return self._cells.get(column, "")

    def wrong(self, name: str, what: str) -> None:
        """Keep what is wrong with a cell."""
        self.wrong_in(self._columns[name], what)

    def wrong_in(self, column: str, what: str) -> None:
        """Keep what is wrong in a column of the file."""
        self.faults.append(RowFault(self.line, column, what))

    def read(self, name: str, reader: Callable[[str], T]) -> T | None:
        """Return what a cell means; ``None`` for an empty one, or a wrong one, which is noted."""
        cell = self.cell(name)
        try:
            return reader(cell) if cell else None
        except ValueError as error:
            self.wrong(name, str(error))
            return None


def in_order(given: Sequence[P]) -> list[P]:
    """Return one person's rows as they were shown: by position, else by time, else as filed."""
    if all(each.position is not None for each in given):
        return sorted(given, key=lambda each: each.position or 0)
    if all(each.at is not None for each in given):
        return sorted(given, key=lambda each: each.at or "")
    return list(given)


def read_truth(cell: str) -> bool:
    """Return yes or no.

    Raises
    ------
    ValueError
        With what is understood, when it is neither.
    """
    try:
        return TRUTHS[cell.lower()]
    except KeyError:
        raise ValueError(f"{told(cell)} is no answer; understood are {', '.join(TRUTHS)}") from None


def read_number(cell: str, *, least: float) -> float:
    """Return a number that is not below the least.

    Raises
    ------
    ValueError
        When it is none.
    """
    try:
        number = float(cell)
    except ValueError:
        raise ValueError(f"{told(cell)} is no number") from None
    if not isfinite(number) or number < least:
        raise ValueError(f"{told(cell)} is not a number from {least:g} on")
    return number


def read_whole(cell: str, *, least: int) -> int:
    """Return a whole number that is not below the least; see :func:`read_number`."""
    number = read_number(cell, least=least)
    if number != int(number) or number > 2**53:
        raise ValueError(f"{told(cell)} is no whole number")
    return int(number)


def read_time(cell: str, zone: tzinfo | None) -> str:
    """Return a time as the study file keeps it: UTC, ISO-8601, milliseconds.

    A number is seconds since 1970.

    Raises
    ------
    ValueError
        When it is no time, or lacks the time zone that no map gives.
    """
    try:
        at = _moment(cell)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{told(cell)} is no time; write it like 2026-11-30T17:27:35Z") from None
    if at.tzinfo is None and zone is None:
        raise ValueError(f"{told(cell)} has no time zone; name one in the map, under [file] zone")
    try:
        utc = (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{told(cell)} is no time that can be kept") from None
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(cell: str) -> datetime:
    try:
        seconds = float(cell)
    except ValueError:
        return datetime.fromisoformat(cell)
    if seconds < 10**8:  # 20261130 is a date to fromisoformat, and no time here
        raise ValueError(cell)
    return datetime.fromtimestamp(seconds, UTC)


def zone_of(name: Any) -> tzinfo | None:
    """Return the time zone of a name, ``UTC`` or ``+02:00``; ``None`` when it is none."""
    if name == "UTC":
        return UTC
    try:
        return datetime.strptime(name, "%z").tzinfo
    except (TypeError, ValueError):
        pass
    try:
        return ZoneInfo(name)
    except (TypeError, ValueError, OSError, ZoneInfoNotFoundError):
        return None


def faults_of_file(file: Any) -> Faults:
    """Find what is wrong with the ``[file]`` table of a map."""
    if not isinstance(file, dict):
        yield ("file",), "file must be a table"
    for name in file:
        if name not in ("delimiter", "zone"):
            yield ("file", name), f"unknown field {name!r}; known are delimiter, zone"
    delimiter = file.get("delimiter", ",")
    if delimiter not in (",", ";", "\t", "|"):
        yield ("file", "delimiter"), "delimiter must be a comma, a semicolon, a tab or a bar"
    if "zone" in file and zone_of(file["zone"]) is None:
        yield ("file", "zone"), f"{file['zone']!r} is no time zone; write UTC, +02:00 or a name"
