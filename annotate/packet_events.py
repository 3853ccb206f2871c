"""What the entries of a packet's journal say, read with suspicion.

Their seals are right when they are read here, so whoever wrote them had the code. That does not
make them sensible: a text may be half a character, and a number no number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import Refused
from core.hashing import canonical
from db.packet_reading import CHANGED

TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
LONGEST = 1e9  # seconds; sums of such stay numbers


@dataclass(frozen=True, slots=True)
class Rated:
    """A version of the answers to an item; `item` is its place in the packet."""

    item: int
    answers: Mapping[str, Any]
    comment: str
    seconds: float
    at: str


@dataclass(frozen=True, slots=True)
class Report:
    """What is wrong with an item."""

    item: int
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class Consent:
    """An acceptance, with the digest of what was accepted."""

    text: str
    at: str


@dataclass(frozen=True, slots=True)
class Trained:
    """An answer to a training item."""

    turn: int
    name: str
    answer: str
    at: str


@dataclass(frozen=True, slots=True)
class Check:
    """An answer to an attention check."""

    name: str
    answer: str
    at: str


Event = Rated | Report | Consent | Trained | Check
KINDS: dict[str, type[Event]] = {
    "rating": Rated, "report": Report, "consent": Consent, "training": Trained, "check": Check,
}  # fmt: skip


def read_event(text: str) -> Event:
    """Return what an entry says.

    Raises
    ------
    Refused
        When it is anything but what Wavelock writes.
    """
    try:
        text.encode("utf-8")  # half a character cannot be stored
        said = json.loads(text)
        canonical(said).encode("utf-8")
        event = KINDS[said.pop("kind")](**said)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Refused(CHANGED) from error
    if not all(_sound(name, getattr(event, name)) for name in event.__slots__):
        raise Refused(CHANGED)
    return event


def _sound(name: str, value: object) -> bool:
    match name:
        case "item" | "turn":
            return type(value) is int and 1 <= value < 2**31
        case "answers":
            return isinstance(value, dict)
        case "seconds":
            return isinstance(value, float) and 0 <= value < LONGEST
        case "at":
            return isinstance(value, str) and _is_time(value)
        case _:
            return isinstance(value, str)


def _is_time(text: str) -> bool:
    try:
        return bool(TIME.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:
        return False
