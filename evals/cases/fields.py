"""The fields of a case: what is missing or of another kind is said in one sentence."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any


class CannotRun(Exception):
    """The case cannot be run as it stands: one sentence says what is missing."""


class Fields(dict[str, Any]):
    """An object of a case; a field that is missing, or of another kind, has its sentence.

    Examples
    --------
    >>> fields = Fields.of({"p": [0.1], "alpha": None}, "input")
    >>> fields["p"], fields.number("level", 0.95)
    ([0.1], 0.95)
    >>> fields["table"]
    Traceback (most recent call last):
    evals.cases.fields.CannotRun: input.table is missing
    >>> fields.number("alpha")
    Traceback (most recent call last):
    evals.cases.fields.CannotRun: input.alpha must be a number, is null
    """

    def __init__(self, given: Mapping[str, Any], name: str) -> None:
        super().__init__(given)
        self.name = name

    @classmethod
    def of(cls, given: Any, name: str) -> Fields:
        """Return the fields of an object; anything else has none."""
        if not isinstance(given, Mapping):
            raise CannotRun(f"{name} must be an object, is {as_json(given)}")
        return cls(given, name)

    def __missing__(self, key: str) -> Any:
        raise CannotRun(f"{self.name}.{key} is missing")

    def part(self, key: str) -> Fields:
        """Return a field that is an object itself."""
        return Fields.of(self[key], f"{self.name}.{key}")

    def rows(self, key: str) -> list[Any]:
        """Return a field that is a list."""
        if not isinstance(self[key], list):
            raise CannotRun(f"{self.name}.{key} must be a list, is {as_json(self[key])}")
        return list(self[key])

    def numbers(self, key: str) -> list[float]:
        """Return a field that is a list of numbers."""
        if not all(map(is_number, self.rows(key))):
            raise CannotRun(f"{self.name}.{key} must hold numbers, is {as_json(self[key])}")
        return [float(each) for each in self[key]]

    def pairs(self, key: str) -> list[Any]:
        """Return a field that is a list of rows with two entries each."""
        rows = self.rows(key)
        if not rows or not all(isinstance(row, list) and len(row) == 2 for row in rows):
            raise CannotRun(f"{self.name}.{key} must hold rows of two, is {as_json(self[key])}")
        return rows

    def number(self, key: str, default: float | None = None, *, least: float = -math.inf) -> float:
        """Return a field that is a finite number, at least `least`."""
        value = default if default is not None and key not in self else self[key]
        if not is_number(value) or value < least:
            raise CannotRun(f"{self.name}.{key} must be a number, is {as_json(value)}")
        return float(value)


def is_number(value: Any) -> bool:
    """Tell whether a JSON value is a finite number; true and false are none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def as_json(value: Any) -> str:
    """Return a value as it stands in the case's file, cut to a few words."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else f"{text[:40]}..."
