"""Writing files whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from core.errors import InputError


def write_whole(target: Path, content: str | bytes) -> None:
    """Write a file in one step: a reader sees the old file or the new one, never a half.

    A device or a pipe (``/dev/null``, ``/dev/stdout``) is written to, and never replaced by a file.

    Raises
    ------
    InputError
        When the place cannot be written.
    """
    if not target.name:
        raise InputError("a file to write needs a name")
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")
    try:
        if target.exists() and not (target.is_file() or target.is_dir()):
            target.write_bytes(content)
        else:
            _in_one_step(target, content)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error


def _in_one_step(target: Path, content: bytes) -> None:
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
        beside.replace(target)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
