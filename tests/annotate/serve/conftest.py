"""Servers and clients for tests of the doors."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.annotate.serve.inside import Inside
from tests.annotate.serve.serving import Serving
from tests.terminal.tmux import Terminal
from tests.ui.studies import Planted, plant


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    """A small study with canaries: four seats to rate, two to audit."""
    return plant(tmp_path / "CANARY-FILE.db")


@pytest.fixture
def serve() -> Iterator[Callable[..., Serving]]:
    """Return a function that starts a server; each is ended, and leaves nothing."""
    started: list[Serving] = []

    def start(study: Path, *words: str, **more: Any) -> Serving:
        started.append(Serving(study, *words, **more))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as found:
        yield found


@pytest.fixture
async def inside(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Return a function that opens both doors in this process, on a program of a few lines."""
    async with AsyncExitStack() as stack:

        async def open_doors(**choices: Any) -> Inside:
            number = len(list(tmp_path.glob("state*")))
            return await stack.enter_async_context(Inside(tmp_path / f"state{number}", **choices))

        yield open_doors


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """Return a terminal for an ordinary ssh client, which is closed at the end."""
    for tool in ("tmux", "ssh"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing; on Debian: apt-get install tmux openssh-client")
    found = Terminal(tmp_path)
    yield found
    found.close()
