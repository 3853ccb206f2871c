"""A model that is none, on this machine only: three protocols over HTTP/1.1, with faults on demand.

For tests, for trying a models file, and for measuring the runner. It holds no key and checks none.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from time import monotonic

from evals.mock.batch_protocols import is_batch, respond
from evals.mock.batches import BatchDesk
from evals.mock.faults import LASTING, Faults
from evals.mock.prompts import HONEST, PromptEndpoint
from evals.mock.protocols import MODEL, answer, name_of, protocol_of, said

LARGEST = 16 * 2**20  # bytes of a request
LARGEST_BATCH = 272 * 2**20  # bytes of a file of requests
HUGE = 17 * 2**20  # bytes of a body that no client should read to its end
RUBBISH = b"<html><body>Bad Gateway \xff\xfe</body></html>"
COUNTS = "/mock/counts"  # how many requests came, and how often each fault was done
CLOCK = "/mock/clock"  # a POST of {"forward": seconds} makes batches so much older
SECRETS = ("authorization", "x-api-key", "x-goog-api-key")


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """What goes out; with `cut` the connection ends in the middle of the body."""

    status: int
    body: bytes
    headers: Mapping[str, str] | None = None
    cut: bool = False


class MockServer:
    """Answers requests, counts them, and goes wrong as it is told.

    Attributes
    ----------
    requests
        How many requests for an answer came.
    done
        How often each fault was done; a lasting one each time that it is asked for.

    `prompts` is how it gives log-probabilities of a prompt, one of
    :data:`evals.mock.prompts.MODES`.
    """

    def __init__(self, faults: Faults, prompts: str = HONEST) -> None:
        self.faults = faults
        self._prompts = PromptEndpoint(prompts, faults.seed)
        self.requests = 0
        self.done: Counter[str] = Counter()
        self._seen: Counter[int] = Counter()
        self._recent: deque[float] = deque()
        self.desk = BatchDesk(faults)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it is closed."""
        try:
            while request := await _read(reader):
                response = await self._answer(request)
                if response is None:
                    break
                _write(writer, response)
                await writer.drain()
                if response.cut:
                    break
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            pass  # whoever asked is gone, or speaks no HTTP
        finally:
            writer.close()

    async def _answer(self, request: Request) -> Response | None:
        if is_batch(request.path):
            return self._batch(request)
        if request.method == "GET":
            return self._stated(request.path)
        if request.path == CLOCK:
            return self._forward(request.body)
        return await self._asked(request)

    async def _asked(self, request: Request) -> Response | None:
        protocol = protocol_of(request.path)
        if not protocol and not self._prompts.knows(request.path):
            return _error(404, f"no such path: {request.path[:200]}")
        try:
            name = name_of(request.body)
        except (ValueError, RecursionError):
            return _error(400, "the request is no JSON")
        self.requests += 1
        if self._too_many():
            return self._limited(str(self.faults.wait))
        fault = self._fault(name)
        if fault:
            self.done[fault] += 1
        slow = self.faults.slowness if fault == "slow" else 0.0
        if self.faults.delay + slow:
            await asyncio.sleep(self.faults.delay + slow)
        good = self._good(protocol, name, request, fault)
        return None if fault == "drop" else self._wrong(fault, request, good)

    def _stated(self, path: str) -> Response:
        """Return what is said without being asked for an answer: counts, and the models."""
        listed = {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
        told = self._counts() if path == COUNTS else listed
        return Response(200, json.dumps(told).encode())

    def _counts(self) -> Mapping[str, int]:
        """Return what came, and what was done wrong; of batches only where any came."""
        return {"requests": self.requests, **self.desk.counts(), **(self.done + self.desk.done)}

    def _good(self, protocol: str, name: str, request: Request, fault: str) -> Response:
        """Return the answer as it should be, but for a lasting fault."""
        if not protocol:
            return Response(*self._prompts.answer(request.path, request.body))
        spoken = said(name, request.body, fault, self.faults.seed)
        return Response(200, answer(protocol, spoken, len(request.body)))

    def _forward(self, body: bytes) -> Response:
        try:
            self.desk.forward(float(json.loads(body)["forward"]))
        except (ValueError, TypeError, KeyError):
            return _error(400, 'the clock is set by {"forward": seconds}')
        return Response(200, b"{}")

    def _batch(self, request: Request) -> Response | None:
        self.desk.calls += 1
        out = respond(self.desk, request.method, request.path, request.headers, request.body)
        if out.body is None:
            return None
        return Response(out.status, out.body, out.headers, out.cut)

    def _fault(self, name: str) -> str:
        """Return the fault of a request; one that passes is gone the second time."""
        fault = self.faults.of(name)
        if not fault or fault in LASTING:
            return fault
        known = hash(name)
        self._seen[known] += 1
        return fault if self._seen[known] == 1 else ""

    def _too_many(self) -> bool:
        most = self.faults.requests_per_second
        if not most:
            return False
        now = monotonic()
        while self._recent and self._recent[0] < now - 1:
            self._recent.popleft()
        if len(self._recent) >= most:
            return True
        self._recent.append(now)
        return False

    def _wrong(self, fault: str, request: Request, good: Response) -> Response:
        """Return the answer with its fault; the good one where the fault is of another kind."""
        until = datetime.now(UTC) + timedelta(seconds=self.faults.wait)
        wrong: Mapping[str, Callable[[], Response]] = {
            "rate_limit_seconds": lambda: self._limited(str(self.faults.wait)),
            "rate_limit_date": lambda: self._limited(format_datetime(until, usegmt=True)),
            "server_error": lambda: _error(500, "something broke"),
            "cut": lambda: replace(good, cut=True),
            "rubbish": lambda: Response(200, RUBBISH),
            "huge": lambda: Response(200, b'{"filler": "' + b"x" * HUGE + b'"}'),
            "echo_key": lambda: _error(400, f"this key may not ask that: {_secrets(request)}"),
        }
        return wrong[fault]() if fault in wrong else good

    def _limited(self, wait: str) -> Response:
        dated = {"Retry-After": wait, "Date": format_datetime(datetime.now(UTC), usegmt=True)}
        return Response(429, json.dumps({"error": {"message": "slow down"}}).encode(), dated)


@asynccontextmanager
async def serving(server: MockServer, port: int = 0) -> AsyncIterator[int]:
    """Listen on the loopback interface and return the port."""
    listening = await asyncio.start_server(server.handle, "127.0.0.1", port, backlog=1024)
    async with listening:
        yield listening.sockets[0].getsockname()[1]


async def _read(reader: asyncio.StreamReader) -> Request | None:
    """Read one request; ``None`` when the connection ended before one."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    length = int(headers.get("content-length", "0"))
    if not 0 <= length <= (LARGEST_BATCH if is_batch(path) else LARGEST):
        raise ValueError("the request is too large")
    return Request(method, path, headers, await reader.readexactly(length))


def _write(writer: asyncio.StreamWriter, response: Response) -> None:
    fields = {
        "Content-Type": "application/json",
        "Content-Length": str(len(response.body)),
        **(response.headers or {}),
    }
    phrase = HTTPStatus(response.status).phrase
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    body = response.body[: len(response.body) // 2] if response.cut else response.body
    writer.write(f"HTTP/1.1 {response.status} {phrase}\r\n{head}\r\n".encode("latin-1") + body)


def _error(status: int, message: str) -> Response:
    return Response(status, json.dumps({"error": {"message": message}}).encode())


def _secrets(request: Request) -> str:
    return " ".join(request.headers.get(name, "") for name in SECRETS)
