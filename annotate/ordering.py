"""The order in which a seat sees its items: random, with every stratum spread from end to end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def spread(values: Sequence[T], strata: Sequence[Sequence[Hashable]], seed: int) -> tuple[T, ...]:
    """Return a seeded permutation that deals out every stratum evenly.

    Parameters
    ----------
    values
        What is ordered.
    strata
        One sequence per attribute, each with one entry per value. The first (the condition) is
        spread as evenly as can be; the others (family, domain) as evenly as that allows.
    seed
        Same seed, same order.

    Returns
    -------
    tuple
        At every place the value whose strata are furthest behind their share is taken; ties, which
        are most places, are broken at random. So no condition gets ahead of another by more than
        one, and nothing else about the order can be foreseen.

    Examples
    --------
    >>> order = spread(range(6), [["a", "a", "a", "b", "b", "b"]], seed=1)
    >>> [sum(value < 3 for value in order[i : i + 2]) for i in (0, 2, 4)]
    [1, 1, 1]
    """
    draw = Random(seed)  # noqa: S311  (a plan must be repeatable, not secret)
    totals = [Counter(attribute) for attribute in strata]
    placed: list[Counter[Hashable]] = [Counter() for _ in strata]
    left = list(range(len(values)))
    draw.shuffle(left)
    order: list[T] = []
    while left:
        chosen = min(
            left,
            key=lambda n: _share(
                [
                    (done[attribute[n]] + 0.5) / total[attribute[n]]
                    for attribute, total, done in zip(strata, totals, placed, strict=True)
                ]
            ),
        )
        left.remove(chosen)
        for attribute, done in zip(strata, placed, strict=True):
            done[attribute[chosen]] += 1
        order.append(values[chosen])
    return tuple(order)


def _share(shares: Sequence[float]) -> tuple[float, float]:
    return (shares[0], sum(shares[1:])) if shares else (0.0, 0.0)


def shuffled(values: Sequence[T], seed: int) -> list[T]:
    """Return the values in a seeded random order."""
    drawn = list(values)
    Random(seed).shuffle(drawn)  # noqa: S311
    return drawn


def apart(values: Sequence[T], keys: Sequence[Hashable], seed: int) -> tuple[T, ...]:
    """Return the values in a seeded random order in which equal keys do not follow each other.

    Where one key has more than half of the places that cannot be kept up to the end.

    Examples
    --------
    >>> apart(["a1", "a2", "b1", "c1"], ["a", "a", "b", "c"], seed=1)
    ('c1', 'a1', 'b1', 'a2')
    """
    left = shuffled(list(zip(keys, values, strict=True)), seed)
    counts, order, last = Counter(keys), list[T](), object()
    while left:
        [(most, count)] = counts.most_common(1)
        # Whatever has more than half of what is left must come now, or it meets itself later.
        must = 2 * count > len(left) and most != last
        fits = (n for n, (key, _) in enumerate(left) if (key == most if must else key != last))
        last, value = left.pop(next(fits, 0))
        counts[last] -= 1
        order.append(value)
    return tuple(order)
