"""Talking to a provider about batches: tries again what may be repeated, and never the rest.

A call that makes a batch is not repeated when nobody knows whether it went through: that would be
paid twice. Keys go into a header; whatever comes back passes through the mask first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from core.errors import Unavailable
from core.words import counted
from evals.batches.rhythm import Rhythm
from evals.keys import Mask
from evals.models import ModelSpec
from evals.patience import retry_after
from evals.providers.catalogue import PROVIDERS
from evals.replies import one_line, parse, reason

CONNECT = 10.0  # seconds
ANSWER = 60.0  # seconds without a byte; a call that makes a batch ends within the hold of a session
LARGEST = 16 * 2**20  # bytes of one document, and of one line
_BUSY = {408, 425, 429}
_NEVER_BEGUN = (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol)
_BROKEN = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError)
_NOT_LINES = ("text/html", "image/", "audio/", "video/", "application/xml", "text/xml")


class Unsure(Exception):
    """Nobody knows whether the provider took a batch; the text says what happened."""


class Refusal(Exception):
    """The provider said no, for good; the text says why."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(f"HTTP {status}: {said}" if said else f"HTTP {status}")
        self.status = status


class CutOff(Exception):
    """A download ended before its end, or was none; the text says how."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One call: what is sent where.

    Attributes
    ----------
    content
        Pieces of the body, made anew for each try; `length` are their bytes together.
    """

    method: str
    path: str
    json: Mapping[str, Any] | None = None
    content: Callable[[], Iterable[bytes]] | None = None
    length: int = 0
    kind: str = ""


class Wire:
    """A connection to one provider; a value for one thread."""

    def __init__(self, spec: ModelSpec, key: str, rhythm: Rhythm, sign: Callable[[], None]) -> None:
        self._base, self.mask, self._rhythm, self._sign = spec.base_url, Mask(key), rhythm, sign
        self._http = httpx.Client(
            headers=PROVIDERS[spec.provider].headers(key),
            timeout=httpx.Timeout(ANSWER, connect=CONNECT),
            trust_env=urlsplit(spec.base_url).hostname not in {"127.0.0.1", "localhost", "::1"},
        )

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def rest(self, seconds: float) -> None:
        """Wait, with signs that the session goes on."""
        self._rhythm.rest(seconds, self._sign)

    def call(self, sent: Sent) -> Mapping[str, Any]:
        """Return the document that a call brings; whatever may pass is tried again.

        Raises
        ------
        Refusal
            When the provider says no.
        Unavailable
            When it says nothing of use, however often it is asked.
        """
        tries = 0
        while True:
            tries += 1
            wait: float | None = None
            try:
                status, headers, raw = self._once(sent)
            except _BROKEN as error:
                said = self._said(error)
            else:
                if not _passing(status):
                    return self._document(status, raw)
                said = _why(status, raw)
                wait = retry_after(headers, raw)
            delay = self._rhythm.before_trying_again(tries, wait)
            if delay is None:
                asked = f"; it asks for {wait:g} s" if wait else ""
                raise Unavailable(f"{self._base}: {said} ({counted(tries, 'attempt')}{asked})")
            self.rest(delay)

    def make(self, sent: Sent) -> Mapping[str, Any]:
        """Return the document of a call that makes something which costs money.

        It is tried again only where it is certain that nothing was made.

        Raises
        ------
        Refusal
            When the provider says no: nothing was made.
        Unavailable
            When it could not be reached, or is too busy: nothing was made.
        Unsure
            When it cannot be known.
        """
        tries = 0
        while True:
            tries += 1
            wait: float | None = None
            try:
                status, headers, raw = self._once(sent)
            except _NEVER_BEGUN as error:
                said = self._said(error)
            except _BROKEN as error:
                raise Unsure(self._said(error)) from None
            else:
                if status != httpx.codes.TOO_MANY_REQUESTS:
                    if _passing(status):
                        raise Unsure(_why(status, raw))
                    return self._made(status, raw)
                said = _why(status, raw)
                wait = retry_after(headers, raw)
            delay = self._rhythm.before_trying_again(tries, wait)
            if delay is None:
                asked = f"; it asks for {wait:g} s" if wait else ""
                raise Unavailable(f"{self._base}: {said} ({counted(tries, 'attempt')}{asked})")
            self.rest(delay)

    def lines(self, path: str) -> Iterator[bytes]:
        """Yield the lines of a download as they come, without the key, empty ones left out.

        Raises
        ------
        Refusal
            When there is no such file any more.
        CutOff
            When it ends before its end, or is no file of lines; what came before it was whole.
        """
        held = b""
        try:
            with self._download(path) as chunks:
                for chunk in chunks:
                    *whole, held = (held + chunk).split(b"\n")
                    yield from (self.mask.received(line) for line in whole if line.strip())
                    if len(held) > LARGEST:
                        raise CutOff(f"a line is longer than {LARGEST // 2**20} MB")
        except _BROKEN as error:
            raise CutOff(self._said(error)) from None
        if held.strip():
            if not _is_json(held):
                raise CutOff("the last line is not whole")
            yield self.mask.received(held)

    @contextmanager
    def _download(self, path: str) -> Iterator[Iterator[bytes]]:
        with self._http.stream("GET", f"{self._base}{path}") as response:
            if not response.is_success:
                raw = response.read()
                if _passing(response.status_code):
                    raise CutOff(_why(response.status_code, self.mask.received(raw)))
                raise Refusal(response.status_code, reason(self.mask.received(raw)))
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind.startswith(_NOT_LINES):
                raise CutOff(f"it came as {one_line(kind)}, not as lines of JSON")
            yield response.iter_bytes()

    def _once(self, sent: Sent) -> tuple[int, httpx.Headers, bytes]:
        self._sign()
        more: dict[str, Any] = {}
        if sent.content is not None:
            more["content"] = self._signing(sent.content())
            more["headers"] = {"Content-Type": sent.kind, "Content-Length": str(sent.length)}
        elif sent.json is not None:
            more["json"] = sent.json
        raw = bytearray()
        with self._http.stream(sent.method, f"{self._base}{sent.path}", **more) as response:
            for chunk in response.iter_bytes():
                raw += chunk
                if len(raw) > LARGEST:
                    raise httpx.DecodingError(f"the answer is larger than {LARGEST // 2**20} MB")
        return response.status_code, response.headers, self.mask.received(bytes(raw))

    def _signing(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Give signs while a long body goes out."""
        sent = 0
        for piece in pieces:
            yield piece
            sent += len(piece)
            if sent > LARGEST:
                self._sign()
                sent = 0

    def _document(self, status: int, raw: bytes) -> Mapping[str, Any]:
        if not 200 <= status < 300:
            raise Refusal(status, reason(raw))
        try:
            found = parse(raw)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise Unavailable(f"{self._base}: its answer is no JSON: {reason(raw)[:80]}")
        return found

    def _made(self, status: int, raw: bytes) -> Mapping[str, Any]:
        try:
            return self._document(status, raw)
        except Unavailable as error:
            raise Unsure(str(error)) from None  # it said yes, and not to what

    def _said(self, error: Exception) -> str:
        said = one_line(self.mask.text(str(error))) or type(error).__name__
        return f"the connection broke ({said})"


def _passing(status: int) -> bool:
    return status in _BUSY or status >= 500


def _why(status: int, raw: bytes) -> str:
    said = reason(raw)
    return f"HTTP {status}: {said}" if said else f"HTTP {status}"


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)  # NaN goes through: whether it may stand there is for the line's reader
    except (ValueError, RecursionError):
        return False
    return True
