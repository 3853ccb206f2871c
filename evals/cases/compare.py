"""Comparing what was computed with what a reference case expects, value by value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.cases.fields import CannotRun, Fields, as_json, is_number

WRONG = "WRONG_"
_RANGE = "_range"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a number may be from the expected one."""

    absolute: float = 0.0
    relative: float = 0.0

    @classmethod
    def of(cls, given: Mapping[str, Any] | None) -> Tolerance:
        """Read ``{"abs": ..., "rel": ...}``; without it numbers must be equal to 1e-9."""
        fields = Fields.of({"abs": 1e-9} if given is None else given, "tolerance")
        return cls(*(fields.number(key, 0.0, least=0.0) for key in ("abs", "rel")))

    def holds(self, expected: float, got: float) -> bool:
        """Tell whether two numbers are close enough."""
        allowed = max(self.absolute, self.relative * abs(expected))
        return math.isfinite(got) and math.isfinite(expected) and abs(expected - got) <= allowed


def differences(expected: Any, got: Any, tolerance: Tolerance, where: str = "") -> list[str]:
    """Return a sentence for each value that is not as expected.

    Parameters
    ----------
    expected
        Numbers, truth values, texts, ``None`` for "undefined", or lists and mappings of them. Of a
        mapping every key must have been computed, and one at least must be there; what is named
        ``WRONG_...`` is skipped here.
    got
        The same shape; more keys do no harm.

    Examples
    --------
    >>> differences({"kappa": 0.5, "n": 3}, {"kappa": None, "n": 3}, Tolerance(1e-9))
    ['kappa: expected 0.5, got undefined']
    """
    if isinstance(expected, Mapping):
        return _of_mapping(expected, got, tolerance, where)
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return _of_list(expected, got, tolerance, where)
    if _same(expected, got, tolerance):
        return []
    label = f"{where}: " if where else ""
    return [f"{label}expected {_shown(expected)}, got {_shown(got)}"]


def outside_published(published: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each value that is not what was published, within ``abs_tol``.

    A key ``x_range`` holds the two ends between which ``x`` must lie.
    """
    tolerance = Tolerance(Fields.of(published, "published").number("abs_tol", 0.0, least=0.0))
    exact = {k: v for k, v in published.items() if k != "abs_tol" and not k.endswith(_RANGE)}
    lines = differences(exact, got, tolerance) if exact else []
    found = [f"published {line}" for line in lines]
    for key, ends in published.items():
        name = key.removesuffix(_RANGE)
        if name != key and not _between(got.get(name), _two_ends(key, ends)):
            found.append(f"published {name}: between {ends[0]} and {ends[1]}, got {got.get(name)}")
    return found


def known_wrong(expected: Mapping[str, Any], got: Any, tolerance: Tolerance) -> list[str]:
    """Return a sentence for each computed value that a known faulty method gives."""
    values = list(_numbers(got))
    named = Fields({k: v for k, v in expected.items() if k.startswith(WRONG)}, "expected")
    return [
        f"{name}: {value} must not be returned"
        for name, value in ((name, named.number(name)) for name in named)
        if any(tolerance.holds(value, each) for each in values)
    ]


def _of_mapping(
    expected: Mapping[str, Any], got: Any, tolerance: Tolerance, where: str
) -> list[str]:
    found: list[str] = []
    compared = [(key, value) for key, value in expected.items() if not key.startswith(WRONG)]
    if not compared:
        return [f"{where or 'expected'} is empty: name at least one value"]
    for key, value in compared:
        place = f"{where}.{key}" if where else key
        if not isinstance(got, Mapping) or key not in got:
            found.append(f"{place}: not computed")
        else:
            found.extend(differences(value, got[key], tolerance, place))
    return found


def _of_list(expected: Sequence[Any], got: Any, tolerance: Tolerance, where: str) -> list[str]:
    if not isinstance(got, Sequence) or isinstance(got, str) or len(got) != len(expected):
        label = f"{where}: " if where else ""
        return [f"{label}expected {_shown(expected)}, got {_shown(got)}"]
    return [
        line
        for place, (one, other) in enumerate(zip(expected, got, strict=True))
        for line in differences(one, other, tolerance, f"{where}[{place}]")
    ]


def _same(expected: Any, got: Any, tolerance: Tolerance) -> bool:
    if isinstance(expected, bool) or isinstance(got, bool) or expected is None or got is None:
        return expected is got
    if isinstance(expected, int | float) and isinstance(got, int | float):
        return tolerance.holds(float(expected), float(got))
    return type(expected) is type(got) and bool(expected == got)


def _between(value: Any, ends: Sequence[float]) -> bool:
    return isinstance(value, int | float) and ends[0] <= value <= ends[1]


def _two_ends(key: str, ends: Any) -> Sequence[float]:
    if not isinstance(ends, list) or len(ends) != 2 or not all(map(is_number, ends)):
        raise CannotRun(f"published.{key} must be two numbers, is {as_json(ends)}")
    return ends


def _numbers(got: Any) -> Sequence[float]:
    if isinstance(got, Mapping):
        return [number for value in got.values() for number in _numbers(value)]
    if isinstance(got, list | tuple):
        return [number for value in got for number in _numbers(value)]
    return [float(got)] if isinstance(got, int | float) and not isinstance(got, bool) else []


def _shown(value: Any) -> str:
    return "undefined" if value is None else str(value)
