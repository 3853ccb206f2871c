"""Coefficients of sums: the draws depend on what items contribute, not on how they were stored."""

from __future__ import annotations

import numpy as np
import pytest

from stats.item_sums import Bootstrap, Sums, estimate_of_sums


def mean_of_first(sums):
    return sums[:, 0, 0] / sums[:, 0, 1]


def shares(values):
    return np.column_stack([values, np.ones(len(values))])


def test_a_weight_is_a_repeated_item():
    """A line of weights gives the coefficient of the items repeated that often."""
    sums = Sums((shares([0.0, 1.0, 5.0]),), mean_of_first)
    assert sums.of_weights(np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])).tolist() == [11 / 3, 0.0]


def test_row_order_changes_no_byte():
    """Items stored in another order give the same estimate, interval included."""
    values = np.random.default_rng(1).normal(size=50)
    how = Bootstrap(3, 500, 0.95)
    one = estimate_of_sums(Sums((shares(values),), mean_of_first), None, how)
    other = estimate_of_sums(Sums((shares(values[::-1]),), mean_of_first), None, how)
    assert one == other


def test_a_given_reason_wins_and_a_zero_denominator_has_its_own():
    """No value is ever NaN: there is a reason, the caller's or our own."""
    nothing = Sums((np.zeros((3, 2)),), mean_of_first)
    for replicates in (0, 100):
        how = Bootstrap(1, replicates, 0.95)
        assert estimate_of_sums(nothing, "because", how)[0].why_undefined == "because"
        assert estimate_of_sums(nothing, None, how)[0].why_undefined == "its denominator is 0"


def test_lists_keep_their_number_of_items():
    """Items are drawn within lists: the number of items per list is the same in every replicate."""

    def sizes(sums):
        return sums[:, 0, 1] * 100 + sums[:, 1, 1]

    lists = (shares(np.arange(3.0)), shares(np.arange(4.0)))
    estimate, notes = estimate_of_sums(Sums(lists, sizes), None, Bootstrap(1, 200, 0.95))
    assert (estimate.value, estimate.low, estimate.high) == (304.0, 304.0, 304.0)
    assert estimate.scheme == "items within lists (up to 4 items per list)"
    assert "zero-width" in notes[0]


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_levels_are_shares(level):
    """A confidence level lies between 0 and 1."""
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        Bootstrap(1, 100, level)
