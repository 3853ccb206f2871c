"""Ranking stability: ties, reversals, top sets, displacement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

from stats.errors import StatisticsInputError
from stats.ranking import average_ranks, ranking_stability
from stats.resample import iid

FEW = st.lists(st.integers(0, 4), min_size=2, max_size=9)


def stability(pos, other, **how):
    """Scores of models under two forms, on one task repeated."""
    scores = np.stack([np.asarray(pos), np.asarray(other)], axis=-1)[:, None, :]
    how = {"reference": "POS", "k": 1, "replicates": 100, "seed": 1} | how
    return ranking_stability(np.repeat(scores, 3, axis=1), ["POS", "X"], **how)[0]


@given(FEW, st.data())
@settings(max_examples=100, deadline=None)
def test_tau_b_and_ranks_are_scipy_s(one, data):
    """tau-b and average ranks agree with scipy, with ties, and are undefined where scipy's are."""
    other = data.draw(st.lists(st.integers(0, 4), min_size=len(one), max_size=len(one)))
    ours = stability(np.array(one) / 4, np.array(other) / 4).tau_b
    theirs = kendalltau(one, other).statistic
    assert (ours.value is None) == bool(np.isnan(theirs)) == bool(ours.why_undefined)
    assert ours.value is None or ours.value == pytest.approx(theirs, abs=1e-12)
    assert average_ranks(one).tolist() == rankdata(-np.array(one)).tolist()


def test_reversal_excludes_ties():
    """Four models, two tied under POS: five pairs compared, two reversed."""
    found = stability([0.8, 0.5, 0.5, 0.1], [0.6, 0.7, 0.2, 0.3])
    assert (found.n_pairs, found.n_reversed) == (5, 2)
    assert found.reversal.value == pytest.approx(0.4)


def test_top_k_with_ties_holds_all_tied_models():
    """Two models tied at place 1 are both in the top-1 set, and the result says so."""
    found = stability([0.9, 0.9, 0.1], [0.9, 0.2, 0.1])
    assert (found.top_reference, found.top_form) == ((0, 1), (0,))
    assert found.top_k_jaccard.value == 0.5
    assert found.ties_at_k
    assert not stability([0.9, 0.8, 0.1], [0.9, 0.2, 0.1]).ties_at_k


def test_displacement_is_in_average_ranks():
    """First to a three-way tie for second: rank 1 to rank 3 is a displacement of 2."""
    found = stability([0.9, 0.5, 0.4, 0.3], [0.2, 0.9, 0.2, 0.2])
    assert found.max_displacement.value == 2.0


def test_shares_tie_whatever_order_they_were_added_in():
    """The same counts on other tasks tie exactly: rounding in the sum makes no order."""
    rng = np.random.default_rng(1)
    one = rng.integers(0, 4, 97) / 3
    scores = np.stack([one, rng.permutation(one), one[::-1]])[:, :, None].repeat(2, axis=2)
    (found,) = ranking_stability(scores, ["POS", "X"], reference="POS", seed=1)
    assert "all models tie" in found.tau_b.why_undefined
    assert "no pair of models is strictly ordered" in found.reversal.why_undefined
    assert found.max_displacement.value == 0.0


def test_intervals_are_those_of_a_loop_over_the_same_draws():
    """Every replicate's tau-b is scipy's on the same resampled tasks."""
    rng = np.random.default_rng(3)
    scores = rng.binomial(3, rng.random((6, 1, 2)), (6, 20, 2)) / 3
    (found,) = ranking_stability(scores, ["POS", "X"], reference="POS", replicates=200, seed=9)
    rows = np.concatenate(list(iid(20, replicates=200, seed=9).indices()))
    counts = np.round(scores * 3)
    taus = [kendalltau(*counts[:, r].sum(axis=1).T).statistic for r in rows]
    expected = tuple(np.quantile(taus, [0.025, 0.975]))
    assert (found.tau_b.low, found.tau_b.high) == pytest.approx(expected, abs=1e-12)


@given(st.permutations(range(5)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_models_changes_nothing(order):
    """Models in any order: the same estimates."""
    rng = np.random.default_rng(4)
    scores = rng.binomial(3, rng.random((5, 1, 3)), (5, 15, 3)) / 3
    forms = ["POS", "A", "B"]
    whole = ranking_stability(scores, forms, reference="POS", replicates=60, seed=1)
    turned = ranking_stability(scores[list(order)], forms, reference="POS", replicates=60, seed=1)
    for ours, theirs in zip(whole, turned, strict=True):
        assert ours.tau_b == theirs.tau_b
        assert ours.max_displacement == theirs.max_displacement
        assert {order[i] for i in theirs.top_form} == set(ours.top_form)


def test_a_task_that_is_missing_anywhere_is_left_out():
    """One NaN takes its task out for all models: n says so."""
    scores = np.random.default_rng(5).random((4, 6, 2))
    scores[1, 2, 0] = np.nan
    (found,) = ranking_stability(scores, ["POS", "X"], reference="POS", seed=1)
    assert found.tau_b.n == 5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stability([0.5], [0.5]), "at least two models"),
        (lambda: stability([0.5, 0.1], [0.5, 0.1], k=3), "k must lie between 1 and 2"),
        (lambda: stability([0.5, 0.1], [0.5, 0.1], reference="Y"), "reference 'Y' is none"),
        (lambda: stability([np.nan, 0.1], [0.5, 0.1]), "no task that is scored"),
        (lambda: average_ranks([0.5, np.nan]), "scores holds NaN"),
    ],
)
def test_bad_input_names_the_argument(call, words):
    """Bad input is refused in one sentence."""
    with pytest.raises(StatisticsInputError, match=words):
        call()
