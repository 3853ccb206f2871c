"""Data that have the published shares: what the statistics take is made from what was printed.

A printed share of a known number of trials stands for a count, and the count for outcomes. How
they lie on tasks or prompts is not printed and does not matter to a mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stats.draws import FloatArray

# Intervals are not what is checked here: as few replicates as the bootstrap takes.
QUICK: dict[str, Any] = {"replicates": 40, "seed": 1}


def nearest(percent: float, of: int, *, decimals: int = 1) -> int:
    """Return the count out of `of` that is printed as `percent`; refuse what no count can be."""
    found = round(percent * of / 100)
    if abs(100 * found / of - percent) > 0.5 * 10.0**-decimals + 1e-9:
        raise ValueError(f"{percent} % is no share of {of}")
    return found


def ones(right: int, of: int) -> FloatArray:
    """Return `of` outcomes, `right` of them 1."""
    return (np.arange(of) < right).astype(np.float64)


def on_tasks(right: int, tasks: int, repetitions: int) -> FloatArray:
    """Return the tasks' shares when `right` of ``tasks * repetitions`` trials are 1."""
    left = right - repetitions * np.arange(tasks)
    return np.asarray(np.clip(left, 0, repetitions) / repetitions, np.float64)


def on_prompts(right: int, perfect: int, prompts: int, samples: int) -> FloatArray:
    """Return 0/1 by prompt and sample: `right` in all, and exactly `perfect` prompts full."""
    rest, others = right - perfect * samples, prompts - perfect
    if not 0 <= rest <= others * (samples - 1):
        raise ValueError(f"{right} right samples cannot leave {perfect} of {prompts} prompts full")
    each = np.full(prompts, samples)
    if others:
        each[perfect:] = rest // others + (np.arange(others) < rest % others)
    return (np.arange(samples) < each[:, None]).astype(np.float64)


def percents(values: ArrayLike) -> NDArray[np.bool_]:
    """Return 100 outcomes per whole per cent, along a new last axis."""
    return np.asarray(np.arange(100) < np.round(np.asarray(values, np.float64))[..., None])


def corners(values: Sequence[float], halves: Sequence[float]) -> FloatArray:
    """Return the values, then all ways in which each may be off by its half; one line each.

    What is linear in the values has its extremes in these lines.
    """
    signs = np.array([(0,) * len(values), *product((-1, 1), repeat=len(values))])
    return np.asarray(np.array(values) + signs * np.array(halves), np.float64)


def around(value: float | None, by: float) -> Iterable[float]:
    """Return the ends of a mean whose inputs may all be off by `by` the same way."""
    if value is None:
        raise ValueError("the mean is undefined")
    return value - by, value + by
