"""Pairs and lists of numbers: complete or dropped with a note."""

from __future__ import annotations

import numpy as np
import pytest

from stats.errors import StatisticsInputError
from stats.pairs import complete_pairs, is_constant


def test_complete_lists_have_no_note():
    """Nothing missing, nothing said."""
    x, y, notes = complete_pairs([1, 2], [3, 4])
    assert (x.tolist(), y.tolist(), notes) == ([1.0, 2.0], [3.0, 4.0], ())


def test_empty_lists_have_no_pairs():
    """Two empty lists are no error here; what needs pairs refuses them."""
    x, y, notes = complete_pairs([], [])
    assert (len(x), len(y), notes) == (0, 0, ())


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        (["a", 1], [1, 2], "^first: numbers are needed"),
        ([1, 2], [float("inf"), 2], "^second: infinite"),
        ([1, 2], [1e200, 2], "^second holds a number of size 1e"),
        ([1e-200, 2e-200], [1, 2], "^first holds nothing above 2e-200"),
        ([[1, 2]], [1, 2], "^first: give a list"),
        ([1, 2], "12", "^second: give a list"),
        ([1, 2], [1], "^first and second: 2 and 1 values cannot be paired"),
    ],
)
def test_bad_input_names_the_list_that_it_is_in(first, second, named):
    """A fault in one list is not blamed on the other, nor on an argument that was not given."""
    with pytest.raises(StatisticsInputError, match=named):
        complete_pairs(first, second)


@pytest.mark.parametrize(
    ("values", "flat"),
    [([0.1, 0.1], True), ([0.3, 0.1 + 0.2], True), ([0, 0], True), ([1e9, 1e9 + 1], False)],
)
def test_constant_means_equal_but_for_rounding(values, flat):
    """Rounding noise is no variation; a difference of one in a billion is."""
    assert is_constant(np.array(values)) is flat
