"""The local server in a thread, as each kind of completions endpoint, and what it was asked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest

from evals.mock.faults import Faults
from evals.mock.server import MockServer, serving

NONE = Faults()


@dataclass(frozen=True)
class Served:
    """A server, and where it listens."""

    url: str
    server: MockServer


@contextmanager
def in_a_thread(server: MockServer) -> Iterator[Served]:
    loop, ready, port = asyncio.new_event_loop(), threading.Event(), [0]
    stop = asyncio.Event()

    async def serve() -> None:
        async with serving(server) as at:
            port[0] = at
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield Served(f"http://127.0.0.1:{port[0]}", server)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Serve a completions endpoint of one mode, with faults if there shall be some."""
    with ExitStack() as stack:
        yield lambda mode="honest", faults=NONE: stack.enter_context(
            in_a_thread(MockServer(faults, mode))
        )
