"""Reliability, modal switches and HOB's two accuracies."""

from __future__ import annotations

import numpy as np
import pytest

from stats.answers import SwitchMatrix, reliability, switch_matrix, trial_and_strict
from stats.errors import StatisticsInputError

NAN = float("nan")


def test_reliability_counts_cells_with_enough_correct_samples():
    """Five of six cells have at least 6 of 7 correct; a cell that was not run is left out."""
    assert reliability([[7, 6], [6, 7], [5, 7]], at_least=6, samples=7, seed=1).value == 5 / 6
    assert reliability([[7, NAN], [3, 7]], at_least=6, samples=7, seed=1).value == 2 / 3
    none = reliability([[NAN, NAN]], at_least=6, samples=7, seed=1)
    assert none.why_undefined == "no cell was run"


def test_reliability_resamples_whole_scenarios():
    """Both conditions of a scenario stay together: two scenarios give only 0, 1/2 and 1."""
    found = reliability([[7, 7], [0, 0]], at_least=6, samples=7, seed=1)
    assert (found.value, found.low, found.high, found.n) == (0.5, 0.0, 1.0, 2)


def test_switch_matrix_has_a_place_for_every_scenario():
    """All five fates, and a missing or tied condition has no modal answer."""
    active = [1.0, 1.0, 0.0, 0.0, 0.5, NAN, 1.0]
    removed = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, NAN]
    matrix = switch_matrix(active, removed)
    assert matrix == SwitchMatrix(1, 1, 1, 1, 3)


def test_trial_and_strict_by_hand():
    """Three prompts of two samples: trial (1 + .5 + 0) / 3, strict 1 / 3."""
    found = trial_and_strict([[1, 1], [1, 0], [0, 0]], seed=1)
    assert (found.trial.value, found.strict.value) == (0.5, 1 / 3)
    assert (found.n_prompts, found.n_unscored, found.n_undecided) == (3, 0, 0)


def test_an_unscored_sample_is_never_a_wrong_one():
    """NaN is no answer: it leaves the share, and strict is decided only where it can be."""
    found = trial_and_strict([[1, NAN], [0, NAN], [1, 1], [NAN, NAN]], seed=1)
    assert found.trial.value == pytest.approx((1 + 0 + 1) / 3)
    assert (found.strict.value, found.strict.n) == (0.5, 2)
    assert (found.n_prompts, found.n_unscored, found.n_undecided) == (3, 1, 1)


def test_nothing_scored_is_undefined():
    """Without a scored sample both accuracies are undefined and say so."""
    found = trial_and_strict([[NAN, NAN]], seed=1)
    assert found.trial.why_undefined == found.strict.why_undefined
    assert "scored sample" in found.trial.why_undefined


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: reliability([[8]], at_least=6, samples=7, seed=1), "correct must hold counts"),
        (lambda: reliability([[7]], at_least=8, samples=7, seed=1), "at_least must lie between"),
        (lambda: trial_and_strict([[0.5]], seed=1), "correct must hold 0, 1 or NaN"),
        (lambda: trial_and_strict(np.zeros((0, 3)), seed=1), "correct is empty"),
        (lambda: switch_matrix([1.0], [1.0, 0.0]), "removed has shape"),
    ],
)
def test_bad_input_names_the_argument(call, words):
    """Bad input is refused in one sentence."""
    with pytest.raises(StatisticsInputError, match=words):
        call()
