"""Lines as they are typed or piped, with something done now and then while there is none.

The bytes are read here and not by the stream: what a stream has taken in advance, waiting for the
file would not see. No thread reads, so nothing is saved or shown behind anybody's back.
"""

from __future__ import annotations

import io
import os
import select
from collections.abc import Callable
from typing import TextIO

CHUNK = 65_536


class LineSource:
    """The lines of a stream, one at a time."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._file = _file(stream)
        self._bytes = b""
        self._ended = False

    def line(self, meanwhile: Callable[[], None] = lambda: None, every: float = 30.0) -> str | None:
        """Return the next line without its end; ``None`` at the end of the input.

        `meanwhile` is called after every so many seconds without one.
        """
        if self._file is None:
            line = self._stream.readline()
            return line.rstrip("\r\n") if line else None
        while b"\n" not in self._bytes and not self._ended:
            if select.select([self._file], [], [], every)[0]:
                read = os.read(self._file, CHUNK)
                self._bytes += read
                self._ended = not read
            else:
                meanwhile()
        line_bytes, end, self._bytes = self._bytes.partition(b"\n")
        if not line_bytes and not end:
            return None
        return line_bytes.decode(self._stream.encoding, errors="replace").rstrip("\r")


def _file(stream: TextIO) -> int | None:
    """Return the number of the file that can be waited for; ``None`` where a system cannot."""
    try:
        number = stream.fileno()
        select.select([number], [], [], 0)
    except (io.UnsupportedOperation, OSError, ValueError):
        return None
    return number
