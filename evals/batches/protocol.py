"""What a provider of batches is: how one is made, found again, looked at, fetched and cancelled.

The requests themselves are made by :mod:`evals.providers`, and so are the replies read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from evals.batches.lines import Line
from evals.batches.splitting import FileLimits
from evals.batches.wire import Wire


@dataclass(frozen=True, slots=True)
class Remote:
    """A batch as the provider says it stands.

    Attributes
    ----------
    status
        In the provider's own word.
    over
        Whether nothing more will come.
    refused
        Why it was refused as a whole, where it was.
    files
        Where its results are, one after the other.
    """

    id: str
    status: str
    over: bool
    refused: str = ""
    files: tuple[str, ...] = ()
    total: int = 0
    done: int = 0
    failed: int = 0
    created_at: str | None = None
    expires_at: str | None = None


@dataclass(frozen=True, slots=True)
class Sought:
    """A batch of which nobody knows whether the provider took it.

    Attributes
    ----------
    tried_at
        When the call began that may have made it, by our clock.
    known
        The provider's ids of all batches that the study knows; it is none of them.
    """

    marker: str
    requests: int
    file: str
    tried_at: str
    known: frozenset[str]


class BatchProvider(Protocol):
    """One protocol of batches."""

    @property
    def limits(self) -> FileLimits:
        """What one file may hold."""
        ...

    def request(self, name: str, body: Mapping[str, Any]) -> bytes:
        """Return one request as it stands in the file; without an end of line."""
        ...

    def upload(self, wire: Wire, marker: str, requests: Sequence[bytes]) -> str:
        """Send the requests ahead, where that is a step of its own; return the file's id."""
        ...

    def make(self, wire: Wire, marker: str, file: str, requests: Sequence[bytes]) -> Remote:
        """Make the batch. What it raises is what :meth:`Wire.make` raises."""
        ...

    def find(self, wire: Wire, sought: Sought) -> Remote | None:
        """Look for a batch that may have been made; ``None`` when it certainly was not.

        Raises
        ------
        Unsure
            When it cannot be known yet.
        """
        ...

    def look(self, wire: Wire, remote: str) -> Remote:
        """Return how a batch stands."""
        ...

    def cancel(self, wire: Wire, remote: str) -> Remote:
        """Ask for an end of a batch; what was done until then comes as results."""
        ...

    def results(self, wire: Wire, remote: Remote) -> Iterator[bytes]:
        """Yield the lines of the results, from all files."""
        ...

    def read(self, raw: bytes) -> Line:
        """Read one line."""
        ...


def name_of(value: Any) -> str:
    """Return a provider's name for something; nothing where it is none that could be shown."""
    return value if isinstance(value, str) and value.isprintable() and len(value) <= 200 else ""


def at(value: Any) -> str | None:
    """Return a time of a provider, in seconds or as ISO-8601, as the study file keeps times."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
        elif isinstance(value, int | float):
            moment = datetime.fromtimestamp(value, UTC)
        else:
            return None
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def count(value: Any, *names: str) -> int:
    """Return the sum of some counts of an object; what is no count is none."""
    found = value if isinstance(value, dict) else {}
    stated = (found.get(name) for name in names)
    return sum(number for number in stated if type(number) is int and 0 <= number < 2**53)


def earlier(created_at: str | None, tried_at: str, slack: float) -> bool:
    """Whether a batch is older than a call, even if the clocks differ by so many seconds."""
    if created_at is None:
        return False
    apart = datetime.fromisoformat(tried_at) - datetime.fromisoformat(created_at)
    return apart.total_seconds() > slack


def listed(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; none where there is no list."""
    entries = value if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]
