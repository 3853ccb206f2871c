"""Ratings as every agreement statistic takes them: one row per item, one column per rater.

Labels become integer codes in the order of the scale, missing ratings become ``-1`` (or NaN for
numbers), and whatever would silently change a coefficient is refused: labels that are not on the
scale, text mixed with numbers, two ratings of one item by one rater, rows of different length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from stats import checks
from stats.errors import StatisticsInputError

Orientation = Literal["items x raters", "raters x items"]
Column = Sequence[Any] | NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MISSING = -1
_UNKNOWN = -2
_MOST_COUNTED = 100_000_000


@dataclass(frozen=True, slots=True)
class CodedRatings:
    """Categorical ratings as codes.

    Attributes
    ----------
    codes
        Items x raters; the position of the label on the scale, ``-1`` where there is no rating.
    categories
        The scale in its order.
    notes
        What was read as missing, in words.
    """

    codes: Ints
    categories: tuple[Hashable, ...]
    notes: tuple[str, ...] = ()

    @property
    def shape_note(self) -> str:
        """Say what was taken for items and what for raters, so that a swap is visible."""
        n_items, n_raters = self.codes.shape
        return f"{counted(n_items, 'item')} x {counted(n_raters, 'rater')}"

    def counts(self) -> Ints:
        """Return how many raters put each item into each category (items x categories)."""
        n_items, size = self.codes.shape[0], len(self.categories)
        rows, columns = np.nonzero(self.codes != MISSING)
        cells = rows * size + self.codes[rows, columns]
        return np.bincount(cells, minlength=n_items * size).reshape(n_items, size)


def counted(n: int, noun: str) -> str:
    """Return ``1 item``, ``2 items``, ``1,000 items``."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def code_ratings(
    ratings: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    categories: Sequence[Hashable] | None = None,
    *,
    missing: Iterable[Hashable] = ("",),
    orientation: Orientation = "items x raters",
    columns: Sequence[str] = (),
) -> CodedRatings:
    """Turn a matrix of labels into codes on a stated scale.

    Parameters
    ----------
    ratings
        Items x raters. ``None`` and NaN are missing.
    categories
        The whole scale in its order, used or not. Without it the observed labels, sorted, are
        the scale: enough for coefficients that neither weigh distances nor count categories.
    missing
        Further labels that mean "no rating"; by default the empty text. ``"NA"`` and ``"nan"``
        are labels like any other unless they are named here.
    orientation
        Which way the matrix lies.
    columns
        The arguments that the columns came from, for sentences on bad input; left out: all of it
        is called ``ratings``.

    Raises
    ------
    StatisticsInputError
        A label that is not on the scale, text mixed with numbers, or no matrix at all.

    Examples
    --------
    >>> coded = code_ratings([["low", "high"], ["mid", None]], ["low", "mid", "high"])
    >>> coded.codes.tolist(), coded.counts().tolist()
    ([[0, 2], [1, -1]], [[1, 0, 1], [0, 1, 0]])
    >>> coded.notes
    ('1 rating missing (read as missing: None)',)
    """
    matrix = _matrix(ratings, orientation)
    codes_of_missing: dict[Hashable, int] = dict.fromkeys(missing, MISSING)
    scale = None if categories is None else _checked_scale(categories)
    flat = matrix.ravel().tolist()
    names = _names(columns)
    if scale is None:
        scale = _observed_scale(flat, codes_of_missing, names)
    index: dict[Hashable, int] = {label: code for code, label in enumerate(scale)}
    known = index | codes_of_missing
    try:
        codes = np.fromiter((known.get(label, _UNKNOWN) for label in flat), np.int64, len(flat))
    except TypeError:
        raise StatisticsInputError(f"{names(None)}: a label must be a text or a number") from None
    read = _settle_unknown(flat, codes, scale, names)
    read.update(repr(label) for label in flat if label in codes_of_missing)
    return CodedRatings(codes.reshape(matrix.shape), scale, _missing_note(read))


