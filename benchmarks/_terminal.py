"""A program on a pseudo-terminal: keys go in, and the time until a text is painted comes out."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from typing import Self

PATIENCE = 60.0
SIZE = (24, 80)


class Painted:
    """One program, started here and ended here."""

    def __init__(self, command: Sequence[str]) -> None:
        self._end, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        settings = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=inner, stdout=inner, stderr=inner, env=settings, start_new_session=True
        )
        os.close(inner)
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        os.close(self._end)

    def until(self, text: str) -> float:
        """Read until a text has come, and return when."""
        wanted, seen = text.encode(), b""
        deadline = time.perf_counter() + PATIENCE
        while wanted not in seen:
            if not select.select([self._end], [], [], max(0, deadline - time.perf_counter()))[0]:
                raise TimeoutError(f"{text!r} never came; the last was {seen[-500:]!r}")
            seen += os.read(self._end, 65536)
        return time.perf_counter()

    def press(self, keys: str) -> float:
        """Press keys, and return when."""
        at = time.perf_counter()
        os.write(self._end, keys.encode())
        return at

    def settle(self, seconds: float = 0.05) -> None:
        """Read until nothing more comes."""
        while select.select([self._end], [], [], seconds)[0]:
            os.read(self._end, 65536)
