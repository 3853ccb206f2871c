"""Pairs of numbers: checked, complete, and what was dropped."""

from __future__ import annotations

import numpy as np

from stats.errors import StatisticsInputError
from stats.ratings import Column, Floats, counted, numeric_ratings

ROUNDING = 1e-12


def complete_pairs(first: Column, second: Column) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Return the pairs that have both numbers, and a note on the others.

    Examples
    --------
    >>> complete_pairs([1, 2, None, 4], [1, 2, 3, 4])
    (array([1., 2., 4.]), array([1., 2., 4.]), ('1 of 4 pairs dropped: a number is missing',))
    """
    if np.ndim(first) != 1 or np.ndim(second) != 1:
        raise StatisticsInputError("pairs: give two lists of numbers, one entry per unit")
    if len(first) != len(second):
        raise StatisticsInputError(
            f"pairs: {len(first)} and {len(second)} values cannot be paired; "
            "give one of each per unit, None where it is missing"
        )
    if not len(first):
        return np.zeros(0), np.zeros(0), ()
    table = numeric_ratings(list(zip(first, second, strict=True)))
    whole = table[~np.isnan(table).any(axis=1)]
    lost = len(table) - len(whole)
    note = f"{lost} of {counted(len(table), 'pair')} dropped: a number is missing"
    return whole[:, 0], whole[:, 1], (note,) if lost else ()


def complete_values(values: Column) -> tuple[Floats, tuple[str, ...]]:
    """Return the numbers that are there, and a note on those that are missing.

    Examples
    --------
    >>> complete_values([1, 2, None, 3])
    (array([1., 2., 3.]), ('1 of 4 values dropped: missing',))
    """
    if np.ndim(values) != 1 or not len(values):
        raise StatisticsInputError("values: give a list of at least one number")
    given = numeric_ratings([list(values)])[0]
    there = given[~np.isnan(given)]
    lost = len(given) - len(there)
    return there, (f"{lost} of {counted(len(given), 'value')} dropped: missing",) if lost else ()


def is_constant(values: Floats) -> bool:
    """Tell whether values are equal but for rounding.

    Examples
    --------
    >>> is_constant(np.array([0.1 + 0.2, 0.3])), is_constant(np.array([1e9, 1e9 + 1]))
    (True, False)
    """
    spread = np.linalg.norm(values - values.mean())
    return bool(spread <= ROUNDING * max(np.abs(values).max(), np.finfo(float).tiny))
