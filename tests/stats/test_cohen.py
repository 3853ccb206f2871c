"""Cohen's kappa against hand arithmetic, scikit-learn, and its own invariances."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from stats.cohen import NO_SHARED_ITEM, cohen_kappa, cohen_kappa_of_table, cohen_kappa_pairs
from stats.errors import StatisticsInputError

WEIGHTS = ["unweighted", "linear", "quadratic"]
SCALE = [1, 2, 3, 4, 5]
pairs = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=2, max_size=15)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def kappa(rows, weights="unweighted", scale=SCALE):
    first, second = zip(*rows, strict=True)
    return cohen_kappa(first, second, scale, weights=weights, replicates=0).value


def by_sklearn(rows, weights, scale=SCALE):
    first, second = zip(*rows, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = cohen_kappa_score(
            first, second, labels=scale, weights=None if weights == "unweighted" else weights
        )
    return None if math.isnan(value) else value


def test_kappa_by_hand():
    """Observed 0.7, expected 0.5 * 0.6 + 0.5 * 0.4 = 0.5: kappa 0.4."""
    assert cohen_kappa_of_table([[20, 5], [10, 15]], replicates=0).value == pytest.approx(0.4)


@pytest.mark.parametrize("weights", WEIGHTS)
@given(rows=pairs)
@quick
def test_all_weights_agree_with_scikit_learn(weights, rows):
    """On the full scale every weighting is scikit-learn's; its NaN is our undefined."""
    ours, theirs = kappa(rows, weights), by_sklearn(rows, weights)
    assert (ours is None) == (theirs is None)
    assert ours is None or ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
@given(rows=pairs, seed=st.integers(0, 99))
@quick
def test_order_of_items_and_swapped_raters_change_nothing(weights, rows, seed):
    """Kappa is symmetric in the raters and knows no order of items."""
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    swapped = [(b, a) for a, b in rows]
    assert kappa(rows, weights) == kappa(shuffled, weights)
    one, other = kappa(rows, weights), kappa(swapped, weights)
    assert one is other is None or one == pytest.approx(other, abs=1e-12)


@given(rows=pairs, times=st.integers(2, 4))
@quick
def test_duplicated_data_leave_kappa_unchanged(rows, times):
    """Kappa depends on proportions only."""
    one, many = kappa(rows), kappa(rows * times)
    assert one is many is None or one == pytest.approx(many, abs=1e-12)


def test_the_scale_is_the_stated_one_never_alphabetical():
    """low < mid < high gives 0.692; the alphabet would give 0.0."""
    rows = [("low", "low"), ("mid", "high"), ("high", "high"), ("low", "mid")]
    assert kappa(rows, "quadratic", ["low", "mid", "high"]) == pytest.approx(9 / 13)
    assert kappa(rows, "quadratic", ["high", "low", "mid"]) == pytest.approx(0.0)


def test_an_unused_scale_point_keeps_its_place():
    """Distances are taken on the whole scale (0.95), not between observed labels (0.8)."""
    assert kappa([(1, 1), (1, 2), (2, 2), (5, 5)], "quadratic") == pytest.approx(0.95)


def test_weights_need_a_scale():
    """Without a stated order there is no weighted kappa to guess at."""
    with pytest.raises(StatisticsInputError, match="categories: weighted kappa needs"):
        cohen_kappa(["a", "b"], ["a", "b"], weights="linear", replicates=0)
    with pytest.raises(StatisticsInputError, match="weights: choose one of"):
        cohen_kappa(["a", "b"], ["a", "b"], ["a", "b"], weights="cubic", replicates=0)


def test_one_constant_rater_is_exactly_0_with_a_note():
    """95 % agreement and kappa 0.0 is right, and the note says why."""
    found = cohen_kappa_of_table([[19, 0], [1, 0]], replicates=0)
    assert found.value == 0.0
    assert found.raw_agreement == 0.95
    assert "a rater used one category only: kappa is 0 whatever the agreement" in found.notes


def test_both_constant_on_one_label_is_undefined_on_different_labels_is_0():
    """Chance agreement is 100 % in the first case and 0 % in the second."""
    same = cohen_kappa(["a"] * 5, ["a"] * 5, ["a", "b"], seed=1)
    assert same.value is None
    assert "only one category was used ('a')" in same.estimate.why_undefined
    assert cohen_kappa(["a"] * 5, ["b"] * 5, ["a", "b"], replicates=0).value == 0.0


def test_pairs_are_joined_by_item_and_each_counts_its_own():
    """A pair rests on the items that both rated; no shared item is undefined, not 1.0."""
    votes = [["a", "a", None], ["b", "a", None], ["b", "b", None], [None, None, "a"]]
    xy, xz, yz = cohen_kappa_pairs(votes, ["a", "b"], raters=["x", "y", "z"], seed=1)
    assert (xy.first, xy.second, xy.agreement.n_items) == ("x", "y", 3)
    assert xy.agreement.value == pytest.approx(0.4)
    assert xy.agreement.n_items_dropped == 1
    assert xz.agreement.estimate.why_undefined == NO_SHARED_ITEM
    assert yz.agreement.value is None


def test_pairs_refuse_wrong_names_and_lengths():
    """Names belong to columns; lists that differ in length cannot be paired."""
    with pytest.raises(StatisticsInputError, match="raters: name each of the 2 columns"):
        cohen_kappa_pairs([["a", "b"]], raters=["x"], replicates=0)
    with pytest.raises(StatisticsInputError, match="one entry per item"):
        cohen_kappa(["a"], ["a", "b"], replicates=0)


@pytest.mark.parametrize("table", [[[1, 2, 3], [1, 2, 3]], [[0, 0], [0, 0]]])
def test_bad_cross_tables_are_refused(table):
    """A cross table is square and counts at least one item."""
    with pytest.raises(StatisticsInputError, match="table:"):
        cohen_kappa_of_table(table, replicates=0)


def test_interval_contains_the_value_and_is_reproducible():
    """Same seed, same bytes; another seed, another interval."""
    one, again, other = (
        cohen_kappa_of_table([[20, 5], [10, 15]], seed=seed).estimate for seed in (1, 1, 2)
    )
    assert one == again
    assert (one.low, one.high) != (other.low, other.high)
    assert one.low <= one.value <= one.high