def numeric_ratings(
    ratings: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    *,
    orientation: Orientation = "items x raters",
    argument: str = "ratings",
) -> Floats:
    """Return a matrix of numbers (items x raters) with NaN where there is no rating.

    Parameters
    ----------
    ratings, orientation
        The matrix and which way it lies.
    argument
        What sentences on bad input call it.

    Examples
    --------
    >>> numeric_ratings([[1, None], [2.5, 3]]).tolist()
    [[1.0, nan], [2.5, 3.0]]
    """
    matrix = _matrix(ratings, orientation, argument)
    if matrix.dtype.kind in "biuf":
        numbers = matrix.astype(np.float64)
    else:
        flat = [float("nan") if is_missing(value) else value for value in matrix.ravel().tolist()]
        if not all(isinstance(value, int | float | np.integer | np.floating) for value in flat):
            raise StatisticsInputError(
                f"{argument}: numbers are needed here; cast the labels to numbers"
            )
        rows = [checks.float_of(argument, value) for value in flat]
        numbers = np.array(rows, dtype=np.float64).reshape(matrix.shape)
    if np.isinf(numbers).any():
        raise StatisticsInputError(f"{argument}: infinite values cannot be averaged; remove them")
    checks.size(argument, numbers)
    return numbers


def column_of(argument: str, values: Column) -> list[Any]:
    """Return the entries of a list, one per unit.

    Examples
    --------
    >>> column_of("first", np.array([1, 2]))
    [1, 2]
    """
    listed = isinstance(values, Sequence | np.ndarray | pd.Series) and not isinstance(values, str)
    flat = listed and getattr(values, "ndim", 1) == 1
    entries = list(values.tolist() if isinstance(values, np.ndarray) else values) if flat else []
    if not flat or any(isinstance(each, list | tuple | np.ndarray) for each in entries):
        raise StatisticsInputError(f"{argument}: give a list with one entry per unit")
    return entries


def count_table(counts: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame) -> Ints:
    """Return a checked table of counts, items x categories.

    Examples
    --------
    >>> count_table([[7, 1], [3, 5]]).tolist()
    [[7, 1], [3, 5]]
    """
    numbers = numeric_ratings(counts, argument="counts")
    if np.isnan(numbers).any():
        raise StatisticsInputError("counts: a cell is missing; write 0 where nobody chose it")
    if (numbers < 0).any() or (numbers != np.round(numbers)).any():
        raise StatisticsInputError("counts: every cell must be a whole number of ratings >= 0")
    if numbers.sum() > _MOST_COUNTED:
        raise StatisticsInputError(
            f"counts: {numbers.sum():.4g} ratings in all, at most {_MOST_COUNTED:,} can be counted"
        )
    if numbers.shape[1] < 2:
        raise StatisticsInputError("counts: give one column per category of the scale, at least 2")
    return numbers.astype(np.int64)


def matrix_from_rows(
    items: Sequence[Hashable], raters: Sequence[Hashable], labels: Sequence[Any]
) -> tuple[NDArray[np.object_], tuple[Hashable, ...], tuple[Hashable, ...]]:
    """Join ratings in long form by item and by rater.

    Parameters
    ----------
    items, raters, labels
        One entry per rating.

    Returns
    -------
    matrix, items, raters
        Items x raters with ``None`` where there is no rating, and what its rows and columns are,
        in order of first appearance.

    Raises
    ------
    StatisticsInputError
        A rater rated an item twice: which one counts is not ours to guess.

    Examples
    --------
    >>> matrix, rows, columns = matrix_from_rows(["i1", "i2", "i1"], ["x", "x", "y"], [1, 2, 3])
    >>> matrix.tolist(), rows, columns
    ([[1, 3], [2, None]], ('i1', 'i2'), ('x', 'y'))
    """
    if not len(items) == len(raters) == len(labels):
        raise StatisticsInputError("items, raters and labels must have one entry per rating each")
    repeated = [key for key, n in Counter(zip(items, raters, strict=True)).items() if n > 1]
    if repeated:
        keys = ", ".join(f"({item!r}, {rater!r})" for item, rater in repeated[:5])
        raise StatisticsInputError(
            f"duplicate rating for (item, rater): {keys}; keep one rating for each"
        )
    rows = {item: row for row, item in enumerate(dict.fromkeys(items))}
    columns = {rater: column for column, rater in enumerate(dict.fromkeys(raters))}
    matrix = np.full((len(rows), len(columns)), None, dtype=object)
    for item, rater, label in zip(items, raters, labels, strict=True):
        matrix[rows[item], columns[rater]] = label
    return matrix, tuple(rows), tuple(columns)


