"""Running the local server until somebody stops it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from core.errors import InputError
from evals.mock.faults import Faults
from evals.mock.server import MockServer, serving


def serve(faults: Faults, port: int, told: Callable[[str], None]) -> None:
    """Serve on the loopback interface until Ctrl-C; `told` is given the address.

    Raises
    ------
    InputError
        When the port is taken.
    """
    try:
        asyncio.run(_serve(faults, port, told))
    except OSError as error:
        raise InputError(f"port {port} cannot be used: {error.strerror}; try --port 0") from error


async def _serve(faults: Faults, port: int, told: Callable[[str], None]) -> None:
    async with serving(MockServer(faults), port) as at:
        told(f"http://127.0.0.1:{at}/v1")
        await asyncio.Event().wait()
