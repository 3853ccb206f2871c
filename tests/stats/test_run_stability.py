"""Rankings over runs, with ties said."""

from __future__ import annotations

import pytest

from stats.errors import StatisticsInputError
from stats.run_stability import run_stability


def test_runs_that_agree_are_perfectly_stable():
    """The same order in every run: tau-b 1, W 1, nothing flips."""
    found = run_stability([[3, 2, 1], [30, 20, 10]])
    assert found.mean_tau_b.value == pytest.approx(1.0)
    assert found.concordance.value == pytest.approx(1.0)
    assert (found.n_flipped, found.n_unequal) == (0, 0)


def test_a_tie_is_unequal_but_no_flip_and_shows_in_the_top():
    """Ties at the top are all named, not only the first."""
    found = run_stability([[3, 2, 1], [2, 2, 1]])
    assert (found.n_flipped, found.n_unequal) == (0, 1)
    assert found.top == ((0,), (0, 1))


def test_undefined_tau_has_its_reason():
    """A run that ties all systems, and two systems only, have no mean tau-b."""
    assert "same score" in run_stability([[1, 1, 1], [1, 2, 3]]).mean_tau_b.why_undefined
    assert "two systems" in run_stability([[1, 2], [2, 1]]).mean_tau_b.why_undefined


@pytest.mark.parametrize("scores", [[[1, 2, 3]], [[1], [2]], [[1, None], [1, 2]]])
def test_too_few_runs_or_missing_scores_are_refused(scores):
    """Two runs and two systems are the least, and no score may be missing."""
    with pytest.raises(StatisticsInputError, match="scores:"):
        run_stability(scores)
