"""What a server says of its work: events and numbers, never a text, a code or a pseudonym.

Addresses are written only where whoever runs the server asked for them. What the libraries below
would write goes nowhere, because they name addresses and quote what was sent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.clock import now

LIBRARIES = ("asyncssh", "aiohttp", "asyncio")


class Journal:
    """Writes one line per event.

    Parameters
    ----------
    write
        Takes a line.
    addresses
        Whether addresses are written.
    """

    def __init__(self, write: Callable[[str], None], *, addresses: bool = False) -> None:
        self._write, self._addresses = write, addresses

    def note(self, event: str, address: str = "") -> None:
        """Write an event with its time."""
        where = f" ({address})" if address and self._addresses else ""
        self._write(f"{now()} {event}{where}")

    def fault_in_loop(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Note a defect of the server by its kind and place alone."""
        error = context.get("exception")
        self.note(f"defect: {fault(error) if error else 'no exception'}")


def fault(error: BaseException) -> str:
    """Return what failed and where, without a value that could be somebody's.

    Examples
    --------
    >>> fault(ValueError("a code"))
    'ValueError'
    """
    trace, name = error.__traceback__, type(error).__name__
    if trace is None:
        return name
    while trace.tb_next:
        trace = trace.tb_next
    return f"{name} at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


def silence_libraries() -> None:
    """Keep the libraries below from writing anything."""
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
