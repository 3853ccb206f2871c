"""The hall behind both doors: who may come in, who is in, and how everybody is seen out."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from annotate.serve.child import Child
from annotate.serve.environment import environment
from annotate.serve.journal import Journal, fault
from annotate.serve.limits import Buckets, Limits, Places
from annotate.serve.origins import neighbourhood, sealed
from annotate.serve.state import State, Visitor
from annotate.serve.visit import WORDS, Arrival, Client, Ending, attend, bid_farewell
from core.clock import now

FULL = "All places are taken just now. Come again in a few minutes; nothing is lost."
TOO_OFTEN = "Too many connections came from where you are. Wait a minute, then come again."
WELL = (0, 130)  # exit codes of an application that was left


class Hall:
    """What every visit shares.

    Parameters
    ----------
    command
        Starts an application.
    """

    def __init__(
        self, command: Sequence[str], state: State, limits: Limits, journal: Journal
    ) -> None:
        self.limits, self.journal = limits, journal
        self.connections = Places(limits.connections, 2 * limits.per_address)
        self.doors: dict[str, str] = {}
        self._command, self._state = tuple(command), state
        self._key = state.address_key()
        self._places = Places(limits.sittings, limits.per_address)
        self._starts = Buckets(limits.starts, limits.start_rate)
        self._visitors: dict[int, Visitor] = {}
        self._numbers = itertools.count(1)
        self._inside = 0
        self._stop = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    async def visit(self, arrival: Arrival, client: Client) -> int:
        """Let somebody in, or turn them away, and see them out; return an exit code."""
        self._inside += 1
        self._empty.clear()
        try:
            return await self._receive(next(self._numbers), arrival, client)
        finally:
            self._inside -= 1
            if not self._inside:
                self._empty.set()

    async def _receive(self, number: int, arrival: Arrival, client: Client) -> int:
        place = neighbourhood(arrival.address)
        if why := self._refusal(place):
            self.journal.note(f"{arrival.door} {number} turned away: {why}", arrival.address)
            await bid_farewell(client, why)
            return 1
        try:
            return await self._let_in(number, arrival, client)
        finally:
            self._places.give(place)

    def _refusal(self, place: str) -> str:
        if self._stop.is_set():
            return WORDS["stopped"]
        if not self._starts.take(place, asyncio.get_running_loop().time()):
            return TOO_OFTEN
        return "" if self._places.take(place) else FULL

    async def _let_in(self, number: int, arrival: Arrival, client: Client) -> int:
        self.journal.note(f"{arrival.door} {number} opened", arrival.address)
        ending: Ending = "failed"
        try:
            child = await Child.start(self._command, self._environment(arrival), arrival.size)
            try:
                self._visitors[number] = Visitor(child.known_as, arrival.door, now())
                self.tell()
                ending = await attend(client, child, self.limits, self._stop)
            finally:
                code = await child.end()
            if ending == "left" and code not in WELL:
                ending = "failed"
        except OSError as error:
            code = 1
            self.journal.note(f"{arrival.door} {number}: {fault(error)}")
        finally:
            self._visitors.pop(number, None)
            self.tell()
        self.journal.note(f"{arrival.door} {number} closed: {ending}")
        if ending in WORDS:
            await bid_farewell(client, WORDS[ending])
        return code if ending == "left" else 1

    def _environment(self, arrival: Arrival) -> Mapping[str, str]:
        return environment(
            os.environ,
            Path(self._state.folder).resolve(),
            sealed(arrival.address, self._key),
            arrival.terminal,
            arrival.wishes,
        )

    def tell(self) -> None:
        """Write down who is on, for ``wavelock serve status``."""
        self._state.tell(self.doors, tuple(self._visitors.values()))

    async def close(self) -> None:
        """End every visit, and return when nobody is left."""
        self._stop.set()
        await self._empty.wait()
