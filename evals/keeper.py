"""Keeping replies: one writer, many replies to a commit, and nobody is told before it is on disk.

Everything that is ready when the event loop comes round goes into one transaction, written in the
loop's own thread: a second one would fight for the interpreter over every statement. The wait for
the disk is a single call, which a second thread makes: meanwhile the loop goes on, and whatever it
writes until then is covered by the next wait together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Generic, Protocol, TypeVar

from core.errors import Busy
from core.runs import Kept
from db.connection import DatabaseError
from db.durable import Sync

HOLD = 60.0  # seconds that replies are held while the disk is full or the file is busy
AGAIN = 1.0  # seconds between two tries to write them


Entry = TypeVar("Entry")
Given_contra = TypeVar("Given_contra", contravariant=True)


class Keeps(Protocol[Given_contra]):
    """A store that takes many replies in one transaction."""

    def keep(self, batch: Sequence[Given_contra]) -> Sequence[Kept]:
        """Store them all or none; return what became of each."""


@dataclass(frozen=True, slots=True)
class Waiting(Generic[Entry]):
    """A reply that somebody waits for."""

    entry: Entry
    done: asyncio.Future[Kept]


class Keeper(Generic[Entry]):
    """Stores replies in groups; a value for one event loop and the study's own thread."""

    def __init__(
        self, store: Keeps[Entry], sync: Sync, held: Callable[[str], None] | None = None
    ) -> None:
        self._store, self._sync, self._held = store, sync, held
        self._batch: list[Waiting[Entry]] = []
        self._written: list[tuple[Waiting[Entry], Kept]] = []
        self._planned = False
        self._syncing: asyncio.Task[None] | None = None
        self._failing_since: float | None = None

    async def keep(self, entry: Entry) -> Kept:
        """Store one reply; return, when it is durable, what became of it.

        Raises
        ------
        Exception
            What the study file says when it can take nothing for a minute. Nothing is half kept.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Kept] = loop.create_future()
        self._batch.append(Waiting(entry, done))
        if not self._planned:
            self._planned = True
            loop.call_soon(self._write)
        return await done

    def _write(self) -> None:
        self._planned = False
        batch, self._batch = self._batch, []
        try:
            kept = self._store.keep([waiting.entry for waiting in batch])
        except (DatabaseError, Busy) as error:
            if self._patient(error):
                self._batch = batch + self._batch
                self._planned = True
                asyncio.get_running_loop().call_later(AGAIN, self._write)
            else:
                _fail(batch, error)
        except Exception as error:  # noqa: BLE001  (whoever waits raises it)
            _fail(batch, error)
        else:
            self._failing_since = None
            self._written += zip(batch, kept, strict=True)
            if self._syncing is None:
                self._syncing = asyncio.create_task(self._force())

    async def _force(self) -> None:
        """Force what is written to the disk, group by group, and only then tell who waits."""
        while self._written:
            group, self._written = self._written, []
            try:
                await asyncio.to_thread(self._sync)
            except OSError as error:
                _fail([waiting for waiting, _ in group], error)
                continue
            for waiting, became in group:
                if not waiting.done.done():
                    waiting.done.set_result(became)
        self._syncing = None

    def _patient(self, error: Exception) -> bool:
        """Whether to hold the replies and try again; the first time it is said why."""
        if self._failing_since is None:
            self._failing_since = monotonic()
            if self._held is not None:
                self._held(f"the study file takes nothing just now ({error}); replies are held")
        return monotonic() - self._failing_since < HOLD


def _fail(batch: Sequence[Waiting[Entry]], error: Exception) -> None:
    for waiting in batch:
        if not waiting.done.done():
            waiting.done.set_exception(error)
