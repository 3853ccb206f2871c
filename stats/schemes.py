"""Which units are drawn again: the resampling schemes, each as the draws that it makes.

Rows are resampled by position. Callers bring them into an order that does not depend on how they
were stored (scenarios by id, models and providers by their data); group labels are compared for
equality only, never sorted and never hashed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isnan
from typing import Literal

import numpy as np

from stats.draws import MAX_ROWS, Draws, FloatArray, Groups, IntArray, is_whole
from stats.errors import StatisticsInputError

_MIN_REPLICATES = 40
_MAX_REPLICATES = 1_000_000
_MAX_ENUMERATED = 7


def iid(
    n: int, *, replicates: int, seed: int, scheme: str = "iid", unit: str = "scenario"
) -> Draws:
    """Draw `n` of `n` rows with replacement.

    For scenarios, tasks and items; whatever else belongs to the unit (models, conditions, forms,
    repetitions, raters) stays with it, so that differences are paired.

    Examples
    --------
    >>> draws = iid(3, replicates=40, seed=1)
    >>> block = next(draws.weights())
    >>> block.shape, sorted(set(block.sum(axis=1)))
    ((40, 3), [np.float64(3.0)])
    """
    seed = _check(replicates, seed)
    if not is_whole(n) or not 1 <= n < MAX_ROWS:
        raise StatisticsInputError(f"n must be at least one {unit} and below 2**31, is {n!r}")
    groups = Groups(np.zeros(1, np.int64), np.full(1, n, np.int64), "all")
    return Draws(scheme, n, n, n, unit, replicates, seed, groups)


def items_with_all_raters(n: int, *, replicates: int, seed: int) -> Draws:
    """Draw items with replacement; a drawn item brings the ratings of all its raters."""
    return iid(n, replicates=replicates, seed=seed, scheme="items with all raters", unit="item")


def every_resample(n: int) -> FloatArray:
    """Return the weights of all ``n**n`` resamples of `n` rows, for `n` up to 7: no seed, no noise.

    Examples
    --------
    >>> every_resample(2).tolist()
    [[2.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 2.0]]
    """
    if not is_whole(n) or not 1 <= n <= _MAX_ENUMERATED:
        raise StatisticsInputError(f"n must lie between 1 and {_MAX_ENUMERATED}, is {n!r}: use iid")
    rows = np.stack(np.unravel_index(np.arange(n**n), (n,) * n), axis=1)
    flat = (rows + n * np.arange(n**n)[:, None]).ravel()
    return np.bincount(flat, minlength=n ** (n + 1)).reshape(-1, n).astype(np.float64)


def cluster(ids: Sequence[Hashable], *, replicates: int, seed: int, unit: str = "task") -> Draws:
    """Draw whole clusters: all rows with the same id stay together.

    Parameters
    ----------
    ids
        The cluster of each row. Clusters are numbered in the order in which they first appear.
    """
    seed = _check(replicates, seed)
    codes, names = _codes(ids, "ids")
    groups = Groups(np.zeros(1, np.int64), np.full(1, len(names), np.int64), "all")
    k = len(names)
    return Draws("cluster", k, len(codes), k, unit, replicates, seed, groups, codes)


def items_in_lists(
    lists: Sequence[Hashable], *, replicates: int, seed: int, unit: str = "item"
) -> Draws:
    """Draw items within their list: every list keeps its number of items.

    Parameters
    ----------
    lists
        The list (stratum) of each item.
    """
    return _in_groups(
        lists, f"{unit}s within lists", draw="all", unit=unit, replicates=replicates, seed=seed
    )


def equal_model_item(models: Sequence[Hashable], *, replicates: int, seed: int) -> Draws:
    """Draw items within each model; the models themselves stay (WISE, App. P).

    Parameters
    ----------
    models
        The model of each row; a row is one model on one item.
    """
    return _in_groups(
        models, "equal-model item", draw="all", unit="item", replicates=replicates, seed=seed
    )


def model_item(models: Sequence[Hashable], *, replicates: int, seed: int) -> Draws:
    """Draw models, then items anew within each drawn model (WISE, App. P).

    A model that is drawn twice gets two independent draws of its items.
    """
    return _in_groups(
        models, "model>item", draw="groups", unit="model", replicates=replicates, seed=seed
    )


def hierarchical(
    providers: Sequence[Hashable], models: Sequence[Hashable], *, replicates: int, seed: int
) -> Draws:
    """Draw providers, models within drawn providers, items within drawn models (WISE, sec. 4).

    Parameters
    ----------
    providers, models
        The provider and the model of each row; a row is one model on one item. A provider with k
        models brings k draws of its models each time that it is drawn.

    Examples
    --------
    >>> draws = hierarchical(["x", "x", "y", "y"], ["a", "b", "c", "c"], replicates=40, seed=1)
    >>> draws.scheme, draws.resampled, draws.n
    ('provider>model>item', 2, 4)
    """
    seed = _check(replicates, seed)
    model_code, names = _codes(models, "models")
    provider_code, provider_names = _codes(providers, "providers")
    if len(providers) != len(models):
        raise StatisticsInputError(
            f"providers has {len(providers)} rows and models {len(models)}: one of each per row"
        )
    provider_of = np.zeros(len(names), np.int64)
    provider_of[model_code] = provider_code
    if (provider_of[model_code] != provider_code).any():
        raise StatisticsInputError("providers gives one model two providers: name models apart")
    by_provider = np.argsort(provider_of, kind="stable")
    rank = np.empty_like(by_provider)
    rank[by_provider] = np.arange(len(names))
    first, size, unit_of_row = _contiguous(rank[model_code], len(names))
    in_provider = np.bincount(provider_of, minlength=len(provider_names)).astype(np.int64)
    parent_first = np.cumsum(in_provider) - in_provider
    groups = Groups(first, size, "parents", parent_first, in_provider)
    rows, k = len(model_code), len(provider_names)
    name = "provider>model>item"
    return Draws(name, rows, rows, k, "provider", replicates, seed, groups, unit_of_row)


def _in_groups(
    labels: Sequence[Hashable],
    scheme: str,
    *,
    draw: Literal["all", "groups"],
    unit: str,
    replicates: int,
    seed: int,
) -> Draws:
    seed = _check(replicates, seed)
    codes, names = _codes(labels, "lists" if scheme.endswith("within lists") else "models")
    first, size, unit_of_row = _contiguous(codes, len(names))
    resampled = len(names) if draw == "groups" else int(size.max())
    groups, rows = Groups(first, size, draw), len(codes)
    return Draws(scheme, rows, rows, resampled, unit, replicates, seed, groups, unit_of_row)


def _contiguous(codes: IntArray, count: int) -> tuple[IntArray, IntArray, IntArray | None]:
    """Return each group's first place and size, and each row's place when groups are laid out."""
    size = np.bincount(codes, minlength=count).astype(np.int64)
    first = np.cumsum(size) - size
    if (np.diff(codes) >= 0).all():
        return first, size, None
    place = np.empty(len(codes), np.int64)
    place[np.argsort(codes, kind="stable")] = np.arange(len(codes))
    return first, size, place


def _codes(labels: Sequence[Hashable], argument: str) -> tuple[IntArray, list[Hashable]]:
    """Return each label's number, in the order in which labels first appear."""
    if not isinstance(labels, Sequence | np.ndarray) or isinstance(labels, str):
        raise StatisticsInputError(f"{argument} must be a list with one label per row")
    if len(labels) == 0:
        raise StatisticsInputError(f"{argument} is empty: at least one row is needed")
    number: dict[Hashable, int] = {}
    try:
        if any(label is None or (isinstance(label, float) and isnan(label)) for label in labels):
            raise StatisticsInputError(f"{argument} has a missing label: name each row's")
        codes = np.array([number.setdefault(label, len(number)) for label in labels], np.int64)
    except TypeError:
        raise StatisticsInputError(f"{argument} must hold texts or numbers as labels") from None
    return codes, list(number)


def _check(replicates: int, seed: int) -> int:
    if not is_whole(seed) or seed < 0:
        raise StatisticsInputError(f"seed must be a whole number from 0 on, is {seed!r}")
    if not is_whole(replicates):
        raise StatisticsInputError(f"replicates must be a whole number, is {replicates!r}")
    if replicates < _MIN_REPLICATES:
        raise StatisticsInputError(
            f"replicates must be at least {_MIN_REPLICATES}, is {replicates}: the ends of a 95 % "
            "interval need resamples beyond them"
        )
    if replicates > _MAX_REPLICATES:
        raise StatisticsInputError(
            f"replicates must be at most {_MAX_REPLICATES:,}, is {replicates}: more make no "
            "interval steadier"
        )
    return int(seed)
