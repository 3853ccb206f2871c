"""Ratings are read as they were meant, or refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from stats.errors import StatisticsInputError
from stats.ratings import (
    code_ratings,
    count_table,
    in_own_order,
    is_missing,
    matrix_from_rows,
    numeric_ratings,
)


@pytest.mark.parametrize("nothing", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.float64("nan")])
def test_every_spelling_of_nothing_is_missing(nothing):
    """None, NaN, pandas' NA and NaT are missing and never a category."""
    coded = code_ratings([["a", nothing], ["b", "a"]])
    assert is_missing(nothing)
    assert coded.codes.tolist() == [[0, -1], [1, 0]]
    assert coded.categories == ("a", "b")


def test_texts_that_look_missing_are_labels_unless_named():
    """A rater who uses the label "NA" or "nan" loses no ratings."""
    assert code_ratings([["NA", "nan"]]).categories == ("NA", "nan")
    coded = code_ratings([["a", "*"]], missing=["*"])
    assert coded.codes.tolist() == [[0, -1]]
    assert coded.notes == ("1 rating missing (read as missing: '*')",)


def test_empty_text_is_missing_and_said_so():
    """An empty cell of a spreadsheet is no category, and the note names it."""
    coded = code_ratings([["a", ""], ["", None]])
    assert coded.counts().tolist() == [[1], [0]]
    assert coded.notes == ("3 ratings missing (read as missing: '', None)",)


@pytest.mark.parametrize(
    ("ratings", "categories", "message"),
    [
        ([["1", 1]], None, "labels of mixed type"),
        ([["a", 1]], ["a", "b"], "labels of mixed type"),
        ([["a", "c"]], ["a", "b"], "'c' is not among the categories"),
        ([["a", "b"]], ["a", "a"], "named once"),
        ([["a", "b"]], ["a", None], "not a category"),
        ([["a", "b"]], ["a", 1], "labels of mixed type"),
        ([["a", "b"], ["a"]], None, "rows differ in length"),
        (["a", "b"], None, "give a matrix"),
        ([], None, "give a matrix"),
        ([[{}, {}]], None, "must be a text or a number"),
        ([[[1], [2]]], None, "give a matrix"),
    ],
)
def test_bad_ratings_are_refused_in_one_sentence(ratings, categories, message):
    """What would silently change a coefficient is refused with a sentence that names the fix."""
    with pytest.raises(StatisticsInputError, match=message):
        code_ratings(ratings, categories)


def test_numpy_and_pandas_labels_are_the_same_labels():
    """Ratings from numpy and pandas are coded like plain lists."""
    plain = code_ratings([[1, 2], [2, 1]], [1, 2, 3])
    array = code_ratings(np.array([[1, 2], [2, 1]]), [1, 2, 3])
    frame = code_ratings(pd.DataFrame([[1.0, 2.0], [2.0, 1.0]]), [1, 2, 3])
    assert plain.codes.tolist() == array.codes.tolist() == frame.codes.tolist()


def test_a_matrix_may_lie_the_other_way_if_one_says_so():
    """The switch turns raters x items into items x raters; a wrong word is refused."""
    coded = code_ratings([["a", "b", "a"], ["a", "a", "b"]], orientation="raters x items")
    assert coded.shape_note == "3 items x 2 raters"
    with pytest.raises(StatisticsInputError, match="orientation"):
        code_ratings([["a"]], orientation="sideways")


def test_long_rows_are_joined_by_item_and_rater_not_by_position():
    """Rows in any order give the same ratings for each item and rater."""
    matrix, items, raters = matrix_from_rows(["i", "j", "j"], ["x", "y", "x"], ["a", "b", "c"])
    assert items == ("i", "j")
    assert raters == ("x", "y")
    assert matrix.tolist() == [["a", None], ["c", "b"]]


def test_two_ratings_of_one_item_by_one_rater_are_refused_by_name():
    """Duplicates are neither averaged nor overwritten; the message lists the keys."""
    with pytest.raises(StatisticsInputError, match=r"duplicate rating .*\('i', 'x'\)"):
        matrix_from_rows(["i", "i"], ["x", "x"], [1, 1])
    with pytest.raises(StatisticsInputError, match="one entry per rating"):
        matrix_from_rows(["i"], ["x", "y"], [1, 1])


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, -1]], "whole number of ratings >= 0"),
        ([[0.5, 1]], "whole number"),
        ([[1, None]], "a cell is missing"),
        ([[1], [2]], "at least 2"),
        ([["a", "b"]], "numbers are needed"),
    ],
)
def test_bad_count_tables_are_refused(counts, message):
    """A table of counts has whole numbers, none missing, and a column per category."""
    with pytest.raises(StatisticsInputError, match=message):
        count_table(counts)


def test_numbers_must_be_finite():
    """Infinite ratings are refused, for lists and arrays alike."""
    for ratings in ([[1.0, float("inf")]], np.array([[1.0, -np.inf]])):
        with pytest.raises(StatisticsInputError, match="infinite"):
            numeric_ratings(ratings)


def test_own_order_forgets_how_rows_and_columns_were_stored():
    """Permuted rows and columns come out as the same bytes."""
    rng = np.random.default_rng(4)
    matrix = rng.normal(size=(7, 4))
    shuffled = matrix[rng.permutation(7)][:, rng.permutation(4)]
    assert (in_own_order(matrix) == in_own_order(shuffled)).all()
