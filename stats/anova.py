"""Mean squares of ratings: items, raters, and what neither explains; pooled over lists.

The same sums give the mean squares of the data and of every bootstrap resample at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stats.ratings import Floats

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class AnovaTable:
    """Mean squares and degrees of freedom of complete ratings.

    Attributes
    ----------
    between_items, within_items, between_raters, residual
        MSB (or BMS), MSW (WMS), MSJ (JMS) and MSE (EMS) of Shrout & Fleiss (1979).
    df_items, df_within, df_raters, df_residual
        Their degrees of freedom.
    n_items, n_raters
        Items per list (a mean over lists) and raters per item.
    """

    between_items: float
    within_items: float
    between_raters: float
    residual: float
    df_items: int
    df_within: int
    df_raters: int
    df_residual: int
    n_items: float
    n_raters: int


@dataclass(frozen=True, slots=True, eq=False)
class MeanSquares:
    """The four mean squares of every replicate."""

    between_items: Floats
    within_items: Floats
    between_raters: Floats
    residual: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Anova:
    """Two-way analysis of variance of complete lists: items x raters, raters nested in lists.

    Sums of squares and degrees of freedom are added over lists; with one list this is the plain
    two-way layout. Ratings are taken about their rater's mean, which changes neither the sum of
    squares of items nor the residual, in the data or in any resample of items, and keeps digits.

    Attributes
    ----------
    rater_means
        One array of rater means per list.
    sizes
        Items per list.

    Examples
    --------
    Two raters, three items; the second always gives 2 more, so nothing is left unexplained:

    >>> ratings = (np.array([[2.0, 4.0], [4.0, 6.0], [6.0, 8.0]]),)
    >>> layout = Anova.of(ratings)
    >>> table = layout.table(layout.contributions(ratings))
    >>> table.between_items, table.within_items, table.between_raters, table.residual
    (8.0, 2.0, 6.0, 0.0)
    """

    rater_means: tuple[Floats, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, lists: tuple[Floats, ...]) -> Anova:
        """Return the layout of complete matrices (items x raters)."""
        return cls(tuple(each.mean(axis=0) for each in lists), tuple(len(each) for each in lists))

    @property
    def n_raters(self) -> int:
        """Raters per item."""
        return len(self.rater_means[0])

    @property
    def n_items(self) -> float:
        """Items per list, a mean over lists."""
        return sum(self.sizes) / len(self.sizes)

    @property
    def df(self) -> tuple[int, int, int, int]:
        """Degrees of freedom of items, within items, of raters, and of the residual."""
        lists, total, k = len(self.sizes), sum(self.sizes), self.n_raters
        return total - lists, total * (k - 1), lists * (k - 1), (total - lists) * (k - 1)

    def contributions(self, lists: tuple[Floats, ...]) -> tuple[Floats, ...]:
        """Return per item, of its ratings about the raters' means: total squared, squares, each."""
        about = (each - means for each, means in zip(lists, self.rater_means, strict=True))
        return tuple(
            np.column_stack([each.sum(axis=1) ** 2, (each**2).sum(axis=1), each]) for each in about
        )

    def mean_squares(self, sums: Floats) -> MeanSquares:
        """Return the mean squares for sums of contributions (replicates, lists, contributions)."""
        n, k = np.array(self.sizes, dtype=np.float64), self.n_raters
        squared_totals, squares, columns = sums[..., 0], sums[..., 1], sums[..., 2:]
        correction = columns.sum(axis=-1) ** 2 / (n * k)
        items = squared_totals / k - correction
        shifts = (columns**2).sum(axis=-1) / n - correction
        residual = squares - squared_totals / k - shifts
        means = np.stack(self.rater_means) + columns / n[:, None]
        raters = n * ((means - means.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
        # What is left of a difference of sums by rounding alone is 0.
        items, residual = (np.where(ss > ROUNDING * squares, ss, 0.0) for ss in (items, residual))
        by_item, rest, by_rater = (ss.sum(axis=-1) for ss in (items, residual, raters))
        df_items, df_within, df_raters, df_residual = self.df
        return MeanSquares(
            between_items=by_item / df_items,
            within_items=(rest + by_rater) / df_within,
            between_raters=by_rater / df_raters,
            residual=rest / df_residual,
        )

    def table(self, contributions: tuple[Floats, ...]) -> AnovaTable:
        """Return the analysis of variance of the data themselves."""
        ms = self.mean_squares(np.stack([each.sum(axis=0) for each in contributions])[None])
        df_items, df_within, df_raters, df_residual = self.df
        return AnovaTable(
            between_items=float(ms.between_items[0]),
            within_items=float(ms.within_items[0]),
            between_raters=float(ms.between_raters[0]),
            residual=float(ms.residual[0]),
            df_items=df_items,
            df_within=df_within,
            df_raters=df_raters,
            df_residual=df_residual,
            n_items=self.n_items,
            n_raters=self.n_raters,
        )
