"""Coefficients that depend on the items only through sums over them, and their bootstrap.

Every coefficient of agreement here is such a function: a kappa of summed counts, an alpha of
summed coincidences, an ICC of summed squares. So a bootstrap replicate is one row of a matrix
product (weights of the drawn items times what each item contributes), and all replicates of a
block are evaluated at once by :mod:`stats.resample`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.estimate import Estimate, undefined
from stats import checks, resample
from stats.errors import StatisticsInputError
from stats.intervals import check_level
from stats.ratings import Floats, column_of, is_missing


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How an interval shall be made: resamples of items, each with all its raters.

    Attributes
    ----------
    seed
        Needed unless `replicates` is 0, which asks for no interval.
    replicates, level
        How many resamples, and the confidence level.
    """

    seed: int | None
    replicates: int
    level: float

    def __post_init__(self) -> None:
        check_level(self.level)
        checks.whole("replicates", self.replicates)
        if self.replicates and self.seed is None:
            raise StatisticsInputError("seed: give a whole number, or replicates=0 for no interval")


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What each item contributes, and the coefficient as a function of the sums.

    Attributes
    ----------
    lists
        One array (items x contributions) for each list of items; most statistics have one list.
        The contributions are the same in kind for all lists. Items are put in an order that
        depends on their contributions only, so that neither the sums nor the draws depend on how
        they were stored.
    evaluate
        Takes sums of shape (replicates, lists, contributions), returns the coefficient of shape
        (replicates,), NaN where it is undefined.
    unit
        ``item``, or what a cluster of items is called whose contributions are summed already.
    """

    lists: tuple[Floats, ...]
    evaluate: Callable[[Floats], Floats]
    unit: str = "item"

    def __post_init__(self) -> None:
        ordered = tuple(each[_own_order(each)] for each in self.lists)
        object.__setattr__(self, "lists", ordered)

    @property
    def n(self) -> int:
        """How many items there are in all lists."""
        return sum(len(contributions) for contributions in self.lists)

    def of_weights(self, weights: Floats) -> Floats:
        """Return the coefficient for each line of weights (a column per item)."""
        ends = np.cumsum([len(each) for each in self.lists])[:-1]
        parts = np.split(weights, ends, axis=1)
        sums = [part @ each for part, each in zip(parts, self.lists, strict=True)]
        return self.evaluate(np.stack(sums, axis=1))

    def draws(self, replicates: int, seed: int) -> resample.Draws:
        """Return the scheme: items with all raters, within lists when there are several."""
        if self.unit != "item":
            how = {"scheme": "cluster", "unit": self.unit}
            return resample.iid(self.n, replicates=replicates, seed=seed, **how)
        if len(self.lists) == 1:
            return resample.items_with_all_raters(self.n, replicates=replicates, seed=seed)
        names = np.repeat(np.arange(len(self.lists)), [len(each) for each in self.lists])
        return resample.items_in_lists(names.tolist(), replicates=replicates, seed=seed)


def sums_of(
    contributions: Floats,
    evaluate: Callable[[Floats], Floats],
    clusters: Sequence[Hashable] | None = None,
) -> Sums:
    """Return items as they are, or summed over clusters, which are then what is drawn.

    Examples
    --------
    >>> ones = np.ones((3, 1))
    >>> together = sums_of(ones, lambda s: s[:, 0, 0], ["a", "b", "a"])
    >>> together.n, together.lists[0].ravel().tolist()
    (2, [1.0, 2.0])
    """
    if clusters is None:
        return Sums((contributions,), evaluate)
    number = {name: code for code, name in enumerate(dict.fromkeys(clusters))}
    codes = np.array([number[name] for name in clusters], np.int64)
    order = _own_order(contributions)  # not even rounding depends on how rows were stored
    summed = np.zeros((len(number), contributions.shape[1]))
    np.add.at(summed, codes[order], contributions[order])
    return Sums((summed,), evaluate, "scenario")


def checked_clusters(clusters: Sequence[Hashable] | None, rows: int) -> list[Hashable] | None:
    """Return one cluster per row; ``None`` when items are not clustered."""
    if clusters is None:
        return None
    names: list[Hashable] = column_of("clusters", clusters)
    if len(names) != rows:
        raise StatisticsInputError(f"clusters: one per item, that is {rows}, not {len(names)}")
    if any(is_missing(name) or not isinstance(name, str | int) for name in names):
        raise StatisticsInputError("clusters: name the cluster of each item, by text or number")
    return names


def chosen(names: list[Hashable] | None, kept: NDArray[np.bool_]) -> list[Hashable] | None:
    """Return the clusters of the items that are kept."""
    return None if names is None else [names[place] for place in np.flatnonzero(kept)]


def estimate_of_sums(
    sums: Sums, why_undefined: str | None, bootstrap: Bootstrap
) -> tuple[Estimate, tuple[str, ...]]:
    """Return the coefficient with its percentile interval, and remarks on the interval.

    Parameters
    ----------
    sums
        The items and the coefficient.
    why_undefined
        The reason why there is no value, if the caller has found one.
    bootstrap
        How the interval shall be made.

    Examples
    --------
    >>> shares = Sums((np.array([[0.0], [1.0], [1.0]]),), lambda s: s[:, 0, 0] / 3)
    >>> estimate, _ = estimate_of_sums(shares, None, Bootstrap(None, 0, 0.95))
    >>> round(estimate.value, 3), estimate.why_no_interval
    (0.667, 'no bootstrap was asked for')
    """
    if why_undefined is not None:
        return undefined(why_undefined, sums.n), ()
    why = "its denominator is 0"
    if bootstrap.seed is None or not bootstrap.replicates:
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(sums.of_weights(np.ones((1, sums.n)))[0])
        if not np.isfinite(value):
            return undefined(why, sums.n), ()
        no_interval = "no bootstrap was asked for"
        return Estimate(value, sums.n, level=bootstrap.level, why_no_interval=no_interval), ()
    draws = sums.draws(bootstrap.replicates, bootstrap.seed)
    (estimate,) = resample.bootstrap(sums.of_weights, draws, level=bootstrap.level, why=why)
    return estimate, _remarks(estimate, bootstrap.replicates)


def _remarks(estimate: Estimate, asked: int) -> tuple[str, ...]:
    """Say how many resamples are not in the interval, and what else its reader must know."""
    remarks = []
    if 0 < estimate.replicates < asked:
        lost = asked - estimate.replicates
        remarks.append(f"{lost:,} of {asked:,} resamples were undefined: not in the interval")
    if (caveat := resample.caveat(estimate)) is not None:
        remarks.append(caveat)
    return tuple(remarks)


def _own_order(contributions: Floats) -> resample.IntArray:
    """Return an order of items that depends on what they contribute, but hardly on rounding."""
    if not contributions.size:
        return np.arange(len(contributions))
    largest = np.abs(contributions).max(axis=0, initial=0.0)
    coarse = np.round(contributions / np.where(largest > 0, largest, 1.0), 9)
    return np.lexsort([*contributions.T[::-1], *coarse.T[::-1]])
