"""Pairs of numbers: checked, complete, and what was dropped."""

from __future__ import annotations

import numpy as np

from stats.errors import StatisticsInputError
from stats.ratings import Column, Floats, column_of, counted, numeric_ratings

ROUNDING = 1e-12


def complete_pairs(first: Column, second: Column) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Return the pairs that have both numbers, and a note on the others.

    Examples
    --------
    >>> complete_pairs([1, 2, None, 4], [1, 2, 3, 4])
    (array([1., 2., 4.]), array([1., 2., 4.]), ('1 of 4 pairs dropped: a number is missing',))
    """
    one, other = column_of("first", first), column_of("second", second)
    if len(one) != len(other):
        raise StatisticsInputError(
            f"first and second: {len(one)} and {len(other)} values cannot be paired; "
            "give one of each per unit, None where it is missing"
        )
    if not one:
        return np.zeros(0), np.zeros(0), ()
    columns = (("first", one), ("second", other))
    table = np.column_stack([numeric_ratings([v], argument=name)[0] for name, v in columns])
    whole = table[~np.isnan(table).any(axis=1)]
    lost = len(table) - len(whole)
    note = f"{lost} of {counted(len(table), 'pair')} dropped: a number is missing"
    return whole[:, 0], whole[:, 1], (note,) if lost else ()


def is_constant(values: Floats) -> bool:
    """Tell whether values are equal but for rounding.

    Examples
    --------
    >>> is_constant(np.array([0.1 + 0.2, 0.3])), is_constant(np.array([1e9, 1e9 + 1]))
    (True, False)
    """
    spread = np.linalg.norm(values - values.mean())
    return bool(spread <= ROUNDING * max(np.abs(values).max(), np.finfo(float).tiny))
