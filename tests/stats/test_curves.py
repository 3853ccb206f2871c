"""Sweeps, crossings and occlusion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr

from stats.curves import occlusion_ratio, sweep_contrast
from stats.errors import StatisticsInputError

GRID = [10.0, 50.0, 100.0, 1000.0]
SCORES = st.lists(st.integers(-20, 20), min_size=4, max_size=4)


@given(SCORES, SCORES)
@settings(max_examples=60, deadline=None)
def test_correlation_and_shift_are_the_plain_ones(conflict, control):
    """r is scipy's Pearson r over the grid, the shift is the mean difference."""
    found = sweep_contrast(GRID, conflict, control, seed=1)
    assert found.shift.value == pytest.approx(np.mean(conflict) - np.mean(control))
    if len(set(conflict)) == 1 or len(set(control)) == 1:
        assert "flat" in found.correlation.why_undefined
    else:
        assert found.correlation.value == pytest.approx(pearsonr(conflict, control).statistic)


def test_a_gated_curve_is_flat_and_its_correlation_undefined():
    """The flat conflict curve that gating predicts has no correlation, and always respects."""
    found = sweep_contrast(GRID, [[-0.1] * 4] * 3, [[3.0, 2.0, 1.0, 0.0]] * 3, seed=1)
    assert found.correlation.value is None
    assert found.respecting.value == 1.0
    assert found.conflict_crossing.at == 10.0


def test_crossing_is_the_first_grid_value_strictly_below_zero():
    """A score of exactly 0 has not crossed; a curve that comes back still crossed first."""
    found = sweep_contrast(GRID, [1.0, 0.0, -1.0, 2.0], [1.0, 1.0, 1.0, 0.0], seed=1)
    assert found.conflict_crossing.at == 100.0
    assert found.control_crossing.at is None
    assert found.control_crossing.text() == "never"


def test_one_phrasing_has_no_interval():
    """Deterministic scores of one phrasing: values without intervals."""
    found = sweep_contrast(GRID, [3, 2, 1, -1], [4, 3, 2, 1], seed=1)
    assert found.shift.why_no_interval == "only one phrasing: nothing to resample"
    assert found.conflict_crossing.why_no_interval == "only one phrasing: nothing to resample"


def test_phrasings_are_resampled_within_their_condition():
    """Six conflict and seven control phrasings: intervals hold the values and say the scheme."""
    rng = np.random.default_rng(1)
    shape = np.array([3.0, 1.0, -1.0, -4.0])
    conflict = shape - 2 + rng.normal(0, 0.5, (6, 1))
    control = shape + rng.normal(0, 0.5, (7, 1))
    found = sweep_contrast(GRID, conflict, control, seed=1)
    assert found.shift.low < found.shift.value < found.shift.high
    assert found.shift.scheme == "phrasings within lists (up to 7 phrasings per list)"
    crossing = found.conflict_crossing
    assert crossing.low <= crossing.at <= crossing.high
    assert sweep_contrast(GRID, conflict, control, seed=1) == found


def test_a_crossing_may_be_open_to_never():
    """Half of the phrasings never cross: the interval ends in "never"."""
    conflict = [[5.0, 5.0, 5.0, 5.0], [-6.0, -6.0, -6.0, -6.0]]
    found = sweep_contrast(GRID, conflict, conflict, seed=1).conflict_crossing
    assert (found.at, found.low, found.high) == (10.0, 10.0, None)
    assert found.text() == "10 [10, never]"


def test_occlusion_ratio_by_hand():
    """Mean effects -3 and 0.5: ratio 6; a goal without effect is undefined, not infinite."""
    assert occlusion_ratio([4, 6], [2, 2], [5, 6], seed=1).value == 6.0
    none = occlusion_ratio([4, 6], [2, 2], [5, 5], seed=1)
    assert "no mean effect" in none.why_undefined


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sweep_contrast([10, 10], [1, 2], [1, 2], seed=1), "strictly increasing"),
        (lambda: sweep_contrast([10, 20], [1, 2, 3], [1, 2], seed=1), "one column per grid value"),
        (lambda: sweep_contrast([10, 20], [1, np.nan], [1, 2], seed=1), "conflict holds NaN"),
        (lambda: occlusion_ratio([], [], [], seed=1), "base is empty"),
        (lambda: occlusion_ratio([1], [1, 2], [1], seed=1), "cue_occluded has shape"),
    ],
)
def test_bad_input_names_the_argument(call, words):
    """Bad input is refused in one sentence."""
    with pytest.raises(StatisticsInputError, match=words):
        call()
