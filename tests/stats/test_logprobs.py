from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax

from stats.errors import StatisticsInputError
from stats.logprobs import decision_shift, decision_summary, log_sum_exp, renormalised

LOGPROBS = st.lists(st.floats(-800, 0), min_size=1, max_size=20)


@given(LOGPROBS)
def test_log_sum_exp_is_scipys(logprobs):
    """The same as an independent implementation, far below what exp can hold."""
    if max(logprobs) and max(map(abs, logprobs)) < 1e-50:
        return  # refused as too small to square
    assert log_sum_exp(logprobs) == pytest.approx(float(logsumexp(logprobs)), abs=1e-12)
    assert renormalised(logprobs) == pytest.approx(softmax(logprobs), abs=1e-12)
    assert renormalised(logprobs).sum() == pytest.approx(1.0)


def test_log_sum_exp_adds_probabilities():
    """By hand: .5 and .25 are .75; one term is itself; order is no matter."""
    assert log_sum_exp([math.log(0.5), math.log(0.25)]) == pytest.approx(math.log(0.75))
    assert log_sum_exp([-3.25]) == -3.25
    assert log_sum_exp([-1.0, -2.0, -900.0]) == log_sum_exp([-900.0, -2.0, -1.0])
    for empty in (log_sum_exp, renormalised):
        with pytest.raises(StatisticsInputError, match="logprobs is empty"):
            empty([])


def test_a_summary_by_hand():
    """Mean and share below 0 of the scores that are there; the others are counted."""
    found = decision_summary([2.0, -1.0, np.nan, -4.0], replicates=200, seed=1)
    assert (found.mean.value, found.heavy.value) == (-1.0, pytest.approx(2 / 3))
    assert (found.n_scenarios, found.n_dropped, found.mean.n) == (3, 1, 3)
    assert found.mean.low <= -1.0 <= found.mean.high
    assert found.mean.scheme.startswith("iid")


def test_a_score_of_exactly_zero_prefers_nothing():
    """0 is not below 0."""
    assert decision_summary([0.0, 0.0], replicates=50, seed=1).heavy.value == 0.0


def test_a_shift_by_hand():
    """Paired by scenario; a scenario without one of the two is left out and counted."""
    found = decision_shift([1, 0, np.nan, 5], [3, 1, 1, np.nan], replicates=200, seed=1)
    assert (found.shift.value, found.n_scenarios, found.n_dropped) == (-1.5, 2, 2)
    assert found.shift.p is not None
    far = decision_shift(np.arange(30) - 9.0, np.arange(30), replicates=999, seed=1).shift
    assert (far.low, far.high, far.p) == (-9.0, -9.0, pytest.approx(0.002))


def test_nothing_to_summarise_is_undefined_with_the_reason():
    for scores in ([], [np.nan, np.nan]):
        found = decision_summary(scores, replicates=50, seed=1)
        assert found.mean.why_undefined == "no scenario has a decision score"
        assert (found.heavy.value, found.n_dropped) == (None, len(scores))
    alone = decision_shift([1.0], [np.nan], replicates=50, seed=1)
    assert alone.shift.why_undefined == "no scenario has a decision score in both conditions"


def test_one_scenario_has_a_value_and_no_interval():
    found = decision_summary([1.0], replicates=50, seed=1)
    assert (found.mean.value, found.mean.low) == (1.0, None)
    assert found.mean.why_no_interval


def test_the_same_seed_gives_the_same_interval_and_conditions_must_match():
    scores = np.linspace(-2, 3, 12)
    assert decision_summary(scores, seed=3) == decision_summary(scores, seed=3)
    with pytest.raises(StatisticsInputError, match="give both the same rows"):
        decision_shift([1.0, 2.0], [1.0], seed=1)
