"""Coefficients of sums: the draws depend on what items contribute, not on how they were stored."""

from __future__ import annotations

import numpy as np
import pytest

from stats.agreement import unanimous_agreement
from stats.cohen import cohen_kappa, cohen_kappa_pairs
from stats.errors import StatisticsInputError
from stats.fleiss import fleiss_kappa
from stats.item_sums import Bootstrap, Sums, estimate_of_sums
from stats.resample import cluster, replicate


def mean_of_first(sums):
    return sums[:, 0, 0] / sums[:, 0, 1]


def shares(values):
    return np.column_stack([values, np.ones(len(values))])


def test_a_weight_is_a_repeated_item():
    """A line of weights gives the coefficient of the items repeated that often."""
    sums = Sums((shares([0.0, 1.0, 5.0]),), mean_of_first)
    assert sums.of_weights(np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])).tolist() == [11 / 3, 0.0]


def test_row_order_changes_no_byte():
    """Items stored in another order give the same estimate, interval included."""
    values = np.random.default_rng(1).normal(size=50)
    how = Bootstrap(3, 500, 0.95)
    one = estimate_of_sums(Sums((shares(values),), mean_of_first), None, how)
    other = estimate_of_sums(Sums((shares(values[::-1]),), mean_of_first), None, how)
    assert one == other


def test_a_given_reason_wins_and_a_zero_denominator_has_its_own():
    """No value is ever NaN: there is a reason, the caller's or our own."""
    nothing = Sums((np.zeros((3, 2)),), mean_of_first)
    for replicates in (0, 100):
        how = Bootstrap(1, replicates, 0.95)
        assert estimate_of_sums(nothing, "because", how)[0].why_undefined == "because"
        assert estimate_of_sums(nothing, None, how)[0].why_undefined == "its denominator is 0"


def test_lists_keep_their_number_of_items():
    """Items are drawn within lists: the number of items per list is the same in every replicate."""

    def sizes(sums):
        return sums[:, 0, 1] * 100 + sums[:, 1, 1]

    lists = (shares(np.arange(3.0)), shares(np.arange(4.0)))
    estimate, notes = estimate_of_sums(Sums(lists, sizes), None, Bootstrap(1, 200, 0.95))
    assert (estimate.value, estimate.low, estimate.high) == (304.0, 304.0, 304.0)
    assert estimate.scheme == "items within lists (up to 4 items per list)"
    assert "zero-width" in notes[0]


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_levels_are_shares(level):
    """A confidence level lies between 0 and 1."""
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        Bootstrap(1, 100, level)


HOW = {"seed": 2, "replicates": 300}
COEFFICIENTS = {
    "fleiss": lambda votes, **more: fleiss_kappa(votes, variant="listwise", **HOW, **more),
    "unanimous": lambda votes, **more: unanimous_agreement(votes, **HOW, **more),
    "pairs": lambda votes, **more: cohen_kappa_pairs(votes, **HOW, **more)[0].agreement,
    "cohen": lambda votes, **more: cohen_kappa(
        [v[0] for v in votes], [v[1] for v in votes], **HOW, **more
    ),
}


def ballots(items, seed=4):
    """Votes of three judges who mostly agree."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, items)
    noise = rng.random((items, 3)) < 0.2
    votes = np.where(noise, rng.integers(0, 3, (items, 3)), truth[:, None])
    return [["abc"[vote] for vote in row] for row in votes]


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_copies_of_an_item_are_no_evidence(name):
    """Five copies of every item, clustered: value and interval are those of the items alone."""
    votes = ballots(40)
    alone = COEFFICIENTS[name](votes)
    copied = COEFFICIENTS[name](votes * 5, clusters=[f"S{n}" for n in range(40)] * 5)
    as_if_new = COEFFICIENTS[name](votes * 5)
    assert copied.value == pytest.approx(alone.value)
    ends = [copied.estimate.low, copied.estimate.high]
    assert ends == pytest.approx([alone.estimate.low, alone.estimate.high])
    assert (copied.estimate.n, copied.estimate.scheme, copied.n_items) == (40, "cluster", 200)
    width = as_if_new.estimate.high - as_if_new.estimate.low
    assert width < 0.6 * (ends[1] - ends[0])


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_whole_clusters_are_drawn(name):
    """A replicate is the coefficient of the drawn clusters' items, however large each is."""
    votes, sizes = ballots(31), [1, 2, 3, 4, 5, 6, 10]
    names = [f"S{place}" for place, size in enumerate(sizes) for _ in range(size)]
    found = COEFFICIENTS[name](votes, clusters=names)
    draws = cluster(names, **HOW)

    def plain(weights):
        weighed = [[v for v, w in zip(votes, line, strict=True) for _ in range(int(w))]
                   for line in weights]  # fmt: skip
        bare = {"replicates": 0, "seed": None}
        values = []
        for each in weighed:
            match name:
                case "fleiss":
                    one = fleiss_kappa(each, list("abc"), variant="listwise", **bare)
                case "unanimous":
                    one = unanimous_agreement(each, **bare)
                case _:
                    one = cohen_kappa(
                        [v[0] for v in each], [v[1] for v in each], list("abc"), **bare
                    )
            values.append(np.nan if one.value is None else one.value)
        return np.array(values)

    spread = np.nanstd(replicate(plain, draws))
    assert (found.estimate.high - found.estimate.low) / 3.92 == pytest.approx(spread, rel=0.25)
    assert found.estimate.n == len(sizes)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_names_and_order_of_clusters_change_no_byte(name):
    """Clusters are compared for equality only."""
    votes, names = ballots(30), [f"S{n % 7}" for n in range(30)]
    one = COEFFICIENTS[name](votes, clusters=names)
    other = COEFFICIENTS[name](votes[::-1], clusters=[f"{9 - int(n[1])}" for n in names[::-1]])
    assert one.estimate == other.estimate


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_clusters_are_one_per_item(name):
    """Too few names, or a missing one, are refused; one cluster has nothing to resample."""
    votes = ballots(6)
    for bad in (["a"] * 5, ["a", None, "b", "a", "b", "a"], "aaabbb", [1.5] * 6):
        with pytest.raises(StatisticsInputError, match="clusters"):
            COEFFICIENTS[name](votes, clusters=bad)
    one = COEFFICIENTS[name](votes, clusters=["a"] * 6)
    assert one.estimate.why_no_interval == "only one scenario: nothing to resample"
