"""The three standard streams, made fit for writing to whatever whoever started us gave.

A stream may be closed, or of an encoding that lacks a character. Neither is ours to fail at.
"""

from __future__ import annotations

import io
import os
import sys

# In the order of their numbers, because a file that is opened gets the lowest that is free.
STREAMS = (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))


def fit_streams() -> None:
    """Open what is closed, and let nothing be lost or fail for an encoding.

    A closed standard output is opened for reading alone, so that writing to it fails and is told:
    data that was asked for did not arrive. And no study file gets its number.
    """
    for name, mode, how in STREAMS:
        if getattr(sys, name) is None:
            number = os.open(os.devnull, how)
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Files and programs get UTF-8, whatever the locale; a terminal gets what it can show.
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def let_go() -> None:
    """Write what standard output still holds, or drop it, so that Python does not fail of it.

    What could not be written was told, or was for a reader that has left.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
