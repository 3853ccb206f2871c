"""What the local server knows of batches: files, batches, their results, and their clock.

Nothing runs in the background: how a batch stands follows from when it came and what time it is.
The clock can be set forward, so that a day passes at once.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.hashing import digest, seed_from
from evals.mock.faults import LASTING, Faults
from evals.mock.protocols import answer, name_of, said


@dataclass(slots=True)
class Entry:
    """One request of a batch: its name, its body, and the fault that it has this time."""

    name: str
    body: bytes
    known: str
    fault: str


@dataclass(slots=True)
class Held:
    """A batch as the server holds it.

    Attributes
    ----------
    fault
        Of the whole batch; `spent` once it was done.
    refused
        Why it was refused as a whole.
    """

    id: str
    protocol: str
    entries: list[Entry]
    made_at: float
    fault: str
    file: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    refused: str = ""
    spent: bool = False
    cancelled_at: float | None = None


class BatchDesk:
    """Takes batches, and says how they stand.

    Attributes
    ----------
    calls
        How many calls about batches came.
    accepted
        Requests in all batches that were taken: what would be paid.
    """

    def __init__(self, faults: Faults, now: Callable[[], float] = time.time) -> None:
        self._faults, self._now = faults, now
        self._ahead = 0.0
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Held] = {}
        self.done: Counter[str] = Counter()
        self.calls = self.accepted = 0
        self._seen: set[str] = set()
        self._tried: set[str] = set()

    @property
    def now(self) -> float:
        """Seconds since the epoch, with what the clock was set forward."""
        return self._now() + self._ahead

    def counts(self) -> dict[str, int]:
        """Return how many calls, batches and requests came; nothing when none did."""
        came = {"calls": self.calls, "batches": len(self.batches), "by_batch": self.accepted}
        return came if self.calls else {}

    def forward(self, seconds: float) -> None:
        """Set the clock forward."""
        self._ahead += seconds

    def fault_of(self, content: str) -> str:
        """Return the fault of a batch by what it holds; each is drawn once."""
        if content in self._tried:
            return ""
        self._tried.add(content)
        return self._faults.batch.of_batch(self._faults.seed, content)

    def take(self, protocol: str, given: list[tuple[str, Any]], fault: str, **more: Any) -> Held:
        """Take a batch and return it; where it is refused as a whole, nothing of it is asked."""
        number = f"{len(self.batches) + 1:06}"
        name = f"{'msgbatch' if protocol == 'anthropic' else 'batch'}_{number}"
        held = Held(name, protocol, [], self.now, fault, **more)
        if fault == "validation_failed" and protocol != "anthropic":
            held.refused = "the queue of this model is full"
            self.done[fault] += 1
        elif len({name for name, _ in given}) < len(given):
            held.refused = "two requests have one custom_id"
        else:
            self.accepted += len(given)
            if fault in {"stops_early", "stranger"}:
                self.done[fault] += 1
            held.entries = [self._entry(name, body) for name, body in given]
        self.batches[name] = held
        return held

    def stands(self, held: Held) -> str:
        """Return how a batch stands: ``failed``, ``going``, ``finalising``, ``over``."""
        if held.refused:
            return "failed"
        passed, until = self.now - held.made_at, min(self._takes, self._faults.batch.window)
        if held.cancelled_at is not None:
            until = min(until, held.cancelled_at - held.made_at)
        if passed < until:
            return "going"
        return "finalising" if passed < until + self._faults.batch.finalising else "over"

    def ended(self, held: Held) -> str:
        """Return how a batch that is over ended: ``completed``, ``expired`` or ``cancelled``."""
        if held.cancelled_at is not None and held.cancelled_at < held.made_at + self._takes:
            return "cancelled"
        expired = held.fault == "stops_early" or self._takes > self._faults.batch.window
        return "expired" if expired else "completed"

    def spend(self, held: Held, fault: str) -> bool:
        """Whether a fault of a batch is to be done now; it is done once."""
        if held.fault != fault or held.spent:
            return False
        held.spent = True
        self.done[fault] += 1
        return True

    def kept(self, held: Held) -> bool:
        """Whether the results of a batch are there yet."""
        return self.now - held.made_at < self._faults.batch.kept

    def became(self, held: Held, place: int) -> str:
        """Return what became of a request: a fault, ``cancelled``, or nothing for an answer."""
        early = held.fault == "stops_early" and place % 2 == 1
        if early or self._takes > self._faults.batch.window:
            return "expired"
        if self.ended(held) == "cancelled" and place % 2 == 1:
            return "cancelled"
        return held.entries[place].fault

    def lines(
        self, held: Held, line: Callable[[Entry, str], dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the lines of the results, in an order of their own, with faults of lines done."""
        found = []
        for place, entry in enumerate(held.entries):
            became = self.became(held, place)
            if became == "missing_line":
                continue
            found.append(line(entry, "" if became == "duplicate_line" else became))
            if became == "duplicate_line":
                found.append(found[-1])
        if held.fault == "stranger":
            found.append({**line(held.entries[0], ""), "custom_id": "somebody-else-1"})
        return sorted(found, key=lambda line: seed_from("order", held.id, line["custom_id"]))

    def answer(self, held: Held, entry: Entry) -> Any:
        """Return the body of the answer to one request: the one that it gets alone."""
        lasting = self._faults.of(entry.known)
        fault = lasting if lasting in LASTING else ""
        spoken = said(entry.known, entry.body, fault, self._faults.seed)
        return json.loads(answer(held.protocol, spoken, len(entry.body)))

    @property
    def _takes(self) -> float:
        return self._faults.batch.takes

    def _entry(self, name: str, body: Any) -> Entry:
        raw = json.dumps(body).encode()
        known = name_of(raw)
        fault = self._faults.batch.of_request(self._faults.seed, known)
        if fault and fault != "invalid" and known in self._seen:
            fault = ""
        self._seen.add(known)
        if fault:
            self.done[fault] += 1
        return Entry(name, raw, known, fault)


def content_of(given: list[tuple[str, Any]]) -> str:
    """Return what a batch is known by, so that its fault passes when it is sent again."""
    return digest("".join(sorted(name_of(json.dumps(body).encode()) for _, body in given)))
