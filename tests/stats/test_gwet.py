"""Gwet's AC1 and AC2 and the free-marginal kappa against hand arithmetic and published values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as by_statsmodels

from stats.agreement import NO_PAIR, ONE_ITEM
from stats.errors import StatisticsInputError
from stats.gwet import free_marginal_kappa, free_marginal_kappa_of_counts, gwet_ac

N = None
DATA_C = [
    [1, 1, N, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [N, 5, 5, 5],
    [N, N, 1, 1],
    [N, 3, N, N],
]
SCALE = [1, 2, 3, 4, 5]
votes = arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(2, 5)),
    elements=st.sampled_from([1.0, 2.0, 3.0, np.nan]),
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def ac(ratings, scale=SCALE, **how):
    return gwet_ac(ratings, scale, replicates=0, **how).value


def test_published_values_with_missing_ratings():
    """irrCAC prints 0.77544 (AC1) and 0.77273 (Brennan-Prediger) for these data."""
    assert ac(DATA_C) == pytest.approx(0.77544, abs=5e-6)
    free = free_marginal_kappa(DATA_C, SCALE, replicates=0).value
    assert free == pytest.approx(0.77273, abs=5e-6)


def test_ac1_by_hand():
    """Two raters, 90 + 5 + 5 items: pa .9, pi = (.95, .05), pe = 2 * .95 * .05 = .095."""
    pairs = [["y", "y"]] * 90 + [["y", "n"]] * 5 + [["n", "y"]] * 5
    assert ac(pairs, ["y", "n"]) == pytest.approx((0.9 - 0.095) / (1 - 0.095))


def test_ac2_by_hand():
    """Three ordered categories, linear weights 1, 1/2, 0; T = 5, pe = 5/6 * sum pi (1 - pi)."""
    # pairs (1,1) and (1,2): pa = (1 + 1/2) / 2, pi = (3/4, 1/4, 0)
    pe = 5 / 6 * (3 / 16 + 3 / 16)
    assert ac([[1, 1], [1, 2]], [1, 2, 3], weights="linear") == pytest.approx(
        (0.75 - pe) / (1 - pe)
    )


def test_quadratic_weights_forgive_near_misses_more():
    """With near misses only, AC2 rises from unweighted to linear to quadratic."""
    near = [[1, 2], [2, 3], [3, 3], [4, 5], [1, 1]]
    values = [ac(near, weights=weights) for weights in ("unweighted", "linear", "quadratic")]
    assert values == sorted(values)
    assert len(set(values)) == 3


@given(ratings=arrays(np.int64, (6, 4), elements=st.integers(1, 3)))
@quick
def test_free_marginal_kappa_is_statsmodels_randolph(ratings):
    """With equal n the free-marginal kappa is statsmodels' method randolph on the whole scale."""
    table, _ = aggregate_raters(ratings, n_cat=4)
    found = free_marginal_kappa(ratings, [0, 1, 2, 3], replicates=0).value
    assert found == pytest.approx(by_statsmodels(table, method="randolph"), abs=1e-12)


@given(ratings=votes, seed=st.integers(0, 99), times=st.integers(2, 3))
@quick
def test_order_and_duplication_change_nothing(ratings, seed, times):
    """Permuted items and raters, and data taken twice, leave AC1 as it is."""
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(rng.permutation(ratings), axis=1)
    value = ac(ratings, [1, 2, 3])
    others = [ac(shuffled, [1, 2, 3]), ac(ratings.T, [1, 2, 3], orientation="raters x items")]
    if value is not None:
        others.append(ac(np.repeat(ratings, times, axis=0), [1, 2, 3]))
    assert all(o is value is None or o == pytest.approx(value, abs=1e-12) for o in others)


def test_unanimity_in_one_of_two_categories_is_1():
    """Where kappa is undefined, AC1 and the free-marginal kappa are 1 by the codebook's scale."""
    same = [["yes"] * 3] * 5
    assert ac(same, ["yes", "no"]) == 1.0
    assert free_marginal_kappa(same, ["yes", "no"], replicates=0).value == 1.0


def test_the_scale_is_the_codebook_not_what_was_observed():
    """An unused category changes both coefficients; a scale of one is refused."""
    pairs = [["a", "a"], ["a", "b"], ["b", "b"]]
    assert ac(pairs, ["a", "b"]) != ac(pairs, ["a", "b", "c"])
    for function in (gwet_ac, free_marginal_kappa):
        with pytest.raises(StatisticsInputError, match="at least two categories"):
            function(pairs * 0 + [["a", "a"]], ["a"], replicates=0)


def test_undefined_has_its_reason():
    """No pair and one item are undefined; chance that is fixed needs no second item."""
    lonely = [["a", None], [None, "b"]]
    assert gwet_ac(lonely, ["a", "b"], seed=1).estimate.why_undefined == NO_PAIR
    assert free_marginal_kappa(lonely, ["a", "b"], seed=1).estimate.why_undefined == NO_PAIR
    assert gwet_ac([["a", "b"]], ["a", "b"], seed=1).estimate.why_undefined == ONE_ITEM
    single = free_marginal_kappa([["a", "b"]], ["a", "b"], seed=1).estimate
    assert single.value == -1.0
    assert single.why_no_interval == "only one item: nothing to resample"


def test_unknown_weights_are_refused():
    """Weights are unweighted, linear or quadratic."""
    with pytest.raises(StatisticsInputError, match="weights: choose one of"):
        gwet_ac([["a", "b"]], ["a", "b"], weights="cubic", replicates=0)


def test_intervals_contain_their_values():
    """Both coefficients come with a seeded interval over items."""
    rng = np.random.default_rng(2)
    ratings = rng.integers(0, 2, (30, 4))
    for found in (
        gwet_ac(ratings, [0, 1], seed=1),
        free_marginal_kappa(ratings, [0, 1], seed=1),
        free_marginal_kappa_of_counts(
            np.column_stack([4 - ratings.sum(1), ratings.sum(1)]), seed=1
        ),
    ):
        estimate = found.estimate
        assert estimate.low < estimate.value < estimate.high
        assert estimate.scheme == "items with all raters"
