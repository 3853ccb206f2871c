"""Compositions of constraints: SCC, PCC, PosCC, PA."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr

from stats.composition import (
    pair_compliance,
    position_compliance,
    prompt_accuracy,
    single_compliance,
)
from stats.errors import StatisticsInputError
from stats.resample import iid

NAN = float("nan")
NAMES = ["json", "short", "tone"]


def responses(seed=0, n=60, constraints=3):
    """Every prompt holds about half of the constraints, in random order."""
    rng = np.random.default_rng(seed)
    position = np.zeros((n, constraints), int)
    for row in position:
        held = rng.permutation(constraints)[: rng.integers(1, constraints + 1)]
        row[held] = np.arange(1, len(held) + 1)
    followed = np.where(position > 0, rng.random((n, constraints)) < 0.6, NAN).astype(float)
    return followed, position


def test_scc_rests_on_prompts_that_hold_the_constraint():
    """Held by 3, followed by 2, one unscored: 2 / 2, with the counts beside it."""
    followed = np.array([[1, NAN], [1, 0], [NAN, NAN], [NAN, 1]])
    position = np.array([[1, 0], [1, 2], [1, 0], [0, 1]])
    json, short = single_compliance(followed, position, ["json", "short"], seed=1).constraints
    assert (json.rate.value, json.rate.n, json.n_held, json.n_unscored) == (1.0, 2, 3, 1)
    assert (short.rate.value, short.n_held, short.n_unscored) == (0.5, 2, 0)


def test_a_category_is_the_plain_mean_of_its_constraints():
    """Table 6 is the unweighted mean of Table 5 within categories, also in every resample."""
    followed, position = responses()
    of = {"json": "Formatting", "short": "Formatting", "tone": "Style"}
    found = single_compliance(followed, position, NAMES, categories=of, seed=1)
    rates = [c.rate.value for c in found.constraints]
    names = [name for name, _ in found.categories]
    assert names == ["Formatting", "Style"]
    assert found.categories[0][1].value == pytest.approx(np.mean(rates[:2]))
    assert found.categories[1][1].low == found.constraints[2].rate.low


def test_a_constraint_that_no_prompt_holds_is_undefined():
    """Nobody was asked: undefined, not 0."""
    followed = np.array([[1, NAN], [0, NAN]])
    found = single_compliance(followed, np.array([[1, 0], [1, 0]]), ["json", "never"], seed=1)
    assert "holds the constraint" in found.constraints[1].rate.why_undefined


@given(st.integers(0, 200))
@settings(max_examples=25, deadline=None)
def test_pcc_and_r_over_the_common_prompts(seed):
    """PCC and r with p are scipy's over the responses whose prompts hold both constraints."""
    followed, position = responses(seed, n=40)
    for pair in pair_compliance(followed, position, NAMES, replicates=60, seed=1):
        i, j = NAMES.index(pair.first), NAMES.index(pair.second)
        both = (position[:, i] > 0) & (position[:, j] > 0)
        x, y = followed[both, i], followed[both, j]
        assert pair.n == both.sum()
        assert pair.rate.value == pytest.approx(np.mean(x * y))
        if len(set(x)) == 2 and len(set(y)) == 2:
            expected = pearsonr(x, y)
            assert pair.correlation.value == pytest.approx(expected.statistic, abs=1e-12)
            assert pair.correlation.p == pytest.approx(expected.pvalue, abs=1e-9)
        else:
            assert "alike" in pair.correlation.why_undefined


def test_r_needs_three_responses_and_variation():
    """Two responses always give +1 or -1: undefined; perfect agreement of many is 1."""
    two = pair_compliance([[1, 1], [0, 0]], [[1, 2]] * 2, ["a", "b"], seed=1)[0]
    assert two.correlation.why_undefined == "n = 2: a correlation needs at least three responses"
    same = pair_compliance([[1, 1], [0, 0], [1, 1], [0, 0]], [[1, 2]] * 4, ["a", "b"], seed=1)[0]
    assert (same.correlation.value, same.correlation.p) == (1.0, 0.0)
    never = pair_compliance([[1, NAN], [NAN, 1]], [[1, 0], [0, 1]], ["a", "b"], seed=1)[0]
    assert "holds both" in never.rate.why_undefined


def test_pair_interval_is_that_of_a_loop_over_the_same_draws():
    """Single-precision sums are exact: r in every resample is numpy's."""
    followed, position = responses(3, n=150, constraints=2)
    (pair,) = pair_compliance(followed, position, ["a", "b"], replicates=300, seed=4)
    rows = np.concatenate(list(iid(150, replicates=300, seed=4).indices()))
    loop = []
    for r in rows:
        both = (position[r] > 0).all(axis=1)
        loop.append(np.corrcoef(followed[r][both].T)[0, 1])
    expected = tuple(np.quantile(loop, [0.025, 0.975]))
    assert (pair.correlation.low, pair.correlation.high) == pytest.approx(expected, abs=1e-9)


def test_position_rests_on_lists_that_are_long_enough():
    """Position 2 exists in two of three prompts; one of them follows what stands there."""
    followed = np.array([[1, 0, NAN], [NAN, 1, 1], [NAN, NAN, 1]])
    position = np.array([[2, 1, 0], [0, 2, 1], [0, 0, 1]])
    first, second = position_compliance(followed, position, seed=1)
    assert (first.rate.value, first.rate.n) == (pytest.approx(2 / 3), 3)
    assert (second.rate.value, second.rate.n) == (1.0, 2)


def test_prompt_accuracy_and_perfect_responses():
    """PA 1/2, 1 and 1 (one unscored): mean 5/6; perfect 1 of 2 decided."""
    followed = np.array([[1, 0], [1, 1], [1, NAN], [NAN, NAN]])
    position = np.array([[1, 2]] * 4)
    found = prompt_accuracy(followed, position, seed=1)
    assert found.mean.value == pytest.approx(5 / 6)
    assert (found.perfect.value, found.perfect.n) == (0.5, 2)
    assert (found.n_empty, found.n_undecided) == (1, 1)
    nothing = prompt_accuracy([[NAN]], [[1]], seed=1)
    assert "no response" in nothing.mean.why_undefined


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: prompt_accuracy([[0.7]], [[1]], seed=1), "apply the threshold first"),
        (lambda: prompt_accuracy([[1]], [[0]], seed=1), "position must hold"),
        (lambda: prompt_accuracy([[1, 1]], [[1, 0]], seed=1), "position says not held"),
        (lambda: prompt_accuracy([[1]], [[1, 2]], seed=1), "position has shape"),
        (lambda: single_compliance([[1]], [[1]], ["a", "b"], seed=1), "names must name each"),
        (
            lambda: single_compliance([[1]], [[1]], ["a"], categories={"b": "x"}, seed=1),
            "categories names unknown constraints",
        ),
        (lambda: pair_compliance([[1]], [[1]], ["a"], seed=1), "at least two constraints"),
    ],
)
def test_bad_input_names_the_argument(call, words):
    """Bad input is refused in one sentence."""
    with pytest.raises(StatisticsInputError, match=words):
        call()
