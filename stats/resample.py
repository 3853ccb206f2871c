"""The one resampling engine: a scheme, a statistic of weights, an estimate.

A statistic is a function of weights: it gets a matrix ``(k, rows)`` of non-negative weights and
returns one line of values per line of weights. The same function gives the value (all weights 1),
the replicates (integer weights of the scheme) and the jackknife (one unit's weight 0), for all
replicates of a batch at once. Several statistics in one function share their draws, so their
differences are paired.

>>> draws = iid(4, replicates=2_000, seed=7)
>>> (mean,) = bootstrap(mean_of(np.array([0.0, 1.0, 1.0, 1.0])), draws)
>>> mean.value, mean.low, mean.high, mean.scheme
(0.75, 0.25, 1.0, 'iid')
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from core.estimate import Estimate, undefined
from stats import checks
from stats.draws import Draws, FloatArray, IntArray
from stats.errors import StatisticsInputError
from stats.intervals import (
    acceleration,
    bca_interval,
    check_level,
    constant,
    percentile_intervals,
    two_sided_p,
)
from stats.schemes import (
    cluster,
    equal_model_item,
    every_resample,
    hierarchical,
    iid,
    items_in_lists,
    items_with_all_raters,
    model_item,
)

__all__ = [
    "Draws",
    "FloatArray",
    "IntArray",
    "Statistic",
    "bootstrap",
    "caveat",
    "cluster",
    "equal_model_item",
    "estimates",
    "every_resample",
    "few_units",
    "hierarchical",
    "iid",
    "items_in_lists",
    "items_with_all_raters",
    "mean_of",
    "model_item",
    "order_by_id",
    "replicate",
    "replicate_means",
]

Statistic = Callable[[FloatArray], FloatArray]
Method = Literal["percentile", "bca"]

_MAX_UNDEFINED_SHARE = 0.05
_FEW_UNITS = 20
_UNITS = re.compile(r"\((?:up to )?(\d+) ([a-z ]+?)s?( per [a-z]+)?\)$")
_UNIT_OF = {
    "iid": "scenario",
    "cluster": "cluster",
    "items with all raters": "item",
    "item cluster": "task",
    "task bootstrap": "task",
    "question sets": "question set",
    "cells": "cell",
}


def bootstrap(
    statistic: Statistic,
    draws: Draws,
    *,
    null: float | None = None,
    method: Method = "percentile",
    level: float = 0.95,
    why: str = "the statistic is not defined on these data",
    batch: int | None = None,
) -> tuple[Estimate, ...]:
    """Estimate `statistic` with an interval and, against `null`, a p-value.

    Parameters
    ----------
    statistic
        Maps weights ``(k, rows)`` to values ``(k, statistics)`` or ``(k,)``; NaN where undefined.
    draws
        The scheme. `statistic` must take as many rows as ``draws.width``.
    null
        The value under the null hypothesis; without it there is no p-value.
    method
        ``percentile`` or ``bca`` (one-level schemes only: jackknife over the scheme's units).
    why
        What an undefined value's reader is told.
    batch
        Replicates per call of `statistic`; bounds the memory, never changes a draw.

    Returns
    -------
    tuple of Estimate
        One per statistic. Undefined where the value is NaN. Replicates in which a statistic is
        undefined are left out and not counted in ``Estimate.replicates``; more than 5 % of them,
        and there is no interval but the reason, with the scheme, the seed and the replicates that
        were drawn. One unit: no interval, nothing drawn. All replicates equal to
        the value: the interval [v, v], see :func:`caveat`.
    """
    if method not in ("percentile", "bca"):
        raise StatisticsInputError(f"method must be percentile or bca, is {method!r}")
    values = _evaluate(statistic, np.ones((1, draws.width)))[0]
    drawn = replicate(statistic, draws, batch=batch) if draws.resampled > 1 else None
    left_out = None
    if method == "bca" and drawn is not None:
        left_out = np.concatenate([_evaluate(statistic, w) for w in draws.leave_one_out()]).T
    return estimates(values, drawn, draws, null=null, level=level, why=why, jackknife=left_out)


def replicate(statistic: Statistic, draws: Draws, *, batch: int | None = None) -> FloatArray:
    """Return `statistic` in all replicates, shape ``(statistics, replicates)``."""
    parts = [_evaluate(statistic, weights).T for weights in draws.weights(batch)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def replicate_means(
    values: FloatArray, draws: Draws, *, base: FloatArray | None = None
) -> FloatArray:
    """Return the weighted means of columns in all replicates, shape ``(columns, replicates)``.

    The fast way for means: clusters are summed first, then every block is one matrix product.

    Parameters
    ----------
    values
        Shape ``(rows, columns)``, without NaN.
    base
        What a row weighs before it is drawn, shape ``(rows,)``; left out: 1 each. With one over the
        number of a model's rows, every drawn model counts the same whatever its number of rows.
    """
    values = checks.numbers("values", values, ndim=2, missing=False)
    base = np.ones(len(values)) if base is None else checks.numbers("base", base, ndim=1)
    if len(values) != draws.width or len(base) != draws.width:
        raise StatisticsInputError(
            f"values has {len(values)} rows, base {len(base)} and draws {draws.width}: "
            "make the draws of as many rows"
        )
    together = draws.collect(np.column_stack([values * base[:, None], base]))
    out = np.empty((values.shape[1], draws.replicates))
    start = 0
    for weights in draws.unit_weights():
        product = weights @ together
        stop = start + len(weights)
        np.divide(product[:, :-1].T, product[:, -1], out=out[:, start:stop])
        start = stop
    return out


def mean_of(values: FloatArray) -> Statistic:
    """Return the statistic "weighted mean of each column", NaN cells left out of their column.

    Parameters
    ----------
    values
        Shape ``(rows,)`` or ``(rows, columns)``. A column without any value, or a replicate that
        draws none of its values, is undefined.
    """
    table = checks.numbers("values", values)
    if table.ndim not in (1, 2) or not table.size:
        raise StatisticsInputError(f"values must have rows, or rows and columns: {table.shape}")
    table = table.reshape(len(table), -1)
    there = np.isfinite(table)
    if there.all():
        return lambda weights: (weights @ table) / weights.sum(axis=1, keepdims=True)
    filled, held = np.where(there, table, 0.0), there.astype(np.float64)
    return lambda weights: (weights @ filled) / (weights @ held)


def estimates(
    values: FloatArray,
    replicates: FloatArray | None,
    draws: Draws,
    *,
    null: float | None = None,
    level: float = 0.95,
    why: str = "the statistic is not defined on these data",
    jackknife: FloatArray | None = None,
    n: int | None = None,
) -> tuple[Estimate, ...]:
    """Turn values and their replicates into estimates (what :func:`bootstrap` ends with).

    Parameters
    ----------
    values
        Shape ``(statistics,)``; NaN where undefined.
    replicates
        Shape ``(statistics, replicates)``, or ``None`` when there is one unit and so no interval.
    jackknife
        Shape ``(statistics, units)`` for BCa intervals; left out: percentile intervals.
    n
        How many units the values rest on, where that is not ``draws.n``.
    """
    check_level(level)
    if null is not None:
        checks.number("null", null)
    setting = _Setting(draws, draws.n if n is None else n, null, level, why)
    if replicates is None or draws.resampled < 2:
        reason = f"only one {draws.unit}: nothing to resample"
        return tuple(setting.bare(float(value), reason) for value in values)
    if replicates.ndim != 2 or len(replicates) != len(values) or not replicates.size:
        raise StatisticsInputError(
            f"replicates must have a line for each of {len(values)} values, has shape "
            f"{replicates.shape}"
        )
    usable = np.isfinite(values) & np.isfinite(replicates).all(axis=1)
    if jackknife is None and usable.all():
        return setting.percentile(values, replicates)
    left_out = [None] * len(values) if jackknife is None else list(jackknife)
    return tuple(map(setting.careful, values.tolist(), replicates, left_out))


@dataclass(frozen=True, slots=True)
class _Setting:
    """What all estimates of one call have in common."""

    draws: Draws
    n: int
    null: float | None
    level: float
    why: str

    def bare(self, value: float, reason: str) -> Estimate:
        """Return a value without an interval, of data that were not resampled."""
        if not math.isfinite(value):
            return undefined(self.why, self.n)
        return Estimate(value, self.n, level=self.level, why_no_interval=reason)

    def void(self, value: float, reason: str) -> Estimate:
        """Return a value without an interval, with the replicates that were to make one."""
        draws = self.draws
        return replace(
            self.bare(value, reason),
            replicates=draws.replicates, scheme=draws.described, seed=draws.seed, level=self.level,
        )  # fmt: skip

    def full(self, value: float, low: float, high: float, p: float | None, **how: Any) -> Estimate:
        """Return a value with its interval."""
        return Estimate(
            value, self.n, low, high, p,
            scheme=self.draws.described, seed=self.draws.seed, level=self.level, **how,
        )  # fmt: skip

    def percentile(self, values: FloatArray, replicates: FloatArray) -> tuple[Estimate, ...]:
        """Return estimates with percentile intervals; everything is finite."""
        low, high = percentile_intervals(replicates, self.level)
        same = constant(replicates, values)
        low, high = np.where(same, values, low), np.where(same, values, high)
        null = self.null
        p = [None] * len(values) if null is None else two_sided_p(replicates, null).tolist()
        how = {"replicates": replicates.shape[1], "method": "percentile"}
        ends = zip(values.tolist(), low.tolist(), high.tolist(), p, strict=True)
        return tuple(self.full(*each, **how) for each in ends)

    def careful(
        self, value: float, replicates: FloatArray, left_out: FloatArray | None
    ) -> Estimate:
        """Return one estimate where something may be undefined, or by BCa."""
        defined = replicates[np.isfinite(replicates)]
        missing = replicates.size - defined.size
        if not math.isfinite(value) or missing > _MAX_UNDEFINED_SHARE * replicates.size:
            return self.void(value, f"undefined in {missing} of {replicates.size} resamples")
        (plain,) = self.percentile(np.array([value]), defined[None, :])
        if left_out is None or plain.low == plain.high == value:
            return plain
        if not np.isfinite(left_out).all():
            return self.void(value, "BCa: undefined when one unit is left out")
        found = bca_interval(value, defined, acceleration(left_out), self.level)
        if found.low is None or found.high is None:
            return self.void(value, found.why_none or "BCa has no interval")
        return self.full(
            value, found.low, found.high, plain.p, replicates=defined.size, method="bca"
        )


def order_by_id(ids: Sequence[Hashable]) -> IntArray:
    """Return the row order that makes a resampled result independent of how rows were stored.

    Parameters
    ----------
    ids
        One id per row, all different; sorted as text.

    Examples
    --------
    >>> order_by_id(["b", "a", "c"]).tolist()
    [1, 0, 2]
    """
    names = [str(i) for i in ids]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise StatisticsInputError(f"ids has {twice!r} twice: give every unit one row")
    return np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)


def caveat(estimate: Estimate) -> str | None:
    """Return what a reader of this interval must be told, or ``None``.

    One sentence, of any scheme: an interval without width, or few units at the level that decides
    the width. Where `n` does not count these units, the scheme does (see
    :attr:`stats.draws.Draws.described`).

    Examples
    --------
    >>> (sure,) = bootstrap(mean_of(np.ones(20)), iid(20, replicates=200, seed=1))
    >>> caveat(sure)
    'resamples give one value: a zero-width interval says nothing about uncertainty'
    >>> draws = hierarchical(list("xxyyzz"), list("abcdef"), replicates=200, seed=1)
    >>> caveat(bootstrap(mean_of(np.arange(6.0)), draws)[0])
    '3 providers: with fewer than 20 a percentile interval is too narrow'
    """
    if estimate.low is None or estimate.method not in ("percentile", "bca"):
        return None
    if estimate.low == estimate.high:
        return "resamples give one value: a zero-width interval says nothing about uncertainty"
    stated = _UNITS.search(estimate.scheme)
    if stated is not None:
        count, unit, each = min(int(stated[1]), estimate.n), stated[2], stated[3]
        return few_units(count, unit, each=each or "", method=estimate.method)
    unit = _unit_of(estimate.scheme)
    if estimate.n == 2:
        return f"2 {unit}s: only 3 distinct resamples exist"
    return few_units(estimate.n, unit, method=estimate.method)


def few_units(count: int, unit: str, *, each: str = "", method: str = "percentile") -> str | None:
    """Return the warning that few units at the level that decides the width call for.

    Parameters
    ----------
    count, unit
        How many units there are, and what one is called.
    each
        What they are counted in, such as `` per list``.
    method
        Of the interval.

    Examples
    --------
    >>> few_units(6, "provider")
    '6 providers: with fewer than 20 a percentile interval is too narrow'
    """
    if count < 2 or count >= _FEW_UNITS:
        return None
    name = "BCa" if method == "bca" else method
    return f"{count} {unit}s{each}: with fewer than {_FEW_UNITS} a {name} interval is too narrow"


def _unit_of(scheme: str) -> str:
    """Return what `n` counts under a scheme that draws one kind of unit."""
    if scheme.startswith("iid over "):
        return scheme.removeprefix("iid over ").removesuffix("s")
    return _UNIT_OF.get(scheme, "unit")


def _evaluate(statistic: Statistic, weights: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        try:
            result = np.asarray(statistic(weights), np.float64)
        except StatisticsInputError:
            raise
        except (ValueError, IndexError) as error:
            raise StatisticsInputError(
                f"statistic cannot take {weights.shape[1]} weights, one per row of the draws: "
                "make the draws of as many rows as it has"
            ) from error
    if result.ndim == 0 or len(result) != len(weights):
        raise StatisticsInputError(
            f"statistic must return one line per line of weights ({len(weights)}), "
            f"returned shape {result.shape}"
        )
    return result.reshape(len(weights), -1)
