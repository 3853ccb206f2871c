"""Holm, Bonferroni and BH within named families."""

from __future__ import annotations

import numpy as np
import pingouin as pg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from stats.errors import StatisticsInputError
from stats.multiplicity import correct_families, correct_family, corrected_p

raw_p = st.lists(st.floats(0, 1), min_size=1, max_size=12)
quick = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_running_maximum_keeps_the_order():
    """0.04 times 1 would be 0.04; the running maximum makes it 0.06."""
    assert corrected_p([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_equal_p_have_equal_corrected_p():
    """Three times 0.02 is three times 0.06, not 0.06, 0.04, 0.02."""
    assert corrected_p([0.02, 0.02, 0.02]) == pytest.approx((0.06, 0.06, 0.06))


def test_corrected_p_exactly_alpha_is_rejected():
    """The decision is corrected p <= alpha (pingouin takes <)."""
    family = correct_family("f", {"a": 0.025, "b": 0.9})
    assert family.tests[0].corrected == 0.05
    assert [test.rejected for test in family.tests] == [True, False]


@given(p=raw_p)
@quick
def test_holm_lies_between_raw_and_bonferroni_and_above_bh(p):
    """raw <= Holm <= Bonferroni <= 1, Holm >= BH, and Holm is monotone in raw p."""
    holm, bonferroni, bh = (np.array(corrected_p(p, c)) for c in ("holm", "bonferroni", "bh"))
    assert (np.array(p) <= holm + 1e-12).all()
    assert (holm <= bonferroni + 1e-12).all()
    assert (holm >= bh - 1e-12).all()
    assert bonferroni.max() <= 1
    assert (np.diff(holm[np.argsort(p, kind="stable")]) >= -1e-12).all()


@given(p=raw_p, seed=st.integers(0, 99))
@quick
def test_order_of_tests_changes_nothing(p, seed):
    """Corrected p come back in the order of the raw ones."""
    order = np.random.default_rng(seed).permutation(len(p))
    shuffled = corrected_p([p[i] for i in order])
    assert shuffled == pytest.approx([corrected_p(p)[i] for i in order], abs=1e-15)


@given(p=raw_p)
@settings(max_examples=15, deadline=None)
def test_holm_is_statsmodels_holm(p):
    """Our own Holm is statsmodels' to the last digits, ties and ones included."""
    assert corrected_p(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-15)


@given(p=raw_p)
@settings(max_examples=15, deadline=None)
def test_pingouin_agrees(p):
    """All three corrections are pingouin's."""
    for ours, theirs in (("holm", "holm"), ("bonferroni", "bonf"), ("bh", "fdr_bh")):
        assert corrected_p(p, ours) == pytest.approx(pg.multicomp(p, method=theirs)[1], abs=1e-12)


@pytest.mark.parametrize("bad", [None, float("nan")])
def test_a_missing_p_is_an_error_that_names_the_test(bad):
    """Leaving a test out would shrink the family; the message says which one."""
    with pytest.raises(StatisticsInputError, match="'AVOID2' in family 'exact count' has no p"):
        correct_family("exact count", {"NEG": 0.01, "AVOID2": bad})
    with pytest.raises(StatisticsInputError, match="test 2 has no p-value"):
        corrected_p([0.1, bad])


@pytest.mark.parametrize("bad", [-0.1, 1.2])
def test_a_p_outside_0_to_1_is_an_error(bad):
    """p-values must be in [0,1]."""
    with pytest.raises(StatisticsInputError, match=r"p-values must be in \[0,1\]"):
        corrected_p([bad])


def test_an_empty_family_has_no_tests():
    """Nothing to correct is an empty answer, not an error."""
    assert corrected_p([]) == ()
    assert correct_family("none", {}).tests == ()


def test_families_are_corrected_each_for_itself():
    """A family's size does not spill into another; names and order are kept."""
    one, two = correct_families({"F1": {"a": 0.03}, "F2": {"b": 0.03, "c": 0.5}})
    assert (one.name, one.tests[0].name, one.tests[0].corrected) == ("F1", "a", 0.03)
    assert [test.corrected for test in two.tests] == pytest.approx([0.06, 0.5])
    assert (two.correction, two.alpha) == ("holm", 0.05)


def test_bad_choices_are_refused():
    """An unknown correction and an alpha of 5 are refused by name."""
    with pytest.raises(StatisticsInputError, match="correction: choose one of"):
        corrected_p([0.1], "sidak")
    with pytest.raises(StatisticsInputError, match="alpha must lie between"):
        correct_family("f", {"a": 0.1}, alpha=5)