def in_own_order(matrix: Floats) -> Floats:
    """Return the matrix with raters and items ordered by their numbers.

    For coefficients that depend on neither order, so that not even rounding does.

    Examples
    --------
    >>> in_own_order(np.array([[3.0, 1.0], [2.0, 1.5]])).tolist()
    [[1.0, 3.0], [1.5, 2.0]]
    """
    by_rater = matrix[:, column_order(matrix)]
    return by_rater[np.lexsort(by_rater.T[::-1])]


def column_order(matrix: Floats) -> list[int]:
    """Return the order of columns by their sorted numbers, whatever the order of rows.

    Examples
    --------
    >>> column_order(np.array([[3.0, 1.0], [2.0, 5.0]]))
    [1, 0]
    """
    contents = np.sort(matrix, axis=0).T.tolist()
    return sorted(range(matrix.shape[1]), key=contents.__getitem__)


def is_missing(value: object) -> bool:
    """Tell whether a value is ``None``, NaN, ``pandas.NA`` or ``NaT``."""
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _matrix(ratings: Any, orientation: Orientation, argument: str = "ratings") -> NDArray[Any]:
    """Return the ratings as a two-dimensional array, items first."""
    if orientation not in get_args(Orientation):
        raise StatisticsInputError("orientation: say 'items x raters' or 'raters x items'")
    if isinstance(ratings, pd.DataFrame):
        ratings = ratings.to_numpy()
    # As objects: numpy would turn ["1", 1] into two equal texts and hide the mixture.
    try:
        array = ratings if isinstance(ratings, np.ndarray) else np.array(ratings, dtype=object)
    except ValueError:
        array = np.zeros(0)
    if array.ndim == 1 and len({len(row) for row in array if isinstance(row, list | tuple)}) > 1:
        raise StatisticsInputError(
            f"{argument}: rows differ in length; write None where there is no rating"
        )
    if array.ndim != 2 or 0 in array.shape:
        raise StatisticsInputError(
            f"{argument}: give a matrix with one row per item and one entry per rater, "
            "None where there is no rating"
        )
    return array if orientation == "items x raters" else array.T


def _checked_scale(categories: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return the scale; refuse repeated or missing categories and a mixture of types."""
    scale = tuple(categories)
    if any(is_missing(category) for category in scale):
        raise StatisticsInputError("categories: a missing value is not a category; leave it out")
    if len(set(scale)) != len(scale):
        raise StatisticsInputError("categories: each category must be named once")
    _one_kind(scale, "categories")
    return scale


def _names(columns: Sequence[str]) -> Callable[[int | None], str]:
    """Return what bad input is called, by its position among the entries; all of it for none."""

    def name(position: int | None) -> str:
        if not columns:
            return "ratings"
        return " and ".join(columns) if position is None else columns[position % len(columns)]

    return name


def _observed_scale(
    flat: Sequence[Any], missing: dict[Hashable, int], names: Callable[[int | None], str]
) -> tuple[Hashable, ...]:
    try:
        observed = {v for v in flat if not is_missing(v) and v not in missing}
        _one_kind(observed, names(None))
        return tuple(sorted(observed))
    except TypeError:
        raise StatisticsInputError(f"{names(None)}: a label must be a text or a number") from None


def _one_kind(labels: Iterable[Any], argument: str) -> None:
    kinds = {_kind(label) for label in labels}
    if len(kinds) > 1:
        raise StatisticsInputError(
            f"{argument}: labels of mixed type ({' and '.join(sorted(kinds))}); "
            "cast them all to text or all to numbers"
        )


def _kind(label: object) -> str:
    if isinstance(label, str):
        return "text"
    return "number" if isinstance(label, int | float | np.number) else type(label).__name__


def _settle_unknown(
    flat: Sequence[Any],
    codes: Ints,
    scale: Sequence[Hashable],
    names: Callable[[int | None], str],
) -> Counter[str]:
    """Mark missing values in `codes`, refuse labels off the scale, count what was missing."""
    read: Counter[str] = Counter()
    for position in np.flatnonzero(codes == _UNKNOWN).tolist():
        label = flat[position]
        if not is_missing(label):
            _one_kind([*scale, label], names(position))
            raise StatisticsInputError(
                f"{names(position)}: {label!r} is not among the categories; "
                "add it there, or name it in missing= if it means no rating"
            )
        codes[position] = MISSING
        read["None" if label is None else "NaN"] += 1
    return read


def _missing_note(read: Counter[str]) -> tuple[str, ...]:
    if not read:
        return ()
    tokens = ", ".join(sorted(read))
    return (f"{counted(read.total(), 'rating')} missing (read as missing: {tokens})",)
