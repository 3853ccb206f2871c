"""Keeping replies: one writer, many replies to a commit, and nobody is told before it is on disk.

Everything that is ready when the event loop comes round goes into one transaction. It is written
in the loop's own thread: a second thread would fight for the interpreter over every statement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Generic, Protocol, TypeVar

from core.errors import Busy
from core.runs import Kept
from db.connection import DatabaseError

GATHER = 0.002  # seconds in which replies come together; the wait for the disk is of that order
HOLD = 60.0  # seconds that replies are held while the disk is full or the file is busy
AGAIN = 1.0  # seconds between two tries to write them


Entry = TypeVar("Entry")
Given_contra = TypeVar("Given_contra", contravariant=True)


class Keeps(Protocol[Given_contra]):
    """A store that takes many replies in one transaction."""

    def keep(self, batch: Sequence[Given_contra]) -> Sequence[Kept]:
        """Store them all or none; return what became of each."""


class Keeper(Generic[Entry]):
    """Stores replies in groups; a value for one event loop and the study's own thread."""

    def __init__(self, store: Keeps[Entry], held: Callable[[str], None] | None = None) -> None:
        self._store, self._held = store, held
        self._batch: list[tuple[Entry, asyncio.Future[Kept]]] = []
        self._planned = False
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
        self._batch.append((entry, done))
        self._plan(GATHER)
        return await done

    def _plan(self, seconds: float) -> None:
        if not self._planned:
            self._planned = True
            asyncio.get_running_loop().call_later(seconds, self._write)

    def _write(self) -> None:
        self._planned = False
        batch, self._batch = self._batch, []
        try:
            kept = self._store.keep([entry for entry, _ in batch])
        except (DatabaseError, Busy) as error:
            if self._patient(error):
                self._batch = batch + self._batch
                self._plan(AGAIN)
            else:
                _fail(batch, error)
        except Exception as error:  # noqa: BLE001  (whoever waits raises it)
            _fail(batch, error)
        else:
            self._failing_since = None
            for (_, done), became in zip(batch, kept, strict=True):
                if not done.done():
                    done.set_result(became)

    def _patient(self, error: Exception) -> bool:
        """Whether to hold the replies and try again; the first time it is said why."""
        if self._failing_since is None:
            self._failing_since = monotonic()
            if self._held is not None:
                self._held(f"the study file takes nothing just now ({error}); replies are held")
        return monotonic() - self._failing_since < HOLD


def _fail(batch: list[tuple[Entry, asyncio.Future[Kept]]], error: Exception) -> None:
    for _, done in batch:
        if not done.done():
            done.set_exception(error)
