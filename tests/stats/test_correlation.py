"""Correlations by scipy, guarded, with a bootstrap that is a function of weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from stats.correlation import (
    correlation,
    p_of_pearson,
    pair_counts_of_rankings,
    weighted_correlation,
)
from stats.errors import StatisticsInputError

KINDS = ["pearson", "spearman", "kendall"]
SCIPY = {
    "pearson": scipy_stats.pearsonr,
    "spearman": scipy_stats.spearmanr,
    "kendall": scipy_stats.kendalltau,
}
pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=14).filter(
    lambda rows: len({a for a, _ in rows}) > 1 and len({b for _, b in rows}) > 1
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("kind", KINDS)
@given(rows=pairs)
@quick
def test_values_and_p_are_scipys(kind, rows):
    """Value and two-sided p are scipy's, never beyond -1 and 1."""
    x, y = zip(*rows, strict=True)
    ours, theirs = correlation(x, y, kind).estimate, SCIPY[kind](x, y)
    assert ours.value == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-6)  # r = 1 but for rounding
    assert -1 <= ours.value <= 1


@pytest.mark.parametrize("kind", KINDS)
@given(rows=pairs, seed=st.integers(0, 99))
@quick
def test_weights_are_repeated_units(kind, rows, seed):
    """The weighted form is scipy's value of the units repeated, undefined where one is constant."""
    x, y = (np.array(each, float) for each in zip(*rows, strict=True))
    n = len(x)
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n))
    with np.errstate(invalid="ignore"):
        ours = weighted_correlation(x, y, kind)(times[None].astype(float))[0]
    xs, ys = np.repeat(x, times), np.repeat(y, times)
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(SCIPY[kind](xs, ys).statistic, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(rows=pairs, seed=st.integers(0, 99))
@quick
def test_order_of_units_changes_nothing(kind, rows, seed):
    """Permuted pairs give the same bytes, interval included; swapped lists the same value."""
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    (x, y), (xs, ys) = zip(*rows, strict=True), zip(*shuffled, strict=True)
    how = {"seed": 1, "replicates": 60}
    assert correlation(x, y, kind, **how) == correlation(xs, ys, kind, **how)
    assert correlation(y, x, kind).value == pytest.approx(correlation(x, y, kind).value)


@given(rows=pairs)
@quick
def test_pair_counts_make_all_of_kendalls_coefficients(rows):
    """The counts add up to all pairs and give scipy's tau-b and tau-c."""
    x, y = zip(*rows, strict=True)
    found, n = pair_counts_of_rankings(x, y), len(rows)
    counted = (
        found.concordant + found.discordant + found.tied_first + found.tied_second + found.tied_both
    )
    assert counted == n * (n - 1) // 2
    assert found.tau_b == pytest.approx(scipy_stats.kendalltau(x, y).statistic)
    assert found.tau_c == pytest.approx(scipy_stats.kendalltau(x, y, variant="c").statistic)


def test_coefficients_without_pairs_are_none():
    """All tied: no tau-b, tau-c or gamma, and nothing divides by zero."""
    found = pair_counts_of_rankings([1, 1, 1], [1, 2, 3])
    assert (found.tau_b, found.tau_c, found.gamma, found.tau_a) == (None, None, None, 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_degenerate_lists_have_a_reason(kind):
    """A constant list and two pairs are undefined, and say why."""
    flat = correlation([1, 1, 1, 1], [1, 2, 3, 4], kind).estimate
    assert flat.why_undefined == "the first list is constant: correlation undefined"
    noise = correlation([1, 2, 3], [0.3, 0.1 + 0.2, 0.3], kind).estimate
    assert noise.why_undefined == "the second list is constant: correlation undefined"
    two = correlation([1, 2], [5, 3], kind).estimate
    assert two.why_undefined == "n = 2: the correlation is +1 or -1 by construction"
    with pytest.raises(StatisticsInputError, match="need at least 3 pairs, have 1"):
        correlation([1], [2], kind)


@pytest.mark.parametrize("kind", KINDS)
def test_incomplete_pairs_are_dropped_and_counted(kind):
    """Missing numbers leave with their pair; n and the note say so."""
    found = correlation([1, 2, None, 4, 5], [1, 3, 3, 2, 5], kind)
    assert (found.estimate.n, found.n_pairs_dropped) == (4, 1)
    assert found.notes == ("1 of 5 pairs dropped: a number is missing",)
    assert found.value == correlation([1, 2, 4, 5], [1, 3, 2, 5], kind).value


def test_a_large_offset_loses_no_digits():
    """Values around a billion correlate like the same values around zero."""
    near = correlation([1, 2, 3, 4], [2, 4, 6, 9], "pearson").value
    far = correlation([1_000_000_001 + i for i in range(4)], [2, 4, 6, 9], "pearson").value
    assert far == pytest.approx(near, abs=1e-7)


def test_interval_only_when_asked_for():
    """Without a bootstrap there is a reason; with one the interval holds the value."""
    x, y = np.random.default_rng(1).normal(size=(2, 40))
    assert correlation(x, y, "pearson").estimate.why_no_interval == "no bootstrap was asked for"
    found = correlation(x, y + x, "pearson", seed=1, replicates=500).estimate
    assert found.low < found.value < found.high
    assert found.p < 0.05


def test_unknown_kind_is_refused():
    """A correlation is one of three."""
    with pytest.raises(StatisticsInputError, match="kind: choose one of"):
        correlation([1, 2, 3], [1, 2, 3], "distance")


@given(rows=pairs)
@quick
def test_p_from_a_table_is_p_from_the_data(rows):
    """The p-value of a printed r and n is that of the data."""
    found = correlation(*zip(*rows, strict=True), "pearson").estimate
    assert p_of_pearson(found.value, len(rows)) == pytest.approx(found.p, abs=1e-6)
    with pytest.raises(StatisticsInputError, match="r must lie between -1 and 1"):
        p_of_pearson(1.5, 10)
