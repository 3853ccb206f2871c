"""Krippendorff's alpha for the four levels of measurement, by the `krippendorff` package.

The package gives the value. Around it, what it leaves to the caller: labels become numbers in the
stated order, missing ratings are missing, constant data are undefined with the reason (the package
raises or returns NaN). The interval comes from our own vectorised form, which tests hold against
the package.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import krippendorff
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.estimate import Estimate
from stats.agreement import NO_PAIR, ONE_ITEM, Agreement, describe, one_category
from stats.errors import StatisticsInputError
from stats.item_sums import Bootstrap, Sums, estimate_of_sums
from stats.ratings import (
    MISSING,
    CodedRatings,
    Floats,
    Ints,
    Orientation,
    code_ratings,
    numeric_ratings,
)

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(
    ratings: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    measurement: Measurement,
    categories: Sequence[Hashable] | None = None,
    *,
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    orientation: Orientation = "items x raters",
) -> Agreement:
    r"""Krippendorff's alpha for any number of raters, with ratings missing.

    :math:`\alpha = 1 - D_o / D_e`: observed over expected disagreement among all pairable ratings
    (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").

    Parameters
    ----------
    ratings
        Items x raters, ``None`` or NaN where there is no rating. Items with fewer than two
        ratings carry no information on agreement; they are left out and counted.
    measurement
        The level of measurement. There is no default: the Python package takes interval and R
        takes nominal, so one must say what is meant. Interval and ratio need numbers.
    categories
        The scale in its order. Needed for ordinal texts; numbers have their own order.
    seed, replicates, level
        Percentile bootstrap over items, each drawn with all its raters (not Krippendorff's own
        resampling of pairs); ``replicates=0`` for none.
    orientation
        Which way the matrix lies. The package itself takes raters x items.

    Returns
    -------
    Agreement
        Undefined, with the reason, when all pairable ratings are equal, when no item has two
        ratings, or when one item only has.

    Examples
    --------
    Krippendorff's data C (2011): nominal .743, ordinal .815, interval .849, ratio .797.

    >>> n = None
    >>> votes = [[1, 1, n, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    ...          [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [n, 5, 5, 5], [n, n, 1, 1], [n, 3, n, n]]
    >>> for measurement in ("nominal", "ordinal", "interval", "ratio"):
    ...     print(round(krippendorff_alpha(votes, measurement, replicates=0).value, 3))
    0.743
    0.815
    0.849
    0.797
    """
    if measurement not in get_args(Measurement):
        raise StatisticsInputError(
            f"measurement: choose one of {', '.join(get_args(Measurement))}, not {measurement!r}"
        )
    coded = code_ratings(ratings, categories, orientation=orientation)
    values = _values(coded, measurement, ordered=categories is not None)
    pairable = (coded.codes != MISSING).sum(axis=1) >= 2
    counts = coded.counts()
    used = counts[pairable]
    reason = _why_undefined(used, coded.categories)
    sums = Sums((_contributions(used, values, measurement),), _ALPHAS[measurement](used, values))
    estimate, remarks = estimate_of_sums(sums, reason, Bootstrap(seed, replicates, level))
    if estimate.value is not None:
        estimate = _by_package(estimate, coded.codes[pairable], values, measurement)
    notes = (coded.shape_note, *coded.notes, *remarks)
    return describe(estimate, f"Krippendorff's alpha, {measurement}", counts, used, notes)


def _values(coded: CodedRatings, measurement: Measurement, *, ordered: bool) -> Floats:
    """Return the number that stands for each category."""
    places = np.arange(len(coded.categories), dtype=np.float64)
    is_text = any(isinstance(category, str) for category in coded.categories)
    if measurement == "ordinal" and is_text and not ordered:
        raise StatisticsInputError(
            "categories: ordinal alpha of texts needs the scale in its order, lowest first"
        )
    if measurement in ("nominal", "ordinal") or not coded.categories:
        return places
    values: Floats = numeric_ratings([list(coded.categories)])[0]
    if measurement == "ratio" and (values < 0).any():
        raise StatisticsInputError("ratings: a ratio scale has no values below 0; use interval")
    return values


def _by_package(
    estimate: Estimate, codes: Ints, values: Floats, measurement: Measurement
) -> Estimate:
    """Return the estimate with the package's value."""
    data = np.where(codes == MISSING, np.nan, values[codes])
    alpha = krippendorff.alpha(reliability_data=data.T, level_of_measurement=measurement)
    return replace(estimate, value=float(alpha))


def _contributions(counts: Ints, values: Floats, measurement: Measurement) -> Floats:
    """Return per item what alpha sums up, see :data:`_ALPHAS`."""
    pairs: Floats = counts.sum(axis=1) - 1.0
    if measurement == "ordinal":
        both = counts[:, :, None] * counts[:, None, :]
        places = np.arange(counts.shape[1])
        both[:, places, places] -= counts
        flat = both.reshape(len(counts), len(places) ** 2)
        return np.asarray(flat / pairs[:, None], dtype=np.float64)
    if measurement == "interval":
        centred = _centred(values)
        total, squares = counts @ centred, counts @ centred**2
        within = 2 * ((pairs + 1) * squares - total**2) / pairs
        return np.column_stack([within, pairs + 1, total, squares])
    between = _distances(values, measurement)
    within = ((counts @ between) * counts).sum(axis=1) / pairs
    return np.column_stack([within, counts])


def _of_distances(counts: Ints, values: Floats, measurement: Measurement) -> Callable[..., Floats]:
    """Return alpha for distances that do not depend on the ratings: nominal and ratio."""
    between = _distances(values, measurement)

    def alpha(sums: Floats) -> Floats:
        within, margins = sums[:, 0, 0], sums[:, 0, 1:]
        expected = ((margins @ between) * margins).sum(axis=1)
        return np.asarray(1 - (margins.sum(axis=1) - 1) * within / expected)

    return alpha


def _interval(counts: Ints, values: Floats) -> Callable[[Floats], Floats]:
    """Return alpha from sums and sums of squares."""
    scale = float(counts.sum(axis=0) @ _centred(values) ** 2) if len(counts) else 0.0

    def alpha(sums: Floats) -> Floats:
        within, n, total, squares = (sums[:, 0, place] for place in range(4))
        expected = 2 * (n * squares - total**2)
        expected = np.where(expected > 1e-12 * n * scale, expected, 0.0)
        return np.asarray(1 - (n - 1) * within / expected)

    return alpha


def _ordinal(counts: Ints, _values: Floats) -> Callable[[Floats], Floats]:
    """Return alpha from coincidences; the distances are differences of mid-ranks in each draw."""
    size = counts.shape[1]

    def alpha(sums: Floats) -> Floats:
        coincidences = sums[:, 0, :].reshape(-1, size, size)
        margins = coincidences.sum(axis=2)
        ranks = margins.cumsum(axis=1) - margins / 2
        between = (ranks[:, :, None] - ranks[:, None, :]) ** 2
        observed = (coincidences * between).sum(axis=(1, 2))
        expected = (margins[:, :, None] * margins[:, None, :] * between).sum(axis=(1, 2))
        return np.asarray(1 - (margins.sum(axis=1) - 1) * observed / expected)

    return alpha


_ALPHAS: dict[Measurement, Callable[[Ints, Floats], Callable[[Floats], Floats]]] = {
    "nominal": lambda counts, values: _of_distances(counts, values, "nominal"),
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": lambda counts, values: _of_distances(counts, values, "ratio"),
}


def _distances(values: Floats, measurement: Measurement) -> Floats:
    """Return squared distances between values: 0 or 1, or that of a ratio scale."""
    gap = np.subtract.outer(values, values)
    if measurement == "nominal":
        return np.asarray(gap != 0, dtype=np.float64)
    total = np.add.outer(values, values)
    return np.asarray((gap / np.where(total > 0, total, 1.0)) ** 2)


def _centred(values: Floats) -> Floats:
    """Return values about their middle one, so that large offsets lose no digits."""
    return values - np.sort(values)[len(values) // 2] if len(values) else values


def _why_undefined(used: Ints, categories: tuple[Hashable, ...]) -> str | None:
    if not len(used):
        return NO_PAIR
    return one_category(used, categories) or (ONE_ITEM if len(used) == 1 else None)
