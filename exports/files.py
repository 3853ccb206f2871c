"""Writing files whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from core.errors import InputError


def write_whole(target: Path, content: str | bytes) -> None:
    """Write a file in one step: a reader sees the old file or the new one, never a half.

    Raises
    ------
    InputError
        When the place cannot be written.
    """
    if not target.name:
        raise InputError("a file to write needs a name")
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = content.encode("utf-8", "backslashreplace")
        beside.write_bytes(content)
        beside.replace(target)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
