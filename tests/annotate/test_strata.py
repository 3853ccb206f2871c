"""A stratified sample: exact shares, exact chances, and nothing that depends on names or rows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.ordering import apart
from annotate.strata import Member, expected, level_shares, rounded, sample

SIZES = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("mnop")),
    st.integers(1, 6),
    min_size=1,
)


def members(sizes: dict[tuple[str, ...], int]) -> list[Member]:
    cells = [cell for cell, size in sizes.items() for _ in range(size)]
    return [Member(n, f"key {n}", cell) for n, cell in enumerate(cells, start=1)]


@given(st.lists(st.integers(0, 9), min_size=1), st.fractions(0, 1))
def test_levels_are_equal_up_to_what_is_there(sizes: list[int], part: Fraction) -> None:
    """Shares add up; none is above its size; who is not full has as much as anybody."""
    amount = part * sum(sizes)
    shares = level_shares(sizes, amount)
    assert sum(shares) == amount
    assert all(share <= size for share, size in zip(shares, sizes, strict=True))
    open_ = {share for share, size in zip(shares, sizes, strict=True) if share < size}
    assert len(open_) <= 1
    assert not open_ or max(shares) <= max(open_)


@given(SIZES, st.data(), st.integers(0, 50))
def test_a_sample_has_its_size_and_its_shares(
    sizes: dict[tuple[str, ...], int], data: st.DataObject, seed: int
) -> None:
    """Every cell, and every value below a given one, gets its share, rounded up or down."""
    size = data.draw(st.integers(1, sum(sizes.values())))
    population = members(sizes)
    drawn = {one.id for one in sample(population, size, seed)}
    assert len(drawn) == size
    shares = expected(sizes, size)
    taken = [member.cell for member in population if member.id in drawn]
    for depth in (1, 2, 3):
        wanted: Counter[tuple[str, ...]] = Counter()
        for cell, share in shares.items():
            wanted[cell[:depth]] += share
        found = Counter(cell[:depth] for cell in taken)
        assert all(abs(found[prefix] - share) < 1 for prefix, share in wanted.items())


@given(SIZES, st.integers(0, 20), st.randoms())
@settings(max_examples=50)
def test_neither_rows_nor_names_matter(
    sizes: dict[tuple[str, ...], int], seed: int, shuffle: object
) -> None:
    """The same responses under other numbers, in another order, with other labels: the same."""
    population = members(sizes)
    size = max(1, len(population) // 2)
    keys = {member.id: member.key for member in population}
    drawn = {keys[one.id] for one in sample(population, size, seed)}
    other = [Member(1000 - m.id, m.key, tuple(f"{v}{v}" for v in m.cell)) for m in population]
    shuffle.shuffle(other)  # type: ignore[attr-defined]
    others = {member.id: member.key for member in other}
    assert {others[one.id] for one in sample(other, size, seed)} == drawn


def test_chances_are_what_they_are_said_to_be() -> None:
    """Over many seeds each response is drawn as often as its probability says."""
    sizes = {("a", "x"): 2, ("a", "y"): 6, ("b", "x"): 7, ("c", "y"): 1}
    population, seeds, size = members(sizes), 3_000, 7
    counts: Counter[int] = Counter()
    for seed in range(seeds):
        for one in sample(population, size, seed):
            counts[one.id] += 1
    shares = expected(sizes, size)
    assert sum(shares.values()) == size
    for member in population:
        chance = float(shares[member.cell] / sizes[member.cell])
        assert abs(counts[member.id] / seeds - chance) < 4 * (0.25 / seeds) ** 0.5
    cells = {member.id: member.cell for member in population}
    for one in sample(population, size, 1):
        assert one.probability == shares[cells[one.id]] / sizes[cells[one.id]]


def test_quotas_are_kept_exactly() -> None:
    sizes = {("a", "x"): 9, ("a", "y"): 9, ("b", "x"): 9, ("c", "x"): 9}
    population = members(sizes)
    drawn = {one.id for one in sample(population, 10, 5, {"a": 7, "b": 3})}
    assert Counter(m.cell[0] for m in population if m.id in drawn) == {"a": 7, "b": 3}


@given(st.lists(st.fractions(0, 3), max_size=8), st.fractions(0, 1).filter(lambda x: x < 1))
def test_rounding_keeps_the_sum(shares: list[Fraction], start: Fraction) -> None:
    counts = rounded(shares, start)
    assert abs(sum(counts) - sum(shares)) < 1
    assert all(abs(count - share) < 1 for count, share in zip(counts, shares, strict=True))


@given(st.lists(st.sampled_from("abcd"), max_size=24), st.integers(0, 99))
def test_equal_keys_stay_apart_wherever_they_can(keys: list[str], seed: int) -> None:
    """Nothing is lost, and a key meets itself only when it has more than half of the places."""
    order = apart(range(len(keys)), keys, seed)
    assert sorted(order) == list(range(len(keys)))
    met = sum(keys[one] == keys[two] for one, two in pairwise(order))
    most = max(Counter(keys).values(), default=0)
    assert (met == 0) == (2 * most <= len(keys) + 1)
