"""Paired t and McNemar: right where libraries are right, and sensible where they are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pingouin as pg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel

from stats.comparisons import mcnemar, mcnemar_of_outcomes, mcnemar_of_table, paired_t
from stats.errors import StatisticsInputError

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
numbers = st.lists(
    st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=20
).filter(lambda rows: len({a - b for a, b in rows}) > 1)


@given(rows=numbers)
@quick
def test_paired_t_is_scipys(rows):
    """t, p, degrees of freedom and interval are scipy's wherever scipy is defined."""
    a, b = zip(*rows, strict=True)
    ours, theirs = paired_t(a, b), ttest_rel(a, b)
    assert ours.t == pytest.approx(theirs.statistic)
    assert ours.difference.p == pytest.approx(theirs.pvalue)
    assert ours.df == theirs.df
    ends = theirs.confidence_interval(0.95)
    assert (ours.difference.low, ours.difference.high) == pytest.approx((ends.low, ends.high))


def test_paired_t_by_hand():
    """Differences 1, 2, 3: mean 2, s = 1, t = 2 sqrt(3)."""
    found = paired_t([2, 4, 6], [1, 2, 3])
    assert found.t == pytest.approx(2 * 3**0.5)
    assert (found.difference.value, found.sd, found.dz, found.df) == (2.0, 1.0, 2.0, 2)


def test_identical_systems_have_no_t():
    """A difference of 0 everywhere is undefined with the reason, not NaN."""
    found = paired_t([1, 2, 3], [1, 2, 3])
    assert found.t is None
    assert found.difference.p is None
    assert found.why_undefined == "the difference is 0 everywhere"
    assert found.difference.value == 0.0
    assert found.difference.why_no_interval == found.why_undefined


def test_rounding_noise_is_not_significance():
    """scipy gives t = -5e15 and p = 4e-32 for a constant difference of 0.1; we say what it is."""
    found = paired_t([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])
    assert found.t is None
    assert found.why_undefined == (
        "the difference is the same everywhere: zero variance up to rounding"
    )


def test_incomplete_pairs_are_dropped_and_counted():
    """A unit that lacks a number leaves the test, and the note says so."""
    found = paired_t([1, 2, None, 4, 7], [1, 1, 3, 2, None])
    assert found.difference.n == 3
    assert found.notes == ("2 of 5 pairs dropped: a number is missing",)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1], [2], "needs 2 pairs or more, has 1"),
        ([], [], "needs 2 pairs or more, has 0"),
        ([1, 2], [1], "cannot be paired"),
        ([1, float("inf")], [1, 2], "infinite"),
        ([[1, 2]], [[1, 2]], "first: give a list"),
    ],
)
def test_bad_pairs_are_refused(a, b, message):
    """Too few pairs, unequal lengths and infinities are refused in one sentence."""
    with pytest.raises(StatisticsInputError, match=message):
        paired_t(a, b)


def test_a_level_is_a_share():
    """A confidence level of 95 is refused."""
    with pytest.raises(StatisticsInputError, match="level must lie between"):
        paired_t([1, 2], [2, 1], level=95)


@given(b=st.integers(0, 60), c=st.integers(0, 60))
@quick
def test_exact_mcnemar_is_a_fair_coin(b, c):
    """The exact p is scipy's binomial test; it is symmetric and never above 1."""
    found, mirrored = mcnemar(b, c), mcnemar(c, b)
    expected = binomtest(b, b + c).pvalue if b + c else 1.0
    assert found.p == pytest.approx(expected)
    assert (found.p, found.p_mid, found.chi2) == (mirrored.p, mirrored.p_mid, mirrored.chi2)
    assert 0 < found.p_mid <= found.p <= 1


def test_no_discordant_unit_is_p_1_and_says_so():
    """Identical systems have p = 1 (statsmodels' corrected form gives p = 0)."""
    found = mcnemar_of_table([[10, 0], [0, 10]])
    assert (found.p, found.p_mid, found.n) == (1.0, 1.0, 20)
    assert found.chi2 is None
    assert found.p_chi2_corrected is None
    assert found.notes == ("the two systems never disagree: p = 1 by convention",)


def test_equal_discordant_counts_are_p_1():
    """b = c is no evidence at all, continuity correction or not."""
    found = mcnemar(5, 5)
    assert (found.p, found.p_mid) == (1.0, pytest.approx(1.0))
    assert (found.chi2, found.chi2_corrected) == (0.0, 0.0)


def test_chi_square_forms_are_pingouins():
    """The corrected chi-square and the exact p are pingouin's."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.random(80) < 0.6, "y": rng.random(80) < 0.4})
    _, theirs = pg.chi2_mcnemar(frame, "x", "y", correction=True)
    ours = mcnemar_of_outcomes(frame["x"].tolist(), frame["y"].tolist())
    assert ours.chi2_corrected == pytest.approx(theirs["chi2"].iloc[0])
    assert ours.p == pytest.approx(theirs["p_exact"].iloc[0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: mcnemar(-1, 2),
        lambda: mcnemar(0.5, 2),
        lambda: mcnemar_of_table([[1, 2, 3], [1, 2, 3]]),
        lambda: mcnemar_of_outcomes([0, 2], [1, 1]),
    ],
)
def test_bad_counts_and_outcomes_are_refused(call):
    """Counts are whole and not negative, tables 2 x 2, outcomes yes or no."""
    with pytest.raises(StatisticsInputError):
        call()
