"""Checks on arguments that several statistics share; a failure names the argument and the fix."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stats.draws import FloatArray
from stats.errors import StatisticsInputError

LARGEST = 1e60
SMALLEST = 1e-60


def numbers(
    name: str, values: ArrayLike, *, ndim: int | None = None, missing: bool = True
) -> FloatArray:
    """Return `values` as floats of `ndim` dimensions; NaN only where `missing` allows it."""
    table = finite(name, values, ndim=ndim, missing=missing)
    size(name, table)
    return table


def finite(
    name: str, values: ArrayLike, *, ndim: int | None = None, missing: bool = True
) -> FloatArray:
    """Return what :func:`numbers` does, whatever the size of the numbers."""
    table = _array(name, values)
    if ndim is not None and table.ndim != ndim:
        raise StatisticsInputError(f"{name} must be {ndim}-dimensional, has shape {table.shape}")
    if np.isinf(table).any():
        raise StatisticsInputError(f"{name} holds an infinite value: remove it or write NaN")
    if not missing and np.isnan(table).any():
        raise StatisticsInputError(f"{name} holds NaN: leave incomplete rows out first")
    return table


def size(name: str, table: FloatArray) -> None:
    """Refuse numbers so large or so small that their fourth powers leave the range of floats.

    Products of two variances are fourth powers: they would be infinite, or 0 by accident.

    Examples
    --------
    Small numbers beside ordinary ones are harmless:

    >>> size("scores", np.array([1e-200, 0.5, np.nan]))
    """
    largest = float(np.abs(table[~np.isnan(table)]).max(initial=0.0))
    if largest > LARGEST:
        raise StatisticsInputError(
            f"{name} holds a number of size {largest:g}: give the numbers in a larger unit, "
            f"{LARGEST:g} or less"
        )
    if 0.0 < largest < SMALLEST:
        raise StatisticsInputError(
            f"{name} holds nothing above {largest:g} in size: give the numbers in a smaller unit, "
            f"{SMALLEST:g} or more"
        )


def number(name: str, value: Any) -> float:
    """Return `value` as a finite number.

    Examples
    --------
    >>> number("alpha", "5 %")
    Traceback (most recent call last):
    stats.errors.StatisticsInputError: alpha must be a number, is '5 %'
    """
    if not isinstance(value, Real) or not np.isfinite(float_of(name, value)):
        raise StatisticsInputError(f"{name} must be a number, is {value!r}")
    return float(value)


def whole(name: str, value: Any, *, least: int = 0, most: int = 2**53) -> int:
    """Return `value` as a whole number from `least` to `most`.

    Examples
    --------
    >>> whole("b", 3.0), whole("replicates", np.int64(40), least=40)
    (3, 40)
    """
    found = number(name, value)
    if found != round(found) or not least <= found <= most:
        raise StatisticsInputError(f"{name} must be a whole number from {least} on, is {value!r}")
    return int(found)


def float_of(name: str, value: Any) -> float:
    """Return a number as a float; whole numbers without end have none."""
    try:
        return float(value)
    except OverflowError:
        raise StatisticsInputError(f"{name} must be at most {LARGEST:g} in size") from None


def shares(name: str, values: ArrayLike, *, ndim: int, missing: bool = True) -> FloatArray:
    """Return `values` as shares from 0 to 1."""
    table = finite(name, values, ndim=ndim, missing=missing)
    if (table < 0).any() or (table > 1).any():
        raise StatisticsInputError(f"{name} must hold shares from 0 to 1: divide counts first")
    return table


def same_shape(**tables: FloatArray) -> None:
    """Refuse tables of different shapes."""
    (first, reference), *others = tables.items()
    for name, table in others:
        if table.shape != reference.shape:
            raise StatisticsInputError(
                f"{name} has shape {table.shape} and {first} {reference.shape}: "
                "give both the same rows in the same order"
            )


def flags(name: str, values: Any, length: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return `values` as one truth value per row."""
    try:
        table = np.asarray(values)
    except ValueError:
        table = np.zeros(0)
    if table.dtype != np.bool_ or table.shape != (length,):
        raise StatisticsInputError(f"{name} must be {length} truth values, one per row")
    return table


def _array(name: str, values: ArrayLike) -> FloatArray:
    """Return numbers as floats, ``None`` as NaN; texts are no numbers, whatever they spell."""
    try:
        given = np.asarray(values)
        texts = given.dtype == object and any(isinstance(v, str | bytes) for v in given.flat)
        if given.dtype.kind in "biufO" and not texts:
            return np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise StatisticsInputError(
        f"{name} must be numbers in a regular array: write missing cells as NaN"
    )
