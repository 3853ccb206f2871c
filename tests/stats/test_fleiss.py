"""Fleiss' kappa against hand arithmetic, statsmodels, and its own invariances."""

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
from stats.fleiss import fleiss_kappa, fleiss_kappa_of_counts

VARIANTS = ["classic", "listwise", "gwet", "pooled"]
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
votes = arrays(
    np.int64, st.tuples(st.integers(2, 9), st.integers(2, 5)), elements=st.integers(0, 3)
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def kappa(ratings, **how):
    return fleiss_kappa(ratings, replicates=0, **how).value


def test_kappa_by_hand():
    """Three raters, two items: P = (1 + 1/3)/2 = 2/3, p = (5/6, 1/6), Pe = 26/36."""
    # (2/3 - 26/36) / (1 - 26/36) = (24 - 26) / (36 - 26) = -0.2
    assert kappa([["a", "a", "a"], ["a", "a", "b"]]) == pytest.approx(-0.2)


@pytest.mark.parametrize("variant", VARIANTS)
@given(ratings=votes)
@quick
def test_all_variants_are_classic_fleiss_with_equal_n(variant, ratings):
    """With equal numbers of ratings every variant is statsmodels' kappa."""
    found = kappa(ratings, variant=variant)
    if len(np.unique(ratings)) == 1:
        assert found is None
    else:
        table, _ = aggregate_raters(ratings)
        assert found == pytest.approx(by_statsmodels(table), abs=1e-12)


@given(ratings=votes, seed=st.integers(0, 1000))
@quick
def test_order_of_items_and_raters_changes_nothing(ratings, seed):
    """Permuted items, raters and labels give the same bytes, interval included."""
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(ratings)
    shuffled = rng.permuted(shuffled, axis=1)
    plain = fleiss_kappa(ratings, seed=1, replicates=60).estimate
    assert fleiss_kappa(shuffled, seed=1, replicates=60).estimate == plain


@given(ratings=votes)
@quick
def test_renaming_categories_changes_nothing(ratings):
    """Kappa is nominal: other names, other order, unused categories leave it as it is."""
    names = np.array(["w", "d", "z", "a"])
    one, other = (
        kappa(ratings),
        kappa(names[ratings].tolist(), categories=["z", "w", "a", "d", "x"]),
    )
    assert one is other is None or one == pytest.approx(other, abs=1e-12)


@given(ratings=votes, times=st.integers(2, 4))
@quick
def test_duplicated_data_leave_kappa_unchanged(ratings, times):
    """Kappa depends on proportions only."""
    one, many = kappa(ratings), kappa(np.repeat(ratings, times, axis=0))
    assert (one is None and many is None) or one == pytest.approx(many, abs=1e-12)


@given(ratings=votes)
@quick
def test_transposed_input_with_its_switch_gives_the_same(ratings):
    """The switch undoes a transposition; without it the note shows what was taken for items."""
    plain = fleiss_kappa(ratings, seed=1, replicates=60)
    assert fleiss_kappa(ratings.T, seed=1, replicates=60, orientation="raters x items") == plain
    assert plain.notes[0] == f"{len(ratings)} items x {ratings.shape[1]} raters"


def test_counts_and_ratings_give_the_same_kappa():
    """A table of counts is the same as the ratings that it counts."""
    ratings = [[0, 0, 1], [1, 1, 1], [0, 1, 2]]
    counts = [[2, 1, 0], [0, 3, 0], [1, 1, 1]]
    assert kappa(ratings) == fleiss_kappa_of_counts(counts, replicates=0).value


def test_two_raters_give_scotts_pi():
    """With two raters Fleiss is Scott's pi: (0.6 - 0.52) / 0.48."""
    pairs = [["a", "a"], ["a", "b"], ["a", "a"], ["b", "b"], ["a", "b"]]
    assert kappa(pairs) == pytest.approx(1 / 6)


def test_a_missing_rating_is_never_a_category():
    """statsmodels gives 0.568 here by counting NaN as a sixth category; no variant does."""
    values = [kappa(DATA_C, variant=variant) for variant in VARIANTS[1:]]
    assert values == pytest.approx([0.6414565826330533, 0.7611692754224112, 0.7607655502392344])
    assert kappa(DATA_C) is None


def test_unequal_n_names_its_variant_and_what_it_dropped():
    """Each variant has its own name and counts dropped items and ratings."""
    listwise = fleiss_kappa(DATA_C, variant="listwise", seed=1)
    assert "complete items only" in listwise.estimator
    assert (listwise.n_items, listwise.n_items_dropped) == (8, 4)
    assert (listwise.n_ratings, listwise.n_ratings_dropped) == (32, 9)
    assert "listwise: 8 of 12 items kept" in listwise.notes
    classic = fleiss_kappa(DATA_C, seed=1).estimate.why_undefined
    assert classic == (
        "ratings per item range from 1 to 4 and classic Fleiss needs equal n: choose a variant"
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_category_is_undefined_not_0_or_1(variant):
    """Unanimity in one category: raw agreement 100 %, kappa undefined, both said."""
    found = fleiss_kappa([["yes"] * 3] * 5, ["yes", "no"], variant=variant, seed=1)
    assert found.value is None
    assert found.raw_agreement == 1.0
    assert found.estimate.why_undefined == (
        "only one category was used ('yes') on 5 items: raw agreement is 100%, and so is chance "
        "agreement"
    )


def test_one_item_and_no_pair_are_undefined():
    """One item forces the value; raters who share no item have none."""
    assert fleiss_kappa([[1, 1, 2]], seed=1).estimate.why_undefined == ONE_ITEM
    lonely = fleiss_kappa([[1, N], [N, 1], [2, N]], seed=1)
    assert lonely.estimate.why_undefined == NO_PAIR


def test_an_item_nobody_rated_is_ignored_with_a_note():
    """An empty row changes no number and is mentioned."""
    with_row = fleiss_kappa([[1, 1], [1, 2], [N, N], [2, 2]], seed=1)
    assert with_row.estimate == fleiss_kappa([[1, 1], [1, 2], [2, 2]], seed=1).estimate
    assert "1 item has no ratings and was ignored" in with_row.notes


def test_undefined_resamples_are_counted_or_forbid_the_interval():
    """Resamples left with one category are not in the interval, and that is said."""
    rare = [["a", "a"]] * 17 + [["b", "b"]] * 3
    found = fleiss_kappa(rare, seed=1, replicates=2_000)
    assert found.estimate.low is not None
    assert found.estimate.replicates < 2_000
    assert any("resamples were undefined" in note for note in found.notes)
    rarer = fleiss_kappa([["a", "a"]] * 19 + [["a", "b"]], seed=1, replicates=2_000).estimate
    assert rarer.low is None
    assert "undefined in" in rarer.why_no_interval


def test_a_dominant_category_is_pointed_out():
    """90 % raw agreement with a negative kappa comes with the note that explains it."""
    found = fleiss_kappa([["a", "a"]] * 18 + [["a", "b"]] * 2, replicates=0)
    assert found.value < 0
    assert found.raw_agreement == 0.9
    assert "one category has 95% of the ratings: read beside raw agreement" in found.notes


def test_interval_matches_a_plain_loop():
    """The vectorised replicates are what a loop over resampled items gives."""
    rng = np.random.default_rng(5)
    ratings = rng.integers(0, 3, (24, 5))
    found = fleiss_kappa(ratings, seed=2, replicates=4_000).estimate
    loop = [
        by_statsmodels(aggregate_raters(ratings[rng.integers(0, 24, 24)], n_cat=3)[0])
        for _ in range(1_000)
    ]
    low, high = np.quantile(loop, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_unknown_variant_and_bad_counts_are_refused():
    """A variant must be one of the four, a count a whole number."""
    with pytest.raises(StatisticsInputError, match="variant: choose one of classic"):
        fleiss_kappa([[1, 2]], variant="best", replicates=0)
    with pytest.raises(StatisticsInputError, match=">= 0"):
        fleiss_kappa_of_counts([[1, -1]], replicates=0)
