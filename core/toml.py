"""TOML texts whose faults can be located: ``tomllib`` names the line of a syntax error only."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import Any

from core.errors import InputError

Place = Sequence[str | int]  # keys and, in lists, numbers from 0: ("question", 2, "text")
Faults = Iterable[tuple[Place, str]]


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Read a TOML text.

    Raises
    ------
    InputError
        Naming source and line; a key that is given twice is such a fault.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        sentence, _, place = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", place)
        line = int(found[1]) if found else len(text.rstrip("\n").split("\n"))
        if sentence.startswith(("Cannot overwrite", "Cannot declare", "Duplicate")):
            sentence = "a key is given twice"
        raise InputError(f"{source}, line {line}: not TOML: {sentence}") from error
    except RecursionError as error:
        raise InputError(f"{source}: it is nested too deeply to be read") from error


def refuse_first(faults: Faults, text: str, source: str, *, keys: bool = False) -> None:
    """Refuse a text for the first of its faults; only that one is looked for.

    Parameters
    ----------
    keys
        Whether the keys that lead to the place are named beside its line.

    Raises
    ------
    InputError
        Naming source and line.
    """
    for place, fault in faults:
        names = ".".join(step for step in place if isinstance(step, str))
        key = f", key {names}" if keys else ""
        raise InputError(f"{source}, line {line_of(text, place)}{key}: {fault}")


def line_of(text: str, place: Place) -> int:
    r"""Return the line on which the value at a place begins; of its parent, if it is not there.

    The value begins where the longest part of the text ends that is TOML and has it not. That
    holds for every way of writing it: ``[[table]]``, inline, over many lines, or beside
    look-alikes in comments and texts.

    Examples
    --------
    >>> line_of('name = "f"\n\n[[question]]\nid = "q"\n', ("question", 0))
    3
    >>> line_of('name = "f"\n\n[[question]]\nid = "q"\n', ("question", 0, "text"))
    3
    """
    lines = text.split("\n")
    before = 0
    for end in range(1, len(lines) + 1):
        try:
            value = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a value
        if _has(value, place):
            return before + 1
        before = end
    return line_of(text, place[:-1]) if place else 1


def _has(value: Any, place: Place) -> bool:
    for step in place:
        if isinstance(value, dict):
            there = step in value
        else:
            there = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not there:
            return False
        value = value[step]
    return True
