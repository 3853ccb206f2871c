"""Kendall's W against Friedman's chi-square, and where it is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import friedmanchisquare

from stats.concordance import kendall_w

scores = arrays(np.int64, (6, 4), elements=st.integers(0, 4))


@given(table=scores)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_w_and_its_p_are_friedmans(table):
    """W = chi2 / (m (n - 1)) with ties corrected, and the p-value is Friedman's."""
    found = kendall_w(table).estimate
    if (table == table[0]).all():
        assert found.why_undefined == "every rater gave all items the same rank"
        return
    chi2, p = friedmanchisquare(*table)
    assert found.value == pytest.approx(chi2 / (4 * 5), abs=1e-12)
    assert found.p == pytest.approx(p, abs=1e-12)


@given(table=scores, seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_only_ranks_count_and_no_order(table, seed):
    """Increasing relabelling, permuted items and raters, and the switch change nothing."""
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(rng.permutation(table), axis=1)
    values = [
        kendall_w(each, orientation=way).value
        for each, way in (
            (table, "items x raters"),
            (np.exp(table), "items x raters"),
            (shuffled, "items x raters"),
            (table.T, "raters x items"),
        )
    ]
    assert values == [None] * 4 or values == pytest.approx([values[0]] * 4, abs=1e-12)


def test_w_by_hand():
    """Two raters, three items, ranks 123 and 132: sums 2, 5, 5, S = 6, W = 12 * 6 / (4 * 24)."""
    assert kendall_w([[1, 1], [2, 3], [3, 2]]).value == pytest.approx(0.75)


def test_an_item_not_ranked_by_all_is_dropped_and_counted():
    """Missing ranks are left out listwise, with counts and a note."""
    found = kendall_w([[1, 1], [2, 3], [3, 2], [4, None]])
    assert found.value == pytest.approx(0.75)
    assert (found.n_items_dropped, found.n_ratings_dropped) == (1, 1)
    assert "1 item not ranked by every rater: left out" in found.notes


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1], [2], [3]], "one rater: concordance needs two"),
        ([[1, 2]], "fewer than two items were ranked by every rater"),
        ([[1, None], [None, 2]], "fewer than two items were ranked by every rater"),
        ([[1, 5], [1, 5]], "every rater gave all items the same rank"),
    ],
)
def test_undefined_has_its_reason(table, reason):
    """One rater, one item and all-tied ranks have no W, and say why."""
    assert kendall_w(table).estimate.why_undefined == reason


def test_no_interval_says_why():
    """W comes with a p-value and the reason why it has no interval."""
    found = kendall_w([[1, 1], [2, 3], [3, 2]]).estimate
    assert "new ties" in found.why_no_interval
