"""Message batches of Anthropic: the requests stand in the call that makes the batch.

A batch has no metadata. One that may have been made is found among those of its size that came
after the call and that the study does not know: by the names in its results, once it has ended.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import quote

from core.hashing import canonical
from evals.batches.lines import Line, read_anthropic
from evals.batches.protocol import Remote, Sought, at, count, earlier, listed, name_of
from evals.batches.splitting import FileLimits
from evals.batches.wire import CutOff, Refusal, Sent, Unsure, Wire
from evals.replies import one_line, text_of

PATH = "/messages/batches"
_BEGIN, _END = b'{"requests":[', b"]}"
_PAGE, _PAGES = 100, 100
_SLACK = 3600  # seconds by which the clocks may differ
_COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")


class AnthropicBatches:
    """Message batches."""

    limits = FileLimits(requests=100_000, bytes=256 * 10**6, around=len(_BEGIN + _END))

    def request(self, name: str, body: Mapping[str, Any]) -> bytes:
        """Return one entry of the list of requests."""
        return canonical({"custom_id": name, "params": body}).encode()

    def upload(self, wire: Wire, marker: str, requests: Sequence[bytes]) -> str:
        """Nothing goes ahead."""
        return ""

    def make(self, wire: Wire, marker: str, file: str, requests: Sequence[bytes]) -> Remote:
        """Send all requests in one call."""
        pieces = [_BEGIN, *_with_commas(requests), _END]
        size = sum(map(len, pieces))
        sent = Sent("POST", PATH, None, lambda: pieces, size, "application/json")
        made = _remote(wire.make(sent))
        if not made.id:
            raise Unsure("the answer names no batch")
        return made

    def find(self, wire: Wire, sought: Sought) -> Remote | None:
        """Look at every batch that it could be."""
        waiting = []
        for candidate in _candidates(wire, sought):
            if not candidate.over:
                waiting.append(candidate.id)
            elif self._names(wire, candidate, sought.marker):
                return candidate
        if waiting:
            raise Unsure(f"it may be {', '.join(waiting)}, which shows only when that has ended")
        return None

    def look(self, wire: Wire, remote: str) -> Remote:
        """Return how a batch stands."""
        return _remote(wire.call(Sent("GET", f"{PATH}/{quote(remote, safe='')}")))

    def cancel(self, wire: Wire, remote: str) -> Remote:
        """Ask for an end."""
        return _remote(wire.call(Sent("POST", f"{PATH}/{quote(remote, safe='')}/cancel", {})))

    def results(self, wire: Wire, remote: Remote) -> Generator[bytes]:
        """Yield the lines of the results.

        From an address of our own making: one that the provider names would get the key as well.
        """
        for file in remote.files:
            yield from wire.lines(f"{PATH}/{quote(file, safe='')}/results")

    def read(self, raw: bytes) -> Line:
        """Read one line."""
        return read_anthropic(raw)

    def _names(self, wire: Wire, candidate: Remote, marker: str) -> bool:
        """Whether the results of a batch carry our marker; all lines carry the same."""
        try:
            with closing(self.results(wire, candidate)) as lines:
                first = next(lines, b"")
        except (Refusal, CutOff) as error:
            raise Unsure(f"the results of {candidate.id} cannot be read: {error}") from None
        return read_anthropic(first).name.startswith(f"{marker}-")


def _with_commas(requests: Sequence[bytes]) -> Iterator[bytes]:
    for place, request in enumerate(requests):
        yield b"," + request if place else request


def _candidates(wire: Wire, sought: Sought) -> Iterator[Remote]:
    """Yield the batches that it could be, newest first."""
    after = ""
    for _ in range(_PAGES):
        page = wire.call(Sent("GET", f"{PATH}?limit={_PAGE}{after}"))
        found = [_remote(entry) for entry in listed(page.get("data"))]
        for batch in found:
            if earlier(batch.created_at, sought.tried_at, _SLACK):
                return
            if batch.total == sought.requests and batch.id not in sought.known:
                yield batch
        if not found or not page.get("has_more"):
            return
        after = f"&after_id={quote(found[-1].id, safe='')}"
    raise Unsure(f"the provider lists more than {_PAGE * _PAGES:,} batches")


def _remote(entry: Mapping[str, Any]) -> Remote:
    status, counts = text_of(entry.get("processing_status")), entry.get("request_counts")
    over, name = status == "ended", name_of(entry.get("id"))
    return Remote(
        id=name,
        status=one_line(status),
        over=over,
        files=(name,) if over else (),
        total=count(counts, *_COUNTS),
        done=count(counts, "succeeded"),
        failed=count(counts, "errored", "canceled", "expired"),
        created_at=at(entry.get("created_at")),
        expires_at=at(entry.get("expires_at")),
    )
