"""F tests and F-based limits of intraclass correlations (Shrout & Fleiss 1979, pp. 424-426)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats as scipy_stats

from stats.anova import ROUNDING, AnovaTable


@dataclass(frozen=True, slots=True)
class FTest:
    """The F test of "items do not differ"."""

    value: float
    df_items: int
    df_error: int
    p: float


def f_test(table: AnovaTable, form: str) -> FTest | None:
    """Return the F test that belongs to a form; ``None`` when its error mean square is 0."""
    error, df_error = _error(table, form)
    if error == 0:
        return None
    value = table.between_items / error
    p = float(scipy_stats.f.sf(value, table.df_items, df_error))
    return FTest(value, table.df_items, df_error, p)


def f_limits(table: AnovaTable, form: str, level: float) -> tuple[float, float] | None:
    """Return the limits of an ICC; ``None`` when F is infinite or the formula has a pole.

    Parameters
    ----------
    table
        Mean squares of the data.
    form
        ``ICC(1,1)`` to ``ICC(3,k)``.
    level
        The confidence level.
    """
    test = f_test(table, form)
    if test is None or test.value == 0:
        return None
    single = _agreement(table, level) if form.startswith("ICC(2") else _ratio(table, test, level)
    if single is None or form.endswith("1)"):
        return single
    low, high = (_stepped_up(limit, table.n_raters) for limit in single)
    return None if low is None or high is None else (low, high)


def _error(table: AnovaTable, form: str) -> tuple[float, int]:
    if form.startswith("ICC(1"):
        return table.within_items, table.df_within
    return table.residual, table.df_residual


def _ratio(table: AnovaTable, test: FTest, level: float) -> tuple[float, float]:
    """Return limits of ICC(1,1) and ICC(3,1), from those of F."""
    tail = (1 + level) / 2
    low = test.value / scipy_stats.f.ppf(tail, test.df_items, test.df_error)
    high = test.value * scipy_stats.f.ppf(tail, test.df_error, test.df_items)
    k = table.n_raters
    return float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))


def _agreement(table: AnovaTable, level: float) -> tuple[float, float] | None:
    """Return limits of ICC(2,1) with Satterthwaite's degrees of freedom."""
    n, k = table.n_items, table.n_raters
    msb, msj, mse = table.between_items, table.between_raters, table.residual
    with np.errstate(all="ignore"):  # near its pole the formula has no finite limits
        value = np.divide(msb - mse, msb + (k - 1) * mse + k * (msj - mse) / n)
        rater, rest = k * value * msj / mse, n * (1 + (k - 1) * value) - k * value
        v = (rater + rest) ** 2 / (rater**2 / table.df_raters + rest**2 / table.df_residual)
        tail = (1 + level) / 2
        below = scipy_stats.f.ppf(tail, table.df_items, v)
        above = scipy_stats.f.ppf(tail, v, table.df_items)
        spread = k * msj + (k * n - k - n) * mse
        low = n * (msb - below * mse) / (below * spread + n * msb)
        high = n * (above * msb - mse) / (spread + n * above * msb)
    return (float(low), float(high)) if np.isfinite([low, high]).all() else None


def _stepped_up(single: float, k: int) -> float | None:
    """Return the reliability of a mean of k ratings (Spearman-Brown); ``None`` at its pole."""
    size = 1 + (k - 1) * single
    return k * single / size if abs(size) > ROUNDING else None
