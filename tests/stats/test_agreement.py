"""Raw agreement, and what every coefficient of agreement returns."""

from __future__ import annotations

import numpy as np
import pytest

from stats.agreement import NO_PAIR, mean_pair_agreement, raw_agreement, unanimous_agreement
from stats.errors import StatisticsInputError


def test_raw_agreement_by_hand():
    """Two raters agree on two of three items: pairs 1, 1, 0."""
    # items: aa, ab, bb -> (1 + 0 + 1) / 3
    assert raw_agreement([["a", "a"], ["a", "b"], ["b", "b"]], replicates=0).value == 2 / 3


def test_raw_agreement_per_item_and_pooled_differ_only_with_unequal_n():
    """One item with three raters, one with two: the weights of items and of pairs differ."""
    votes = [["a", "a", "b"], ["a", "a", None]]
    # item 1: 1 of 3 pairs, item 2: 1 of 1 pair
    assert raw_agreement(votes, replicates=0).value == pytest.approx((1 / 3 + 1) / 2)
    assert raw_agreement(votes, pairs="pooled", replicates=0).value == pytest.approx(2 / 4)


def test_unanimity_counts_items_not_pairs():
    """Four of five raters agreeing is not unanimous."""
    votes = [["a"] * 5, ["a"] * 4 + ["b"], ["b"] * 5, ["b"] * 4 + [None]]
    assert unanimous_agreement(votes, replicates=0).value == 0.75


@pytest.mark.parametrize("function", [raw_agreement, unanimous_agreement])
def test_raters_who_share_no_item_have_no_agreement(function):
    """No shared item is undefined with the reason, not 1.0."""
    found = function([["a", None], [None, "a"]], seed=1)
    assert found.value is None
    assert found.estimate.why_undefined == NO_PAIR
    assert found.raw_agreement is None


def test_result_counts_what_was_used_and_dropped():
    """Items without two ratings are dropped and counted, with their ratings."""
    found = raw_agreement([["a", "a"], ["a", None], [None, None], ["b", "a"]], replicates=0)
    assert (found.n_items, found.n_ratings) == (2, 4)
    assert (found.n_items_dropped, found.n_ratings_dropped) == (2, 1)
    assert found.estimate.n == 2
    assert found.notes == (
        "4 items x 2 raters",
        "3 ratings missing (read as missing: None)",
        "1 item has no ratings and was ignored",
        "1 item has one rating: no agreement information",
    )


def test_interval_is_over_items_with_all_raters_and_contains_the_value():
    """The interval names its scheme, its seed and its number of resamples."""
    rng = np.random.default_rng(3)
    estimate = raw_agreement(rng.integers(0, 2, (40, 5)), seed=7, replicates=500).estimate
    assert estimate.scheme == "items with all raters"
    assert (estimate.seed, estimate.replicates, estimate.method) == (7, 500, "percentile")
    assert estimate.low <= estimate.value <= estimate.high


def test_no_replicates_is_no_interval_with_the_reason():
    """An interval is missing only with its reason."""
    estimate = raw_agreement([["a", "a"], ["a", "b"]], replicates=0).estimate
    assert estimate.low is None
    assert estimate.why_no_interval == "no bootstrap was asked for"


def test_replicates_need_a_seed():
    """An unseeded interval could not be repeated and is refused."""
    with pytest.raises(StatisticsInputError, match="seed: give a whole number"):
        raw_agreement([["a", "a"], ["a", "b"]])


def test_level_and_pair_weights_are_checked():
    """A level of 95 and an unknown weight are refused by name."""
    with pytest.raises(StatisticsInputError, match="level must lie between"):
        raw_agreement([["a", "a"]], replicates=0, level=95)
    with pytest.raises(StatisticsInputError, match="pairs: say"):
        raw_agreement([["a", "a"]], replicates=0, pairs="all")


def test_all_agreeing_resamples_are_called_what_they_are():
    """A zero-width interval carries the warning that it says nothing."""
    found = raw_agreement([["a", "a"]] * 5, seed=1)
    assert (found.estimate.low, found.estimate.high) == (1.0, 1.0)
    assert any("zero-width" in note for note in found.notes)


def test_mean_pair_agreement_of_nothing_is_none():
    """Without any pair there is no raw agreement."""
    assert mean_pair_agreement(np.array([[1, 0], [0, 1]])) is None
