"""From a stratified sample to its population, and kappas that resample whole clusters."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from stats.agreement import raw_agreement
from stats.cohen import cohen_kappa
from stats.errors import StatisticsInputError
from stats.fleiss import fleiss_kappa
from stats.schemes import every_resample
from stats.weighted import weighted_mean

HOW = {"replicates": 4_000, "seed": 3}


def test_it_is_the_loop_over_strata():
    """Value and interval are those of every resample of a small sample, enumerated."""
    values = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
    chances = [[0.5, 0.25, 0.5], [0.1, 0.1, 0.2]]
    weights = 1 / np.array(chances)
    weighted = weights * np.array(values)
    means = sorted(
        float((one @ weighted[0] + two @ weighted[1]) / (one @ weights[0] + two @ weights[1]))
        for one, two in product(every_resample(3), every_resample(3))
    )
    rows, their = np.ravel(values), np.ravel(chances)
    found = weighted_mean(rows, their, "aaabbb", **HOW)
    assert found.value == pytest.approx(weighted.sum() / weights.sum())
    for end, level in ((found.low, 0.025), (found.high, 0.975)):
        below, up_to = (np.mean([m < end + by for m in means]) for by in (-1e-9, 1e-9))
        assert below - 0.01 <= level <= up_to + 0.01
    assert found.scheme.startswith("responses within lists")


def test_all_samples_together_give_the_population():
    """Over all samples with these quotas, weighted sums come to the population's exactly."""
    population = {"a": [1, 1, 0, 1, 1], "b": [0, 1, 0]}
    taken = {"a": 2, "b": 2}
    total = Fraction(0)
    samples = list(product(*(combinations(population[s], taken[s]) for s in population)))
    for drawn in samples:
        for stratum, mine in zip(population, drawn, strict=True):
            chance = Fraction(taken[stratum], len(population[stratum]))
            total += sum(Fraction(value) / chance for value in mine)
    assert total / len(samples) == sum(map(sum, population.values()))


def test_equal_chances_are_a_plain_mean():
    found = weighted_mean([1, 0, 1, 1], [0.3] * 4, "abab", **HOW)
    assert found.value == pytest.approx(0.75)


def test_order_and_names_are_no_matter():
    values, chances, strata = [1, 0, 1, 1, 0], [0.5, 0.5, 0.1, 0.1, 0.2], ["x", "x", "y", "y", "y"]
    found = weighted_mean(values, chances, strata, **HOW)
    renamed = {"x": "zz", "y": "aa"}
    back = [list(reversed(each)) for each in (values, chances, [renamed[s] for s in strata])]
    assert weighted_mean(*back, **HOW) == found


@pytest.mark.parametrize("chance", [0.0, -0.1, 1.5, float("nan")])
def test_a_chance_is_a_chance(chance):
    with pytest.raises(StatisticsInputError):
        weighted_mean([1.0], [chance], "a", **HOW)


def test_nothing_is_undefined():
    assert weighted_mean([], [], [], seed=1, why="no response").why_undefined == "no response"


def test_one_per_row():
    with pytest.raises(StatisticsInputError, match="one each per row"):
        weighted_mean([1.0, 0.0], [0.5], "ab", **HOW)


def test_kappa_resamples_whole_clusters():
    """Four copies of each item in one cluster say no more than the item once, and no less."""
    first, second = list("aabbab"), list("abbbaa")
    names = [str(n) for n in range(6)]
    for kappa in (
        lambda a, b, c: cohen_kappa(a, b, clusters=c, **HOW),
        lambda a, b, c: fleiss_kappa(list(zip(a, b, strict=True)), clusters=c, **HOW),
        lambda a, b, c: raw_agreement(list(zip(a, b, strict=True)), clusters=c, **HOW),
    ):
        once = kappa(first, second, names)
        copied = kappa(first * 4, second * 4, names * 4)
        estimate, wide = once.estimate, copied.estimate
        assert (wide.value, wide.low, wide.high) == pytest.approx(
            (estimate.value, estimate.low, estimate.high)
        )
        assert (wide.scheme, wide.n, copied.n_items) == ("cluster", 6, 24)
        apart = kappa(first * 4, second * 4, None).estimate
        assert apart.high - apart.low < wide.high - wide.low


def test_clusters_of_what_is_missing_leave():
    kappa = cohen_kappa(["a", "b", None, "b"], ["a", "b", "b", "a"], clusters=[*"xyzz"], **HOW)
    assert (kappa.estimate.n, kappa.n_items) == (3, 3)
    with pytest.raises(StatisticsInputError, match="one per item"):
        cohen_kappa(["a", "b"], ["a", "b"], clusters=["x"], **HOW)
