"""Running the local server until somebody stops it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from core.errors import InputError
from evals.mock.faults import Faults
from evals.mock.prompts import HONEST, MODES
from evals.mock.server import MockServer, serving


def serve(faults: Faults, port: int, told: Callable[[str], None], prompts: str = HONEST) -> None:
    """Serve on the loopback interface until Ctrl-C; `told` is given the address.

    Raises
    ------
    InputError
        When the port is taken, or there is no such way of giving log-probabilities.
    """
    if prompts not in MODES:
        raise InputError(f"there are no log-probabilities “{prompts}”; there is {', '.join(MODES)}")
    try:
        asyncio.run(_serve(MockServer(faults, prompts), port, told))
    except OSError as error:
        raise InputError(f"port {port} cannot be used: {error.strerror}; try --port 0") from error


async def _serve(server: MockServer, port: int, told: Callable[[str], None]) -> None:
    async with serving(server, port) as at:
        told(f"http://127.0.0.1:{at}/v1")
        await asyncio.Event().wait()
