"""Summaries of numbers that are all there: nothing is sampled, so nothing has an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats import checks


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean, median, smallest and largest of `n` numbers; ``None`` where there is none."""

    n: int
    mean: float | None
    median: float | None
    low: float | None
    high: float | None


def summarize(values: ArrayLike) -> Summary:
    """Summarize all there is.

    Examples
    --------
    >>> summarize([0, 0, 1, 7])
    Summary(n=4, mean=2.0, median=0.5, low=0.0, high=7.0)
    """
    numbers = checks.numbers("values", values, ndim=1, missing=False)
    if not len(numbers):
        return Summary(0, None, None, None, None)
    return Summary(
        n=len(numbers),
        mean=float(numbers.mean()),
        median=float(np.median(numbers)),
        low=float(numbers.min()),
        high=float(numbers.max()),
    )
