"""Which units are drawn again, and how often: the resampling schemes.

A scheme is a :class:`Draws`: for every replicate, one non-negative integer weight per row of the
data. The weights are made block by block. A block has its own generator, seeded by ``(seed, block
number)``, and a size that depends on the data only, so the draws are the same whatever the batch
in which they are read, and a run of 1,000 replicates is the beginning of a run of 10,000.

Rows are resampled by position. Callers bring them into an order that does not depend on how they
were stored (scenarios by id, models and providers by their data); group labels are compared for
equality only, never sorted and never hashed.

Row numbers are derived from the raw 64-bit output of PCG64 (a stream that numpy promises to keep)
by multiply and shift, not from ``Generator.integers`` (a stream that numpy may change). The
multiply-shift favours some rows by less than ``n / 2**32`` relative, 2e-8 for 100 scenarios.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stats.errors import StatisticsInputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# A block's counts stay in the processor's cache; changing these changes every published draw.
_DRAWS_PER_BLOCK = 2**17
_MAX_ROWS_PER_BLOCK = 1024
_MIN_ROWS_PER_BLOCK = 2
_MIN_REPLICATES = 40
_MAX_ENUMERATED = 7
_MAX_ROWS = 2**31


class _Stream:
    """Uniform integers of one block, two from each raw 64-bit word."""

    def __init__(self, seed: int, block: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,)))

    def below(self, bound: int | IntArray, count: int) -> IntArray:
        """Return `count` integers from 0 to ``bound - 1`` (`bound` below 2**31, or one each)."""
        raw = self._bits.random_raw((count + 1) // 2).astype("<u8", copy=False).view("<u4")
        numbers: IntArray = raw[:count].astype(np.int64)
        numbers *= bound
        numbers >>= 32
        return numbers


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Rows that are drawn within their group; groups drawn as they are, anew, or in parents."""

    first: IntArray
    size: IntArray
    draw: Literal["all", "groups", "parents"]
    parent_first: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    parent_size: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def rows(self) -> int:
        return int(self.size.sum())

    def slots(self, stream: _Stream, rows: int) -> tuple[IntArray, IntArray]:
        """Return, for all sampled groups of a block, their replicate and their group."""
        if self.draw == "parents":
            return self._slots_in_parents(stream, rows)
        groups = len(self.size)
        replicate = np.repeat(np.arange(rows), groups)
        if self.draw == "all":
            return replicate, np.tile(np.arange(groups), rows)
        return replicate, stream.below(groups, rows * groups)

    def _slots_in_parents(self, stream: _Stream, rows: int) -> tuple[IntArray, IntArray]:
        parents = len(self.parent_size)
        parent = stream.below(parents, rows * parents)
        children = self.parent_size[parent]
        replicate = np.repeat(np.repeat(np.arange(rows), parents), children)
        parent = np.repeat(parent, children)
        child = stream.below(self.parent_size[parent], len(parent))
        return replicate, self.parent_first[parent] + child

    def members(self, stream: _Stream, offset: IntArray, group: IntArray) -> IntArray:
        """Return one drawn row per member of each sampled group, `offset` added."""
        start = offset + self.first[group]
        size = int(self.size[0])
        if (self.size == size).all():
            drawn = stream.below(size, len(group) * size).reshape(len(group), size)
            drawn += start[:, None]
            return drawn.ravel()
        sizes = self.size[group]
        bounds = np.repeat(sizes, sizes)
        return np.repeat(start, sizes) + stream.below(bounds, len(bounds))


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The draws of one scheme, made when they are read; the same ones every time.

    Attributes
    ----------
    scheme
        Name of the scheme; an :class:`~core.estimate.Estimate` carries it as `described`.
    n
        How many units a value over all rows rests on (scenarios, clusters, model-item cells).
    width
        How many rows the data have: the length of one replicate's weights.
    resampled, unit
        How many units vary at the level that decides the width of the interval, and their name.
        With fewer than two there is no interval.
    replicates, seed
        How many replicates, and the seed that they all come from.
    """

    scheme: str
    n: int
    width: int
    resampled: int
    unit: str
    replicates: int
    seed: int
    _groups: _Groups
    _unit_of_row: IntArray | None = None

    @property
    def described(self) -> str:
        """The scheme as an estimate carries it: with its units, where the name does not say them.

        Examples
        --------
        >>> hierarchical(["x", "x", "y"], ["a", "b", "c"], replicates=40, seed=1).described
        'provider>model>item (2 providers)'
        >>> equal_model_item(["a", "a", "b"], replicates=40, seed=1).described
        'equal-model item (up to 2 items per model)'
        >>> iid(3, replicates=40, seed=1, unit="prompt").described
        'iid over prompts'
        """
        units = f"{self.resampled} {self.unit}" + ("" if self.resampled == 1 else "s")
        if ">" in self.scheme:
            return f"{self.scheme} ({units})"
        if self.scheme == "equal-model item":
            return f"{self.scheme} (up to {units} per model)"
        if self.scheme.endswith(" within lists"):
            return f"{self.scheme} (up to {units} per list)"
        plain = self.scheme != "iid" or self.unit == "scenario"
        return self.scheme if plain else f"{self.scheme} over {self.unit}s"

    @property
    def block(self) -> int:
        """Replicates that are drawn at once; depends on the data's size only."""
        fitting = _DRAWS_PER_BLOCK // self._groups.rows
        return min(_MAX_ROWS_PER_BLOCK, max(_MIN_ROWS_PER_BLOCK, fitting))

    def weights(self, batch: int | None = None) -> Iterator[FloatArray]:
        """Yield the weights of all replicates, shape ``(replicates in this batch, width)``.

        Parameters
        ----------
        batch
            Replicates per matrix; the draws do not depend on it. Left out: one block.
        """
        for block in _rebatch(self.unit_weights(), batch):
            yield block if self._unit_of_row is None else block[:, self._unit_of_row]

    def unit_weights(self) -> Iterator[FloatArray]:
        """Yield the weights before a cluster's weight is copied to its rows."""
        units = self._groups.rows
        for number, start in enumerate(range(0, self.replicates, self.block)):
            wanted = min(self.block, self.replicates - start)
            flat = self._drawn(number, stride=units)
            counts = np.bincount(flat, minlength=self.block * units).reshape(self.block, units)
            yield counts[:wanted].astype(np.float64)

    def indices(self) -> Iterator[IntArray]:
        """Yield drawn row numbers, shape ``(replicates in this block, rows)``.

        For statistics that have no weighted form, where single rows are drawn. They are the draws
        that :meth:`weights` counts.
        """
        if self._groups.draw != "all" or self._unit_of_row is not None:
            raise StatisticsInputError(
                f"draws of the scheme {self.scheme} have no fixed number of rows: use weights()"
            )
        for number, start in enumerate(range(0, self.replicates, self.block)):
            wanted = min(self.block, self.replicates - start)
            yield self._drawn(number, stride=0).reshape(self.block, -1)[:wanted]

    def collect(self, values: FloatArray) -> FloatArray:
        """Return the sums of `values` (rows first) over the rows of each unit."""
        if self._unit_of_row is None:
            return values
        sums = np.zeros((self._groups.rows, *values.shape[1:]))
        np.add.at(sums, self._unit_of_row, values)
        return sums

    def leave_one_out(self) -> Iterator[FloatArray]:
        """Yield the jackknife's weights, one unit left out per line, in blocks."""
        if self._groups.draw != "all":
            raise StatisticsInputError(
                f"method bca needs a scheme with one level, not {self.scheme}: use percentile"
            )
        units = self._groups.rows
        for start in range(0, units, self.block):
            left_out = np.arange(start, min(units, start + self.block))
            kept = np.ones((len(left_out), units))
            kept[np.arange(len(left_out)), left_out] = 0.0
            yield kept if self._unit_of_row is None else kept[:, self._unit_of_row]

    def _drawn(self, number: int, *, stride: int) -> IntArray:
        stream = _Stream(self.seed, number)
        replicate, group = self._groups.slots(stream, self.block)
        return self._groups.members(stream, replicate * stride, group)


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
    if not _is_whole(n) or not 1 <= n < _MAX_ROWS:
        raise StatisticsInputError(f"n must be at least one {unit} and below 2**31, is {n!r}")
    groups = _Groups(np.zeros(1, np.int64), np.full(1, n, np.int64), "all")
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
    if not _is_whole(n) or not 1 <= n <= _MAX_ENUMERATED:
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
    groups = _Groups(np.zeros(1, np.int64), np.full(1, len(names), np.int64), "all")
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
    groups = _Groups(first, size, "parents", parent_first, in_provider)
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
    groups, rows = _Groups(first, size, draw), len(codes)
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
    if not _is_whole(seed) or seed < 0:
        raise StatisticsInputError(f"seed must be a whole number from 0 on, is {seed!r}")
    if not _is_whole(replicates):
        raise StatisticsInputError(f"replicates must be a whole number, is {replicates!r}")
    if replicates < _MIN_REPLICATES:
        raise StatisticsInputError(
            f"replicates must be at least {_MIN_REPLICATES}, is {replicates}: the ends of a 95 % "
            "interval need resamples beyond them"
        )
    return int(seed)


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _rebatch(blocks: Iterator[FloatArray], batch: int | None) -> Iterator[FloatArray]:
    """Cut and join `blocks` into matrices of `batch` lines."""
    if batch is None:
        yield from blocks
        return
    if not _is_whole(batch) or batch < 1:
        raise StatisticsInputError(f"batch must be at least 1, is {batch!r}")
    waiting: list[FloatArray] = []
    held = 0
    for block in blocks:
        waiting.append(block)
        held += len(block)
        while held >= batch:
            joined = np.concatenate(waiting)
            yield joined[:batch]
            waiting, held = [joined[batch:]], held - batch
    if held:
        yield np.concatenate(waiting)
