"""Sending requests over httpx, the same for every provider.

Whatever the endpoint does becomes a reply with a state; nothing that it does raises. Keys go into
a header and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from math import ceil
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import httpx

from core.clock import now
from core.errors import Unavailable
from core.hashing import canonical
from core.runs import Reply
from evals.attempts import Attempt, Fault
from evals.keys import Mask
from evals.models import ModelSpec, Prompt
from evals.patience import retry_after
from evals.providers.catalogue import PROVIDERS
from evals.replies import one_line, parse, reason

CONNECT = 10.0  # seconds
LARGEST = 16 * 2**20  # bytes of one body
PER_CLIENT = 16  # connections; httpx scans its pool, so one client for all is slow

# What httpx, the sockets below it and the decoding of a body raise for what an endpoint does.
_BROKEN = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError)
_DENIED = {401, 402, 403, 404, 405}
_BUSY = {408, 425, 429}


class TooLarge(ValueError):
    """The body is larger than any reply that is meant."""


class ChatClient:
    """Asks one model, one prompt at a time; a value for one event loop."""

    def __init__(self, spec: ModelSpec, client: httpx.AsyncClient, key: str = "") -> None:
        self._spec = spec
        self._provider = PROVIDERS[spec.provider]
        self._client = client
        self._mask = Mask(key)

    async def ask(self, prompt: Prompt) -> Attempt:
        """Send one request and return what came of it."""
        started, clock = now(), perf_counter()
        sent = ""
        try:
            async with asyncio.timeout(self._spec.timeout):
                url, body = await self._request(prompt)
                sent = canonical({"url": url, "body": body})
                status, headers, raw = await self._post(url, body)
            raw = self._mask.received(raw)
            attempt = self._answered(status, headers, raw)
        except (TimeoutError, *_BROKEN) as error:
            raw, attempt = b"", _broken(error, self._spec.timeout)
        reply = replace(
            attempt.reply,
            seconds=round(perf_counter() - clock, 4),
            started_at=started,
            ended_at=now(),
            request=sent,
            body=raw,
        )
        return replace(attempt, reply=self._mask.reply(reply))

    def _answered(self, status: int, headers: httpx.Headers, raw: bytes) -> Attempt:
        if 200 <= status < 300:
            reply = self._provider.read(raw, self._spec.prefill)
            return Attempt(reply, "unusable" if reply.state == "error" else "")
        said = reason(raw)
        reply = Reply("error", error=f"HTTP {status}: {said}" if said else f"HTTP {status}")
        return Attempt(reply, _fault(status, raw), retry_after(headers, raw))

    async def _request(self, prompt: Prompt) -> tuple[str, dict[str, Any]]:
        """Return the address and the body of the request for one prompt."""
        call = self._provider.call(self._spec, prompt)
        return call.url, call.body

    async def _post(self, url: str, body: Mapping[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        async with self._client.stream("POST", url, json=body) as response:
            raw = bytearray()
            async for chunk in response.aiter_bytes():
                raw += chunk
                if len(raw) > LARGEST:
                    raise TooLarge(f"the reply is larger than {LARGEST // 2**20} MB")
        return response.status_code, response.headers, bytes(raw)


def http_client(spec: ModelSpec, key: str) -> httpx.AsyncClient:
    """Return a client for one share of the workers; proxies are left out on this machine."""
    return httpx.AsyncClient(
        headers=PROVIDERS[spec.provider].headers(key),
        timeout=httpx.Timeout(spec.timeout, connect=CONNECT, pool=None),
        limits=httpx.Limits(max_connections=PER_CLIENT, max_keepalive_connections=PER_CLIENT),
        trust_env=not _local(spec),
    )


@asynccontextmanager
async def clients(
    spec: ModelSpec, key: str, workers: int, kind: type[ChatClient] = ChatClient
) -> AsyncIterator[Sequence[ChatClient]]:
    """Open as many HTTP clients as the workers need, and give each worker its own chat client."""
    async with AsyncExitStack() as stack:
        pools = [
            await stack.enter_async_context(http_client(spec, key))
            for _ in range(ceil(workers / PER_CLIENT))
        ]
        yield [kind(spec, pools[number // PER_CLIENT], key) for number in range(workers)]


def served_model(spec: ModelSpec, key: str) -> str:
    """Ask an endpoint for the one model that it serves.

    Raises
    ------
    Unavailable
        When nobody listens there, it does not say, or it serves several.
    """
    url = f"{spec.base_url}/models"
    mask = Mask(key)
    try:
        with httpx.Client(
            headers=PROVIDERS[spec.provider].headers(key),
            timeout=CONNECT,
            trust_env=not _local(spec),
        ) as http:
            answer = http.get(url)
            listed = parse(answer.content)["data"] if answer.is_success else ()
            names = [str(entry["id"]) for entry in listed]
    except httpx.TransportError as error:
        raise Unavailable(
            mask.text(f"{spec.base_url}: {_broken(error, CONNECT).reply.error}")
        ) from None
    except (*_BROKEN, LookupError, TypeError):
        names = []
    if len(names) == 1:
        return one_line(mask.text(names[0]))
    found = f"serves {len(names)} models ({', '.join(names[:4])}, …)" if names else "lists no model"
    raise Unavailable(one_line(mask.text(f"{spec.base_url} {found}; name the one to ask")))


def _local(spec: ModelSpec) -> bool:
    return urlsplit(spec.base_url).hostname in {"127.0.0.1", "localhost", "::1"}


def _fault(status: int, raw: bytes) -> Fault:
    if status in _BUSY or status >= 500:
        return "busy"
    # Gemini calls a wrong key a bad request, and names it in the body.
    if status in _DENIED or status < 400 or b"API_KEY_INVALID" in raw:
        return "denied"
    return "unusable"


def _broken(error: Exception, timeout: float) -> Attempt:
    """Return what a request that brought no complete answer comes to."""
    fault: Fault = "dropped"
    if isinstance(error, httpx.ConnectTimeout):
        fault, said = "unreachable", f"no connection within {CONNECT:g} s"
    elif isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol | httpx.InvalidURL):
        fault, said = "unreachable", f"no connection ({_detail(error)})"
    elif isinstance(error, TimeoutError | httpx.TimeoutException):
        said = f"no answer within {timeout:g} s"
    elif isinstance(error, TooLarge):
        fault, said = "unusable", str(error)
    else:
        said = f"the connection broke ({_detail(error)})"
    return Attempt(Reply("error", error=said), fault)


def _detail(error: Exception) -> str:
    said = one_line(str(error)) or type(error).__name__
    return "refused or unreachable" if said == "All connection attempts failed" else said
