"""What a browser may say: the messages of the terminal page, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass

from annotate.serve.child import Size

PING = 64  # characters that are sent back at most


@dataclass(frozen=True, slots=True)
class Ping:
    """The page asks whether somebody answers."""

    data: str


def parse(text: str) -> bytes | Size | Ping:
    """Return what a message means; nothing was typed where it is of no importance.

    Raises
    ------
    ValueError
        For anything that the page does not send.
    """
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("no message") from error
    match said:
        case ["stdin", str(typed)]:
            return typed.encode("utf-8", "replace")
        case ["resize", {"width": int(width), "height": int(height)}]:
            return Size.of(width, height)
        case ["ping", str(data)] if len(data) <= PING:
            return Ping(data)
        case ["focus"] | ["blur"]:
            return b""  # the terminal itself tells the application
    raise ValueError("no message")
