"""Splitting requests into files that a provider takes: by number, and by bytes in UTF-8."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from core.errors import Refused

Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class FileLimits:
    """What a provider takes in one file.

    Attributes
    ----------
    requests, bytes
        At most, of the whole file.
    around
        Bytes that the file has beside its requests.
    between
        Bytes that each request takes beside its own: a comma, or the end of a line.
    """

    requests: int
    bytes: int
    around: int = 0
    between: int = 1

    def at_most(self, requests: int | None) -> FileLimits:
        """Return limits that hold no more than so many requests."""
        return replace(self, requests=min(self.requests, requests or self.requests))


def split(sized: Iterable[tuple[Entry, int]], limits: FileLimits) -> Iterator[list[Entry]]:
    """Yield the entries file by file, in their order, each file as full as it may be.

    Parameters
    ----------
    sized
        Entries, each with the bytes of its request.

    Raises
    ------
    Refused
        When one request alone is too large for a file.

    Examples
    --------
    >>> list(split([("a", 4), ("b", 4), ("c", 4)], FileLimits(requests=9, bytes=10)))
    [['a', 'b'], ['c']]
    """
    file: list[Entry] = []
    filled = limits.around
    for entry, size in sized:
        needed = size + limits.between
        if limits.around + needed > limits.bytes:
            raise Refused(
                f"one request has {size:,} bytes, and a batch of the provider takes at most "
                f"{limits.bytes:,}; ask this one without --batch"
            )
        if file and (len(file) >= limits.requests or filled + needed > limits.bytes):
            yield file
            file, filled = [], limits.around
        file.append(entry)
        filled += needed
    if file:
        yield file
