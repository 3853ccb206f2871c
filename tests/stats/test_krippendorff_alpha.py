"""Krippendorff's alpha: the package's value, guarded, and our interval held against it."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stats.agreement import NO_PAIR, ONE_ITEM
from stats.errors import StatisticsInputError
from stats.item_sums import Sums
from stats.krippendorff_alpha import _ALPHAS, _contributions, _values, krippendorff_alpha
from stats.ratings import code_ratings

LEVELS = ["nominal", "ordinal", "interval", "ratio"]
ratings = arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(2, 5)),
    elements=st.sampled_from([1.0, 2.0, 3.0, 5.0, np.nan]),
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def alpha(matrix, measurement, **how):
    return krippendorff_alpha(matrix, measurement, replicates=0, **how).value


def test_alpha_by_hand():
    """Two items 1/2 and 2/1: Do = 1, De = 2/3 (n - 1 in the denominator), alpha = -0.5."""
    assert alpha([[1, 2], [2, 1]], "nominal") == pytest.approx(-0.5)


@pytest.mark.parametrize("measurement", LEVELS)
@given(matrix=ratings)
@quick
def test_our_vectorised_form_is_the_packages_value(measurement, matrix):
    """What the bootstrap evaluates gives the package's alpha on the data themselves."""
    value = alpha(matrix, measurement)
    if value is None:
        return
    coded = code_ratings(matrix)
    counts = coded.counts()
    used = counts[counts.sum(axis=1) >= 2]
    numbers = _values(coded, measurement, ordered=False)
    contributions = _contributions(used, numbers, measurement)
    ours = Sums((contributions,), _ALPHAS[measurement](used, numbers))
    assert ours.of_weights(np.ones((1, len(used))))[0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("measurement", LEVELS)
@given(matrix=ratings, seed=st.integers(0, 99))
@quick
def test_order_of_items_and_raters_changes_nothing(measurement, matrix, seed):
    """Permuted items and raters leave alpha as it is; so does a transposition with its switch."""
    rng = np.random.default_rng(seed)
    shuffled = matrix[rng.permutation(len(matrix))][:, rng.permutation(matrix.shape[1])]
    values = [
        alpha(matrix, measurement),
        alpha(shuffled, measurement),
        alpha(matrix.T, measurement, orientation="raters x items"),
    ]
    assert values == [None] * 3 or values == pytest.approx([values[0]] * 3, abs=1e-12)


@given(matrix=ratings)
@quick
def test_each_level_is_blind_to_what_it_does_not_measure(matrix):
    """Interval is affine invariant, ratio scale invariant, ordinal monotone invariant."""
    for measurement, changed in (
        ("interval", 3 * matrix - 7),
        ("ratio", 4 * matrix),
        ("ordinal", np.exp(matrix)),
        ("nominal", 10 - matrix),
    ):
        one, other = alpha(matrix, measurement), alpha(changed, measurement)
        assert one is other is None or one == pytest.approx(other, abs=1e-9)


def test_missing_is_missing_and_not_a_placeholder_category():
    """Perfect agreement with gaps is 1.0; counting the gap as a label would give 0.333."""
    votes = [["x", "x", None], ["x", "x", "x"], ["y", None, "y"]]
    assert alpha(votes, "nominal") == pytest.approx(1.0)
    found = krippendorff_alpha(votes, "nominal", replicates=0)
    assert found.raw_agreement == 1.0
    assert "2 ratings missing (read as missing: None)" in found.notes


def test_complete_data_of_three_raters_is_not_what_r_irr_gives():
    """0.072 is right; R's irr 0.84.1 gives 0.056 on complete data of three raters."""
    votes = [[2, 1, 1]] + [[2, 2, 1]] * 3 + [[2, 2, 2]] * 6
    assert alpha(votes, "nominal") == pytest.approx(0.072)


def test_constant_data_are_undefined_with_the_reason():
    """The package raises or returns NaN; we say that one category was used, and which."""
    found = krippendorff_alpha([[3, 3], [3, 3]], "interval", seed=1)
    assert found.value is None
    assert "only one category was used (3) on 2 items" in found.estimate.why_undefined
    assert found.raw_agreement == 1.0


def test_nothing_pairable_and_one_item_are_undefined():
    """No item with two ratings, and one item only, each have their reason."""
    lonely = krippendorff_alpha([[1, None], [None, 2]], "nominal", seed=1)
    assert lonely.estimate.why_undefined == NO_PAIR
    single = krippendorff_alpha([[1, 2], [None, 2]], "nominal", seed=1)
    assert single.estimate.why_undefined == ONE_ITEM
    assert single.n_items_dropped == 1


def test_the_level_of_measurement_must_be_said():
    """There is no default, ordinal texts need an order, a ratio scale no negative numbers."""
    with pytest.raises(StatisticsInputError, match="measurement: choose one of"):
        krippendorff_alpha([[1, 2]], "default", replicates=0)
    with pytest.raises(StatisticsInputError, match="ordinal alpha of texts needs the scale"):
        krippendorff_alpha([["a", "b"], ["b", "b"]], "ordinal", replicates=0)
    with pytest.raises(StatisticsInputError, match="no values below 0"):
        krippendorff_alpha([[-1, 1], [1, 1]], "ratio", replicates=0)
    with pytest.raises(StatisticsInputError, match="numbers are needed"):
        krippendorff_alpha([["a", "b"], ["b", "b"]], "interval", replicates=0)


def test_ordinal_texts_follow_the_stated_order():
    """Ordinal alpha of low < mid < high equals that of 1 < 2 < 3, not of the alphabet."""
    texts = [["low", "mid"], ["high", "high"], ["mid", "high"], ["low", "low"]]
    places = {"low": 1, "mid": 2, "high": 3}
    numbers = [[places[each] for each in row] for row in texts]
    found = alpha(texts, "ordinal", categories=list(places))
    assert found == pytest.approx(alpha(numbers, "ordinal"))
    assert found != pytest.approx(alpha(texts, "ordinal", categories=sorted(places)))


def test_large_offsets_lose_no_digits():
    """Interval alpha of ratings around a billion is that of the same ratings around zero."""
    rng = np.random.default_rng(1)
    near = rng.integers(0, 5, (20, 3))
    one = krippendorff_alpha(near, "interval", seed=1).estimate
    far = krippendorff_alpha(near + 1_000_000_000, "interval", seed=1).estimate
    assert far.value == pytest.approx(one.value, abs=1e-9)
    assert far.low == pytest.approx(one.low, abs=1e-9)


@pytest.mark.parametrize("measurement", LEVELS)
def test_interval_matches_a_loop_over_the_package(measurement):
    """Resampled items through the package give the interval that we give."""
    rng = np.random.default_rng(8)
    matrix = np.clip(rng.integers(1, 5, (30, 1)) + rng.integers(-1, 2, (30, 3)), 1, 5).astype(float)
    found = krippendorff_alpha(matrix, measurement, seed=3, replicates=4_000).estimate
    loop = [
        krippendorff.alpha(
            reliability_data=matrix[rng.integers(0, 30, 30)].T, level_of_measurement=measurement
        )
        for _ in range(600)
    ]
    assert [found.low, found.high] == pytest.approx(np.quantile(loop, [0.025, 0.975]), abs=0.04)
