"""The draws of a resampling scheme: for every replicate, one whole-number weight per row.

The weights are made block by block. A block has its own generator, seeded by ``(seed, block
number)``, and a size that depends on the data only, so the draws are the same whatever the batch
in which they are read, and a run of 1,000 replicates is the beginning of a run of 10,000.

Row numbers are derived from the raw 64-bit output of PCG64 (a stream that numpy promises to keep)
by multiply and shift, not from ``Generator.integers`` (a stream that numpy may change). The
multiply-shift favours some rows by less than ``n / 2**32`` relative, 2e-8 for 100 scenarios.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stats.errors import StatisticsInputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
MAX_ROWS = 2**31

# A block's counts stay in the processor's cache; changing these changes every published draw.
_DRAWS_PER_BLOCK = 2**17
_MAX_ROWS_PER_BLOCK = 1024
_MIN_ROWS_PER_BLOCK = 2


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
class Groups:
    """Rows that are drawn within their group; groups drawn as they are, anew, or in parents."""

    first: IntArray
    size: IntArray
    draw: Literal["all", "groups", "parents"]
    parent_first: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    parent_size: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def rows(self) -> int:
        """How many rows there are in all groups."""
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
    groups, unit_of_row
        How units are drawn; and the unit of each row, where it is not the row itself.
    """

    scheme: str
    n: int
    width: int
    resampled: int
    unit: str
    replicates: int
    seed: int
    groups: Groups
    unit_of_row: IntArray | None = None

    @property
    def described(self) -> str:
        """The scheme as an estimate carries it: with its units, where the name does not say them.

        Examples
        --------
        >>> from stats.schemes import equal_model_item, hierarchical, iid
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
        fitting = _DRAWS_PER_BLOCK // self.groups.rows
        return min(_MAX_ROWS_PER_BLOCK, max(_MIN_ROWS_PER_BLOCK, fitting))

    def weights(self, batch: int | None = None) -> Iterator[FloatArray]:
        """Yield the weights of all replicates, shape ``(replicates in this batch, width)``.

        Parameters
        ----------
        batch
            Replicates per matrix; the draws do not depend on it. Left out: one block.
        """
        for block in _rebatch(self.unit_weights(), batch):
            yield block if self.unit_of_row is None else block[:, self.unit_of_row]

    def unit_weights(self) -> Iterator[FloatArray]:
        """Yield the weights before a cluster's weight is copied to its rows."""
        units = self.groups.rows
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
        if self.groups.draw != "all" or self.unit_of_row is not None:
            raise StatisticsInputError(
                f"draws of the scheme {self.scheme} have no fixed number of rows: use weights()"
            )
        for number, start in enumerate(range(0, self.replicates, self.block)):
            wanted = min(self.block, self.replicates - start)
            yield self._drawn(number, stride=0).reshape(self.block, -1)[:wanted]

    def collect(self, values: FloatArray) -> FloatArray:
        """Return the sums of `values` (rows first) over the rows of each unit."""
        if self.unit_of_row is None:
            return values
        sums = np.zeros((self.groups.rows, *values.shape[1:]))
        np.add.at(sums, self.unit_of_row, values)
        return sums

    def leave_one_out(self) -> Iterator[FloatArray]:
        """Yield the jackknife's weights, one unit left out per line, in blocks."""
        if self.groups.draw != "all":
            raise StatisticsInputError(
                f"method bca needs a scheme with one level, not {self.scheme}: use percentile"
            )
        units = self.groups.rows
        for start in range(0, units, self.block):
            left_out = np.arange(start, min(units, start + self.block))
            kept = np.ones((len(left_out), units))
            kept[np.arange(len(left_out)), left_out] = 0.0
            yield kept if self.unit_of_row is None else kept[:, self.unit_of_row]

    def _drawn(self, number: int, *, stride: int) -> IntArray:
        stream = _Stream(self.seed, number)
        replicate, group = self.groups.slots(stream, self.block)
        return self.groups.members(stream, replicate * stride, group)


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number; ``True`` is none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _rebatch(blocks: Iterator[FloatArray], batch: int | None) -> Iterator[FloatArray]:
    """Cut and join `blocks` into matrices of `batch` lines."""
    if batch is None:
        yield from blocks
        return
    if not is_whole(batch) or batch < 1:
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
