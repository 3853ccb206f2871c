"""Pairs and lists of numbers: complete or dropped with a note."""

from __future__ import annotations

import numpy as np
import pytest

from stats.errors import StatisticsInputError
from stats.pairs import complete_pairs, complete_values, is_constant


def test_complete_lists_have_no_note():
    """Nothing missing, nothing said."""
    x, y, notes = complete_pairs([1, 2], [3, 4])
    assert (x.tolist(), y.tolist(), notes) == ([1.0, 2.0], [3.0, 4.0], ())
    assert complete_values([1, 2])[1] == ()


def test_empty_lists_have_no_pairs():
    """Two empty lists are no error here; what needs pairs refuses them."""
    x, y, notes = complete_pairs([], [])
    assert (len(x), len(y), notes) == (0, 0, ())
    with pytest.raises(StatisticsInputError, match="at least one number"):
        complete_values([])


@pytest.mark.parametrize(
    ("values", "flat"),
    [([0.1, 0.1], True), ([0.3, 0.1 + 0.2], True), ([0, 0], True), ([1e9, 1e9 + 1], False)],
)
def test_constant_means_equal_but_for_rounding(values, flat):
    """Rounding noise is no variation; a difference of one in a billion is."""
    assert is_constant(np.array(values)) is flat
