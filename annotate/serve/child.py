"""The server's side of an application: a process on a pseudo-terminal, on a leash."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import struct
import termios
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from annotate.serve.leash import GRACE, LEASH
from db.processes import process_of

CHUNK = 65536
LARGEST = 1000  # rows or columns; a screen of more is nobody's


@dataclass(frozen=True, slots=True)
class Size:
    """How large a terminal is, in cells."""

    columns: int = 80
    rows: int = 24

    @classmethod
    def of(cls, columns: int, rows: int) -> Self:
        """Return a size that a terminal can have; what was not told is 80 x 24."""
        return cls(
            min(columns, LARGEST) if columns > 0 else 80, min(rows, LARGEST) if rows > 0 else 24
        )


class Child:
    """One application. Whoever starts it ends it."""

    def __init__(self, process: asyncio.subprocess.Process, pty: int, leash: int) -> None:
        self._process, self._pty, self._leash = process, pty, leash
        self.known_as = process_of(process.pid)

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], size: Size
    ) -> Self:
        """Start a command, never through a shell."""
        (pty, inner), (held, leash) = os.openpty(), os.pipe()
        try:
            _resize(pty, size)
            os.set_blocking(pty, False)
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=inner,
                stdout=inner,
                stderr=inner,
                env={**environment, LEASH: str(held)},
                pass_fds=(held,),
                start_new_session=True,
            )
        except BaseException:
            os.close(pty)
            os.close(leash)
            raise
        finally:
            os.close(inner)
            os.close(held)
        return cls(process, pty, leash)

    async def read(self) -> bytes:
        """Return what the application has painted; nothing at its end."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                return os.read(self._pty, CHUNK)
            except BlockingIOError:
                await _ready(self._pty, loop.add_reader, loop.remove_reader)
            except OSError:
                return b""  # Linux says so when the other side has closed

    async def write(self, data: bytes) -> None:
        """Give the application what was typed; what comes after its end is dropped."""
        loop = asyncio.get_running_loop()
        while data:
            try:
                data = data[os.write(self._pty, data) :]
            except BlockingIOError:
                await _ready(self._pty, loop.add_writer, loop.remove_writer)
            except OSError:
                return

    def resize(self, size: Size) -> None:
        """Tell the application how large its terminal is now."""
        with suppress(OSError):
            _resize(self._pty, size)

    async def end(self) -> int:
        """Let the application go, after a moment by force; return its exit code."""
        os.close(self._leash)
        draining = asyncio.create_task(self._drain())  # a full terminal must not hold it up
        try:
            async with asyncio.timeout(2 * GRACE):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
        finally:
            draining.cancel()
            await asyncio.wait({draining})
            os.close(self._pty)
        return self._process.returncode or 0

    async def _drain(self) -> None:
        while await self.read():
            pass


def _resize(pty: int, size: Size) -> None:
    fcntl.ioctl(pty, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))


async def _ready(
    file: int, add: Callable[[int, Callable[[], None]], None], remove: Callable[[int], bool]
) -> None:
    ready = asyncio.Event()
    add(file, ready.set)
    try:
        await ready.wait()
    finally:
        remove(file)
