"""Nobody is told that a reply is kept before it is written and forced to the disk."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from core.runs import Answered, GenerationKey, Reply
from evals.keeper import Keeper

ENTRIES = [Answered(GenerationKey(1, 1, "p", n + 1), Reply("ok")) for n in range(30)]


class Store:
    """Writes down what is kept, and when."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def keep(self, batch: Any) -> tuple[str, ...]:
        self.batches.append(len(batch))
        return ("added",) * len(batch)


async def test_kept_means_written_and_forced() -> None:
    """Whoever waits goes on after the disk; what comes meanwhile shares the next wait."""
    store, gate, synced = Store(), threading.Event(), []

    def sync() -> None:
        synced.append(sum(store.batches))
        gate.wait(5)

    keeper = Keeper(store, sync)  # type: ignore[arg-type]
    first = asyncio.create_task(keeper.keep(ENTRIES[0]))
    while not synced:
        await asyncio.sleep(0.001)
    others = [asyncio.create_task(keeper.keep(entry)) for entry in ENTRIES[1:]]
    await asyncio.sleep(0.05)
    assert store.batches == [1, 29]
    assert not first.done()
    gate.set()
    assert await first == "added"
    assert set(await asyncio.gather(*others)) == {"added"}
    assert synced == [1, 30]


async def test_a_disk_that_fails_is_told_to_whoever_waits() -> None:
    """When forcing fails, the reply is not called kept."""

    def sync() -> None:
        raise OSError("disk error")

    with pytest.raises(OSError, match="disk error"):
        await Keeper(Store(), sync).keep(ENTRIES[0])  # type: ignore[arg-type]


async def test_after_the_block_every_commit_waits_again(make_study: Any) -> None:
    """The file commits without waiting inside the block alone."""
    study = make_study()
    with study.deferred_sync() as sync:
        assert study._db.execute("PRAGMA synchronous").fetchone() == (1,)
        await asyncio.to_thread(sync)
    assert study._db.execute("PRAGMA synchronous").fetchone() == (2,)
