"""What a stratified sample says of the population that it was drawn from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.estimate import Estimate, undefined
from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError
from stats.resample import bootstrap
from stats.schemes import items_in_lists


def weighted_mean(
    values: ArrayLike,
    probabilities: ArrayLike,
    strata: Sequence[Hashable],
    *,
    unit: str = "response",
    replicates: int = 10_000,
    seed: int,
    why: str = "nothing was measured",
) -> Estimate:
    r"""Return the mean over a population, from a sample whose chances to be drawn are known.

    :math:`\sum_i y_i / \pi_i \;/\; \sum_i 1 / \pi_i` (Hajek 1971): each value stands for as many
    as its chance says. With the same chance for all it is the plain mean.

    Parameters
    ----------
    values
        Shape ``(rows,)``, without NaN.
    probabilities
        The chance of each row to be drawn, above 0 and at most 1.
    strata
        The stratum of each row. The interval resamples rows within strata, so that each keeps its
        number, as in a sample with quotas; it does not make anything of a population that is
        nearly drawn whole, so it is rather too wide there.
    unit
        What a row is called.

    Examples
    --------
    Ten of 90 that are right, and ten of 10 that are wrong: 90 in 100 are right.

    >>> found = weighted_mean([1] * 10 + [0] * 10, [1 / 9] * 10 + [1.0] * 10, "a" * 10 + "b" * 10,
    ...                       seed=1, replicates=200)
    >>> round(found.value, 9), found.n
    (0.9, 20)
    """
    table = checks.numbers("values", values, ndim=1, missing=False)
    chances = checks.numbers("probabilities", probabilities, ndim=1, missing=False)
    if not len(table) == len(chances) == len(strata):
        raise StatisticsInputError(
            f"values, probabilities and strata: one each per row, not {len(table)}, "
            f"{len(chances)} and {len(strata)}"
        )
    if ((chances <= 0) | (chances > 1)).any():
        raise StatisticsInputError("probabilities: each lies above 0 and is at most 1")
    if not len(table):
        return undefined(why)
    # Only how weights compare matters, so that none is too large to be a number.
    rows, lists = _own_order(table, chances.min() / chances, strata)

    def mean(weights: FloatArray) -> FloatArray:
        sums = weights @ rows
        return np.asarray(sums[:, 0] / sums[:, 1])

    draws = items_in_lists(lists, replicates=replicates, seed=seed, unit=unit)
    (found,) = bootstrap(mean, draws)
    return found


def _own_order(
    values: FloatArray, weights: FloatArray, strata: Sequence[Hashable]
) -> tuple[FloatArray, list[int]]:
    """Return weighted values beside weights, ordered by what stands in the strata alone."""
    groups: dict[Hashable, list[tuple[float, float]]] = defaultdict(list)
    for value, weight, stratum in zip(values.tolist(), weights.tolist(), strata, strict=True):
        groups[stratum].append((value * weight, weight))
    ordered = sorted(sorted(mine) for mine in groups.values())
    rows = np.array([pair for mine in ordered for pair in mine])
    return rows, [place for place, mine in enumerate(ordered) for _ in mine]
