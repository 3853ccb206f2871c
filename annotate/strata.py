"""A stratified sample whose chances are known: pure, seeded, and independent of names and rows.

A number of draws is divided level by level (verdict, family, condition, model): at each, every
value that is there gets an equal share, and what a small one cannot take goes to the others. The
shares of the cells are exact fractions; they are rounded together, along the cells, from one random
start. So each cell, and each value within those above it, gets its share give or take one, and the
chance of every response to be drawn is its cell's share over the cell's size, nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from core.hashing import digest_all, seed_from

Cell = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """One response that can be drawn.

    Attributes
    ----------
    id
        Its number in the study, which no draw depends on.
    key
        A digest of what it says, and in answer to what: the same under other names.
    cell
        Its value at each level.
    """

    id: int
    key: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Chosen:
    """A member that was drawn, and the chance that it had."""

    id: int
    probability: Fraction


def sample(
    members: Sequence[Member], size: int, seed: int, quotas: Mapping[str, int] | None = None
) -> tuple[Chosen, ...]:
    """Draw a sample, by the number of its members.

    Parameters
    ----------
    size
        How many; at most as many as there are.
    quotas
        How many of each value of the first level, in place of equal shares; they add up to `size`.
    """
    cells: dict[Cell, list[Member]] = defaultdict(list)
    for member in members:
        cells[member.cell].append(member)
    ordered = _ordered(cells, members, seed)
    wanted = expected({cell: len(cells[cell]) for cell in ordered}, size, quotas)
    start = Fraction(seed_from(seed, "start") % 2**32, 2**32)
    counts = rounded([wanted[cell] for cell in ordered], start)
    return tuple(
        Chosen(member.id, wanted[cell] / len(cells[cell]))
        for cell, count in zip(ordered, counts, strict=True)
        for member in _shuffled(cells[cell], seed)[:count]
    )


def expected(
    sizes: Mapping[Cell, int], size: int, quotas: Mapping[str, int] | None = None
) -> dict[Cell, Fraction]:
    """Return how many draws each cell gets, on average over all seeds.

    Examples
    --------
    >>> found = expected({("a", "x"): 9, ("a", "y"): 1, ("b", "x"): 9}, 8)
    >>> {"/".join(cell): str(share) for cell, share in found.items()}
    {'a/x': '3', 'a/y': '1', 'b/x': '4'}
    """
    if quotas is None:
        return _divided(sizes, Fraction(size))
    found: dict[Cell, Fraction] = {}
    for value, mine in _by_first(sizes).items():
        inner = _divided(mine, Fraction(quotas.get(value, 0)))
        found |= {(value, *rest): share for rest, share in inner.items()}
    return {cell: found[cell] for cell in sizes}


def level_shares(sizes: Sequence[int], amount: Fraction) -> list[Fraction]:
    """Divide an amount equally; what is more than a size goes to the others.

    Examples
    --------
    >>> [str(share) for share in level_shares([2, 10, 10], Fraction(15))]
    ['2', '13/2', '13/2']
    """
    shares = [Fraction(0)] * len(sizes)
    left, open_ = amount, sorted(range(len(sizes)), key=lambda place: sizes[place])
    while open_:
        level = left / len(open_)
        place = open_[0]
        shares[place] = min(Fraction(sizes[place]), level)
        left -= shares[place]
        open_ = open_[1:]
    return shares


def rounded(shares: Sequence[Fraction], start: Fraction) -> list[int]:
    """Return whole numbers with the same sum, each its share rounded up or down.

    A number is rounded up for as large a part of all starts in [0, 1) as its fraction says.

    Examples
    --------
    >>> rounded([Fraction(1, 2), Fraction(1, 2), Fraction(3, 2), Fraction(1, 2)], Fraction(1, 4))
    [0, 1, 1, 1]
    """
    counts, before = [], Fraction(0)
    for share in shares:
        after = before + share
        counts.append(floor(after + start) - floor(before + start))
        before = after
    return counts


def _divided(sizes: Mapping[Cell, int], amount: Fraction) -> dict[Cell, Fraction]:
    if () in sizes:
        return {(): amount}
    groups = _by_first(sizes)
    shares = level_shares([sum(mine.values()) for mine in groups.values()], amount)
    return {
        (value, *rest): share
        for (value, mine), part in zip(groups.items(), shares, strict=True)
        for rest, share in _divided(mine, part).items()
    }


def _by_first(sizes: Mapping[Cell, int]) -> dict[str, dict[Cell, int]]:
    groups: dict[str, dict[Cell, int]] = defaultdict(dict)
    for cell, size in sizes.items():
        groups[cell[0]][cell[1:]] = size
    return groups


def _ordered(cells: Collection[Cell], members: Sequence[Member], seed: int) -> list[Cell]:
    """Put the cells in an order that depends on what stands in them, level by level.

    Values have the same order within all others, so that rounding goes round all of them.
    """
    keys: dict[tuple[int, str], list[str]] = defaultdict(list)
    for member in members:
        for level, value in enumerate(member.cell):
            keys[level, value].append(member.key)
    rank = {at: seed_from(seed, "value", at[0], digest_all(mine)) for at, mine in keys.items()}
    return sorted(cells, key=lambda cell: ([rank[at] for at in enumerate(cell)], cell))


def _shuffled(members: Sequence[Member], seed: int) -> list[Member]:
    return sorted(members, key=lambda member: (seed_from(seed, "member", member.key), member.id))
