"""Batches as OpenAI has them, and servers that speak the same: a file of requests, then a batch.

Every address is the model's base URL with ``/files`` or ``/batches``. A batch carries our marker in
its metadata, and names the file that it was made of; by either it is found again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from core.hashing import canonical
from evals.batches.lines import Line, read_openai
from evals.batches.protocol import Remote, Sought, at, count, earlier, listed, name_of
from evals.batches.splitting import FileLimits
from evals.batches.wire import Refusal, Sent, Unsure, Wire
from evals.replies import one_line, text_of

URL = "/v1/chat/completions"  # what requests are for, whatever the base URL
WINDOW = "24h"
FIELD = "wavelock"  # of the metadata
_PAGE, _PAGES = 100, 100
_SLACK = 24 * 3600  # seconds by which the clocks may differ
_OVER = {"completed", "failed", "expired", "cancelled"}


class OpenAIBatches:
    """Files and batches."""

    limits = FileLimits(requests=50_000, bytes=200 * 10**6)

    def request(self, name: str, body: Mapping[str, Any]) -> bytes:
        """Return one line of the file."""
        line = {"custom_id": name, "method": "POST", "url": URL, "body": body}
        return canonical(line).encode()

    def upload(self, wire: Wire, marker: str, requests: Sequence[bytes]) -> str:
        """Upload the file; one that was uploaded in vain costs nothing, and nobody reads it."""
        pieces = _form(marker, requests)
        kind = f"multipart/form-data; boundary={marker}"
        sent = Sent("POST", "/files", None, lambda: pieces, sum(map(len, pieces)), kind)
        file = name_of(wire.call(sent).get("id"))
        if not file:
            raise Refusal(200, "the upload was given no id")
        return file

    def make(self, wire: Wire, marker: str, file: str, requests: Sequence[bytes]) -> Remote:
        """Make a batch of an uploaded file."""
        body = {
            "input_file_id": file,
            "endpoint": URL,
            "completion_window": WINDOW,
            "metadata": {FIELD: marker},
        }
        made = _remote(wire.make(Sent("POST", "/batches", body)))
        if not made.id:
            raise Unsure("the answer names no batch")
        return made

    def find(self, wire: Wire, sought: Sought) -> Remote | None:
        """Go through the list of batches, newest first, to a day before the call."""
        after = ""
        for _ in range(_PAGES):
            page = wire.call(Sent("GET", f"/batches?limit={_PAGE}{after}"))
            entries = listed(page.get("data"))
            for entry in entries:
                if _is(entry, sought):
                    return _remote(entry)
            last = _remote(entries[-1]) if entries else None
            if last is None or not page.get("has_more"):
                return None
            if earlier(last.created_at, sought.tried_at, _SLACK):
                return None
            after = f"&after={quote(last.id, safe='')}"
        raise Unsure(f"the provider lists more than {_PAGE * _PAGES:,} batches")

    def look(self, wire: Wire, remote: str) -> Remote:
        """Return how a batch stands."""
        return _remote(wire.call(Sent("GET", f"/batches/{quote(remote, safe='')}")))

    def cancel(self, wire: Wire, remote: str) -> Remote:
        """Ask for an end; it takes some minutes."""
        return _remote(wire.call(Sent("POST", f"/batches/{quote(remote, safe='')}/cancel", {})))

    def results(self, wire: Wire, remote: Remote) -> Iterator[bytes]:
        """Yield the lines of the output file, then of the error file."""
        for file in remote.files:
            yield from wire.lines(f"/files/{quote(file, safe='')}/content")

    def read(self, raw: bytes) -> Line:
        """Read one line."""
        return read_openai(raw)


def _remote(entry: Mapping[str, Any]) -> Remote:
    status, counts = text_of(entry.get("status")), entry.get("request_counts")
    files = (name_of(entry.get(name)) for name in ("output_file_id", "error_file_id"))
    return Remote(
        id=name_of(entry.get("id")),
        status=one_line(status),
        over=status in _OVER,
        refused=_reasons(entry) if status == "failed" else "",
        files=tuple(file for file in files if file),
        total=count(counts, "total"),
        done=count(counts, "completed"),
        failed=count(counts, "failed"),
        created_at=at(entry.get("created_at")),
        expires_at=at(entry.get("expires_at")),
    )


def _reasons(entry: Mapping[str, Any]) -> str:
    """Return why a batch was refused: the first reasons, with the lines that they name."""
    errors = entry.get("errors")
    found = listed(errors.get("data") if isinstance(errors, dict) else None)
    said = [_reason(error) for error in found]
    more = f" (and {len(said) - 3} more)" if len(said) > 3 else ""
    return one_line("; ".join(said[:3]) + more) or "no reason is given"


def _reason(error: Mapping[str, Any]) -> str:
    said = text_of(error.get("message")) or text_of(error.get("code")) or "no reason is given"
    line = error.get("line")
    return f"line {line}: {said}" if isinstance(line, int) else said


def _is(entry: Mapping[str, Any], sought: Sought) -> bool:
    metadata = entry.get("metadata")
    marked = isinstance(metadata, dict) and metadata.get(FIELD) == sought.marker
    return marked or (bool(sought.file) and entry.get("input_file_id") == sought.file)


def _form(marker: str, requests: Sequence[bytes]) -> list[bytes]:
    """Return the upload as a form, piece by piece; the marker is in no request but as their name.

    A boundary must not stand in the content: lines of JSON begin with a brace, it with two dashes.
    """
    field = f'--{marker}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
    head = (
        f'--{marker}\r\nContent-Disposition: form-data; name="file"; filename="{marker}.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    return [
        field.encode() + head.encode(),
        *(request + b"\n" for request in requests),
        f"\r\n--{marker}--\r\n".encode(),
    ]
