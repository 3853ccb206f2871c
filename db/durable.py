"""Commits whose wait for the disk is somebody else's: written at once, durable when `sync` returns.

SQLite waits for the disk inside every commit, in the thread that commits. Where that thread has
other things to do, the commits go into the write-ahead log without waiting, and the log is forced
to the disk from another thread. Nothing may be called kept before that. A process that is killed
loses nothing either way; a machine that loses its power loses what was not yet forced, whole
transactions from the end, which nobody was told of.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sqlite_utils import Database

Sync = Callable[[], None]


@contextmanager
def deferred_sync(db: Database, path: Path) -> Iterator[Sync]:
    """Commit without waiting as long as the block lasts; the value waits, from any thread.

    When it returns, everything that was committed before it was called is on the disk.
    """
    log = os.open(f"{path}-wal", os.O_RDONLY)
    try:
        db.conn.execute("PRAGMA synchronous = NORMAL")
        yield partial(os.fsync, log)
    finally:
        db.conn.execute("PRAGMA synchronous = FULL")
        os.fsync(log)
        os.close(log)
