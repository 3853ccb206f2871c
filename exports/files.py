"""Writing files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import InputError


def write_whole(target: Path, text: str) -> None:
    """Write a text file in one step: a reader sees the old file or the new one, never a half.

    Raises
    ------
    InputError
        When the place cannot be written.
    """
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from error
