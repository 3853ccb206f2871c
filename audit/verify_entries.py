"""What verification knows of the entries that have passed: that they were there, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from core.study import LedgerEntry
from db.file import StudyFile

# By event, the field of the payload that says what the entry is about.
ABOUT = {
    "preregistration frozen": "preregistration",
    "preregistration amended": "preregistration",
    "preregistration": "round",
    "plan of an import": "round",
    "round closed": "round",
    "decisions committed": "round",
    "wave frozen": "number",
    "run started": "run",
    "run closed": "run",
}


@dataclass(slots=True)
class Passed:
    """Which entries have passed: their events, and their numbers by what they are about."""

    _events: dict[int, str] = field(default_factory=dict)
    _numbers: dict[tuple[str, object], int] = field(default_factory=dict)

    def note(self, entry: LedgerEntry) -> None:
        """Remember an entry; of several about the same thing, the first."""
        self._events[entry.sequence] = entry.event
        about = entry.payload.get(ABOUT[entry.event]) if entry.event in ABOUT else None
        if isinstance(about, (str, int)):
            self._numbers.setdefault((entry.event, about), entry.sequence)

    def event(self, number: int) -> str | None:
        """Return what the entry of a number is called, if it has passed."""
        return self._events.get(number)

    def number(self, event: str, about: object) -> int | None:
        """Return the number of the entry of an event about something, if it has passed."""
        return self._numbers.get((event, about))


Check = Callable[[StudyFile, LedgerEntry], Iterable[str]]  # an entry against its fact
Facts = Callable[[StudyFile, Passed], Iterable[str]]  # facts against the entries that passed
