"""Instruction-following rates: unknown trials, cells, N50, contrasts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.errors import StatisticsInputError
from stats.induction import if_contrast, if_curve, if_rate, seed_residuals

NAN = float("nan")
SCHEMES = ("cell", "condition", "seed")


def study(seed=0, conditions=5, trials=35):
    """IF decays from .9 to .1 over the grid; 5 % of trials are unknown."""
    rng = np.random.default_rng(seed)
    level = np.linspace(0.9, 0.1, 6)[None, :, None]
    followed = (rng.random((conditions, 6, trials)) < level).astype(float)
    followed[rng.random(followed.shape) < 0.05] = NAN
    return followed


def test_unknown_trials_leave_the_rate_and_are_reported():
    """Of four trials one is unknown: the rate is over three, the unknown rate is a quarter."""
    found = if_rate([[[1, 1, 0, NAN]]], seed=1)
    assert found.rate.value == pytest.approx(2 / 3)
    assert (found.n_trials, found.n_unknown, found.unknown_rate) == (4, 1, 0.25)


def test_a_trial_that_was_not_run_is_no_unknown():
    """NaN of a trial that never ran counts nowhere."""
    ran = np.array([[[True, True, False, False]]])
    found = if_rate([[[1, 0, NAN, NAN]]], ran=ran, seed=1)
    assert (found.rate.value, found.n_trials, found.n_unknown) == (0.5, 2, 0)


def test_cells_count_the_same_whatever_their_unknowns():
    """A cell with one known trial weighs as much as a full one; an empty cell is left out."""
    found = if_rate([[[1, NAN, NAN, NAN], [0, 0, 0, 0], [NAN] * 4]], seed=1)
    assert (found.rate.value, found.n_empty_cells, found.rate.n) == (0.5, 1, 2)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_share_the_value(scheme):
    """Cells, conditions or question sets: the same rate, another interval, the scheme is named."""
    found = if_rate(study(), scheme=scheme, seed=1)
    assert found.rate.value == if_rate(study(), seed=1).rate.value
    assert found.rate.low < found.rate.value < found.rate.high
    assert found.rate.n == {"cell": 30, "condition": 5, "seed": 35}[scheme]


def test_question_sets_vary_less_than_cells():
    """Drawing question sets only measures the questions: narrower than drawing cells."""
    cell, seed = (if_rate(study(), scheme=s, seed=1).rate for s in ("cell", "seed"))
    assert seed.high - seed.low < 0.5 * (cell.high - cell.low)


def test_n50_is_the_first_n_at_or_below_one_half():
    """Rates 1, .5, .75: N50 is the second N; a curve that stays above never crosses."""
    curve = if_curve([[[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]]], [1, 2, 4], seed=1)
    assert [r.value for r in curve.rates] == [1.0, 0.5, 0.75]
    assert curve.n50.at == 2.0
    high = if_curve([[[1, 1], [1, 1]]], [1, 50], scheme="seed", seed=1)
    assert high.n50.text() == "never"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_curves_have_intervals_and_so_has_n50(scheme):
    """Every N has its interval; N50 has one on the grid."""
    curve = if_curve(study(), [1, 2, 4, 8, 16, 32], scheme=scheme, seed=1)
    assert all(r.low <= r.value <= r.high for r in curve.rates)
    assert curve.n50.low <= curve.n50.at <= curve.n50.high
    assert curve.n50.at in (4.0, 8.0, 16.0)


def test_contrasts_are_paired_by_cell():
    """Hint against none by hand: cells .5 -> 1 and 0 -> .5; a cell that one lacks is dropped."""
    with_hint = [[[1, 1], [1, 0], [1, 1]]]
    without = [[[1, 0], [0, 0], [NAN, NAN]]]
    found = if_contrast(with_hint, without, seed=1)
    assert (found.difference.value, found.one, found.other) == (0.5, 0.75, 0.25)
    assert (found.n_cells, found.n_dropped) == (2, 1)


def test_contrast_of_different_trial_numbers():
    """35 trials at T = 0 against 15 at T = 1: paired by cell, refused under the seed scheme."""
    one, other = study(trials=35), study(1, trials=15)
    assert if_contrast(one, other, seed=1).n_cells == 30
    with pytest.raises(StatisticsInputError, match="under the seed scheme"):
        if_contrast(one, other, scheme="seed", seed=1)


@given(st.integers(0, 50), st.sampled_from(SCHEMES))
@settings(max_examples=20, deadline=None)
def test_a_run_against_itself_is_zero(seed, scheme):
    """The same run twice: difference 0 [0, 0], p = 1."""
    followed = study(seed, conditions=2, trials=8)
    found = if_contrast(followed, followed, scheme=scheme, replicates=60, seed=1).difference
    assert (found.value, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)


def test_nothing_known_is_undefined_everywhere():
    """Only unknown trials: rate, curve and contrast are undefined and say why."""
    nothing = np.full((2, 2, 3), NAN)
    for scheme in SCHEMES:
        assert "no cell has a trial" in if_rate(nothing, scheme=scheme, seed=1).rate.why_undefined
        curve = if_curve(nothing, [1, 2], scheme=scheme, seed=1)
        assert all(r.value is None for r in curve.rates)
        contrast = if_contrast(nothing, nothing, scheme=scheme, seed=1)
        assert (contrast.difference.value, contrast.one) == (None, None)


def test_seed_residuals_are_centred_within_the_zone():
    """Residuals of each point sum to zero; saturated points are outside the zone."""
    residuals, points = seed_residuals(study())
    assert residuals.shape == (35, int(points.sum()))
    assert np.nansum(residuals, axis=0) == pytest.approx(np.zeros(points.sum()), abs=1e-9)
    saturated, none = seed_residuals(np.ones((2, 3, 4)))
    assert saturated.shape == (4, 0)
    assert not none.any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: if_rate([[[0.5]]], seed=1), "followed must hold 1, 0, or NaN"),
        (lambda: if_rate([[1.0]], seed=1), "followed must be 3-dimensional"),
        (lambda: if_rate(np.zeros((0, 1, 1)), seed=1), "followed is empty"),
        (lambda: if_rate([[[1.0]]], ran=[[[0]]], seed=1), "ran must be truth values"),
        (lambda: if_rate([[[1.0]]], ran=np.zeros((1, 1, 1), bool), seed=1), "was not run"),
        (lambda: if_rate([[[1.0]]], scheme="x", seed=1), "scheme must be one of"),
        (lambda: if_curve([[[1.0]]], [1, 2], seed=1), "n_turns must hold 1"),
        (lambda: if_contrast([[[1.0]]], [[[1.0], [1.0]]], seed=1), "other has shape"),
    ],
)
def test_bad_input_names_the_argument(call, words):
    """Bad input is refused in one sentence."""
    with pytest.raises(StatisticsInputError, match=words):
        call()
