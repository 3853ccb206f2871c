"""Checks on arguments that several statistics share; a failure names the argument and the fix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stats.errors import StatisticsInputError
from stats.schemes import FloatArray


def numbers(name: str, values: ArrayLike, *, ndim: int, missing: bool = True) -> FloatArray:
    """Return `values` as floats of `ndim` dimensions; NaN only where `missing` allows it."""
    try:
        table = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise StatisticsInputError(
            f"{name} must be numbers in a regular array: write missing cells as NaN"
        ) from None
    if table.ndim != ndim:
        raise StatisticsInputError(f"{name} must be {ndim}-dimensional, has shape {table.shape}")
    if np.isinf(table).any():
        raise StatisticsInputError(f"{name} holds an infinite value: remove it or write NaN")
    if not missing and np.isnan(table).any():
        raise StatisticsInputError(f"{name} holds NaN: leave incomplete rows out first")
    return table


def shares(name: str, values: ArrayLike, *, ndim: int, missing: bool = True) -> FloatArray:
    """Return `values` as shares from 0 to 1."""
    table = numbers(name, values, ndim=ndim, missing=missing)
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
    table = np.asarray(values)
    if table.dtype != np.bool_ or table.shape != (length,):
        raise StatisticsInputError(f"{name} must be {length} truth values, one per row")
    return table
