"""The lobby before the browser door: counts connections, and ends those that only stand there."""

from __future__ import annotations

import asyncio
from typing import cast

from annotate.serve.limits import Places
from annotate.serve.origins import Trust, neighbourhood


class Lobby:
    """All connections that are no sittings yet, and those that have become one.

    Parameters
    ----------
    seconds
        How long a connection may stay that does not become a sitting. Pages load in a moment.
    trust
        Knows the proxy, whose connections are those of many.
    """

    def __init__(self, places: Places, seconds: float, trust: Trust) -> None:
        self.places, self._seconds, self._trust = places, seconds, trust
        self._waiting: dict[int, asyncio.TimerHandle] = {}

    def gate(self, inner: asyncio.Protocol) -> Gate:
        """Return what stands before a protocol."""
        return Gate(inner, self)

    def enter(self, transport: asyncio.Transport) -> None:
        """Give a connection its time."""
        loop = asyncio.get_running_loop()
        self._waiting[id(transport)] = loop.call_later(self._seconds, transport.abort)

    def stay(self, transport: asyncio.Transport | None) -> None:
        """Let a connection stay."""
        if waiting := self._waiting.pop(id(transport), None):
            waiting.cancel()

    def place_of(self, transport: asyncio.Transport) -> str:
        """Return what a connection is counted under."""
        peer = str((transport.get_extra_info("peername") or ("",))[0])
        # A proxy's connections are counted in all only: each one under a name of its own.
        return f"proxied {id(transport)}" if self._trust.believes(peer) else neighbourhood(peer)


class Gate(asyncio.Protocol):
    """Stands before the protocol of one connection."""

    def __init__(self, inner: asyncio.Protocol, lobby: Lobby) -> None:
        self._inner, self._lobby = inner, lobby
        self._place = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count a connection in, or end it at once."""
        stream = cast("asyncio.Transport", transport)
        place = self._lobby.place_of(stream)
        if not self._lobby.places.take(place):
            stream.abort()
            return
        self._place, self._stream = place, stream
        self._lobby.enter(stream)
        self._inner.connection_made(stream)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it out."""
        if self._place:
            self._lobby.stay(self._stream)
            self._lobby.places.give(self._place)
            self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass on."""
        if self._place:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """Pass on."""
        return self._inner.eof_received() if self._place else None

    def pause_writing(self) -> None:
        """Pass on."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass on."""
        self._inner.resume_writing()
