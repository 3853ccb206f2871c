"""The browser door: two pages, and a websocket that carries a terminal.

The application runs on a pseudo-terminal as behind the SSH door; the page draws what it paints.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from annotate.serve.child import Size
from annotate.serve.frames import Ping, parse
from annotate.serve.gate import Lobby
from annotate.serve.hall import Hall
from annotate.serve.listen import Listen
from annotate.serve.origins import Trust, client_of
from annotate.serve.pages import HEADERS, Asset, Site, assets
from annotate.serve.visit import Arrival

HEARTBEAT = 10.0  # seconds between asking whether the browser is there
CLOSING = 2.0  # seconds in which it must answer a goodbye
WISHES = {"COLORTERM": "truecolor"}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the door stands for the world, behind whatever proxy.

    Attributes
    ----------
    prefix
        The path below which requests come in: empty, or with a slash before and none after.
    public
        What people type, when that is not what arrives here.
    trust
        Whose word is taken for where a request comes from.
    """

    prefix: str = ""
    public: str = ""
    trust: Trust = field(default_factory=Trust)


class Browser:
    """One page with a terminal: a client of the hall."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket

    async def receive(self) -> bytes | Size | None:
        """Return what was typed; who sends anything else than the page does is gone."""
        message = await self._socket.receive()
        if message.type is not WSMsgType.TEXT:
            return None
        try:
            said = parse(message.data)
        except ValueError:
            return None
        if isinstance(said, Ping):
            with suppress(OSError):
                await self._socket.send_json(["pong", said.data])
            return b""
        return said

    async def send(self, data: bytes) -> None:
        """Send what was painted."""
        await self._socket.send_bytes(data)


class WebDoor:
    """The door while it is open."""

    def __init__(self, hall: Hall, place: Place, site: Site) -> None:
        self._hall, self._place = hall, place
        self._assets = assets(site)
        limits = hall.limits
        self._lobby = Lobby(hall.connections, limits.opening, place.trust)
        self._application = web.Application()
        self._application.add_routes(self._routes())
        self._application.on_response_prepare.append(_harden)
        self._runner = web.AppRunner(
            self._application, access_log=None, handle_signals=False, shutdown_timeout=CLOSING
        )

    def _routes(self) -> list[web.RouteDef]:
        prefix = self._place.prefix
        routes = [
            web.get(f"{prefix}/{path}", self._serve(asset)) for path, asset in self._assets.items()
        ]
        routes.append(web.get(f"{prefix}/ws", self._socket))
        if prefix:
            routes.append(web.get(prefix, self._slash))
        return routes

    async def open(self, listen: Listen) -> Listen:
        """Open the door; return where it is."""
        await self._runner.setup()
        make = self._runner.server
        if make is None:
            raise RuntimeError("the runner has no server after its setup")
        self._server = await asyncio.get_running_loop().create_server(
            lambda: self._lobby.gate(make()), listen.host, listen.port, reuse_address=True
        )
        return Listen(listen.host, self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Close it."""
        self._server.close()
        await self._runner.cleanup()

    def _serve(self, asset: Asset) -> Handler:
        async def handler(request: web.Request) -> web.StreamResponse:
            headers = {"ETag": asset.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
            if request.headers.get("If-None-Match") == asset.tag:
                return web.Response(status=304, headers=headers)
            body = asset.body
            if "gzip" in request.headers.get("Accept-Encoding", ""):
                body, headers["Content-Encoding"] = asset.packed, "gzip"
            charset = "utf-8" if asset.kind.startswith("text/") else None
            return web.Response(
                body=body, content_type=asset.kind, charset=charset, headers=headers
            )

        return handler

    async def _slash(self, request: web.Request) -> web.StreamResponse:
        raise web.HTTPFound(f"{self._place.prefix}/")

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if not self._from_our_page(request):
            self._hall.journal.note("web: a page from elsewhere was refused; see --public-url")
            raise web.HTTPForbidden
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT,
            timeout=CLOSING,
            compress=False,
            max_msg_size=self._hall.limits.message,
        )
        if not socket.can_prepare(request):
            raise web.HTTPBadRequest
        await socket.prepare(request)
        self._lobby.stay(request.transport)
        arrival = Arrival("web", self._client(request), "xterm-256color", _size(request), WISHES)
        try:
            await self._hall.visit(arrival, Browser(socket))
            await socket.close()
        finally:
            if request.transport:
                request.transport.abort()  # also what a browser never read is let go
        return socket

    def _from_our_page(self, request: web.Request) -> bool:
        """Return whether a websocket is opened by a page of this door, or by no browser at all."""
        origin = request.headers.get("Origin")
        if origin is None:
            return True
        ours = urlsplit(self._place.public).netloc or request.host
        return urlsplit(origin).netloc.lower() == ours.lower()

    def _client(self, request: web.Request) -> str:
        trust = self._place.trust
        said = request.headers.getall(trust.header, []) if trust.header else []
        return client_of(request.remote or "", said, trust)


def _size(request: web.Request) -> Size:
    return Size.of(_number(request.query, "width"), _number(request.query, "height"))


def _number(query: Mapping[str, str], name: str) -> int:
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0


async def _harden(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
