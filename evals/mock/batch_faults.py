"""What the local server does wrong with batches: decided by its seed and the request or the batch.

Faults of a request that pass hit the first batch that it comes in, and are gone in the next one;
faults of a batch hit it once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.hashing import seed_from

# Of single requests: an error line, the end of the batch before it was asked, no line, two lines.
REQUEST_PASSING = ("rate_limited", "server_error", "expired", "missing_line", "duplicate_line")
REQUEST_LASTING = ("invalid",)
# Of whole batches. Those that answer a call wrongly do it once, and the same call then goes well.
BATCH_KINDS = (
    "submit_429", "submit_500", "lost_reply", "validation_failed", "stops_early", "poll_500",
    "truncated", "short", "cut", "html", "gone", "stranger",
)  # fmt: skip
KINDS = (*REQUEST_PASSING, *REQUEST_LASTING, *BATCH_KINDS)
NUMBERS = ("takes", "finalising", "window", "kept")


@dataclass(frozen=True, slots=True)
class BatchFaults:
    """How often each fault comes, and how long batches take.

    Attributes
    ----------
    shares
        Of all requests, or of all batches, by kind of fault.
    takes, finalising
        Seconds until a batch is done, and then until its results are there.
    window, kept
        Seconds until a batch expires, and for which results are kept.
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    takes: float = 0.0
    finalising: float = 0.0
    window: float = 24 * 3600.0
    kept: float = 29 * 24 * 3600.0

    def of_request(self, seed: int, name: str) -> str:
        """Return the fault of a request, or nothing."""
        return self._drawn((*REQUEST_PASSING, *REQUEST_LASTING), "request", seed, name)

    def of_batch(self, seed: int, name: str) -> str:
        """Return the fault of a batch, or nothing."""
        return self._drawn(BATCH_KINDS, "batch", seed, name)

    def _drawn(self, kinds: tuple[str, ...], *parts: object) -> str:
        drawn = seed_from("mock batches", *parts) / 2**64
        for kind in kinds:
            drawn -= self.shares.get(kind, 0.0)
            if drawn < 0:
                return kind
        return ""


def batch_faults_in(raw: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Find what is wrong with the table of batches. Only the first is asked for."""
    if not isinstance(raw, dict):
        yield ("batch",), "must be a table"
    for name, value in raw.items():
        if name not in {*NUMBERS, *KINDS}:
            yield ("batch", name), f"unknown; there are {', '.join((*NUMBERS, *KINDS))}"
        elif type(value) not in {int, float} or not 0 <= value <= (1 if name in KINDS else 1e9):
            share = "must be a share from 0 to 1"
            yield ("batch", name), share if name in KINDS else "must be 0 or more seconds"
    for kinds in ((*REQUEST_PASSING, *REQUEST_LASTING), BATCH_KINDS):
        if sum(raw.get(name, 0.0) for name in kinds) > 1:
            yield ("batch",), "shares of requests, or of batches, come to more than 1 together"


def batch_faults(raw: Mapping[str, Any]) -> BatchFaults:
    """Return what a table that was checked says."""
    numbers = {name: float(raw[name]) for name in NUMBERS if name in raw}
    return BatchFaults({name: raw[name] for name in KINDS if name in raw}, **numbers)


def batch_preset(requests: float, batches: float) -> BatchFaults:
    """Return every fault in equal parts: of so large a share of requests, and of batches."""
    lines = (*REQUEST_PASSING, *REQUEST_LASTING)
    shares = dict.fromkeys(lines, requests / len(lines))
    return BatchFaults(shares | dict.fromkeys(BATCH_KINDS, batches / len(BATCH_KINDS)))
