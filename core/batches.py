"""Batches as records: requests that a provider takes in one piece and answers within a day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.runs import Answered, GenerationKey, Run

# What became of one request, as far as is known.
Outcome = Literal[
    "answered", "errored", "expired", "cancelled", "missing", "held", "withdrawn", "unasked", "lost"
]
# How a batch ended: its results are in; it was refused as a whole; it was never accepted; its
# results were deleted before anybody collected them.
Ended = Literal["collected", "failed", "unsent", "gone"]
# A line of the results that is nobody's answer: an id that nobody gave, an id a second time, no
# JSON of the protocol, an answer to a key that has one, to an item that was withdrawn.
Stray = Literal["unknown", "twice", "unreadable", "held", "withdrawn"]

OUTCOMES: tuple[Outcome, ...] = (
    "answered", "errored", "expired", "cancelled", "missing", "held", "withdrawn", "unasked",
    "lost",
)  # fmt: skip
LEFT: Mapping[Ended, Outcome] = {
    "collected": "missing", "failed": "unasked", "unsent": "unasked", "gone": "lost",
}  # fmt: skip
THROUGH = "through"  # where a run's configuration says how its requests went out
BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a batch: its key, and the digest of its body."""

    key: GenerationKey
    body: str


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One request as the study file has it; its place in the batch is its name at the provider."""

    place: int
    key: GenerationKey
    body: str
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch, from before it goes out until nothing more can come of it.

    Attributes
    ----------
    marker
        Begins the name of each of its requests, and stands in its metadata.
    session
        The session of the run that works on it, or did so last.
    tried_at
        When the last call began that could have made it at the provider.
    file, remote
        The provider's ids of the uploaded requests and of the batch; empty: not known.
    status, done, failed
        As the provider said when it was looked at last.
    said
        Why it ended as it did, in the provider's words.
    """

    id: int
    run: int
    marker: str
    requests: int
    sealed: str
    session: int
    prepared_at: str
    tried_at: str | None
    file: str
    remote: str
    submitted_at: str | None
    expires_at: str | None
    status: str
    done: int
    failed: int
    ended: Ended | None
    ended_at: str | None
    said: str

    def name(self, place: int) -> str:
        """Return the name of a request at the provider (its ``custom_id``)."""
        return f"{self.marker}-{place}"

    def place(self, name: str) -> int | None:
        """Return the place of a request by its name; ``None`` for a name that is not of here."""
        begin, dash, number = name.rpartition("-")
        if begin != self.marker or not dash or not number.isascii() or not number.isdigit():
            return None
        place = int(number) if len(number) <= 6 else self.requests
        return place if place < self.requests and self.name(place) == name else None


@dataclass(frozen=True, slots=True)
class Result:
    """What one line of the results says of one request.

    Attributes
    ----------
    answered
        What is stored under its key: an answer, or an error; ``None`` where nothing is.
    line
        The digest of the line as it came.
    """

    place: int
    outcome: Outcome
    line: str
    answered: Answered | None = None


@dataclass(frozen=True, slots=True)
class StrayLine:
    """A line that is nobody's answer, kept as it came."""

    kind: Stray
    line: bytes


def by_batch(run: Run) -> bool:
    """Whether the answers of a run came by batch."""
    return run.config.get(THROUGH) == BATCH
