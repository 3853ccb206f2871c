"""Kendall's W: whether several raters put the items into the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats as scipy_stats

from core.estimate import Estimate, undefined
from stats.agreement import Agreement
from stats.ratings import Floats, Orientation, counted, numeric_ratings


def kendall_w(
    scores: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    *,
    orientation: Orientation = "items x raters",
) -> Agreement:
    r"""Kendall's coefficient of concordance, corrected for ties.

    :math:`W = (12 \sum_i (R_i - \bar R)^2) / (m^2 (n^3 - n) - m \sum T)` with :math:`R_i` the
    sum of an item's ranks over m raters and :math:`T = \sum (t^3 - t)` over a rater's ties
    (Kendall & Gibbons 1990, ch. 6). The p-value is that of Friedman's chi-square
    :math:`m(n-1)W` on n - 1 degrees of freedom.

    Parameters
    ----------
    scores
        Items x raters: ranks or scores, mid-ranked within each rater. An item that a rater did
        not rank is left out for all raters, and counted.
    orientation
        Which way the matrix lies.

    Returns
    -------
    Agreement
        Undefined with fewer than two items or raters, or when every rater ties all items. No
        interval: resampled items would make new ties.

    Examples
    --------
    Three raters who agree on the order of four items:

    >>> kendall_w([[1, 10, 0.1], [2, 20, 0.2], [3, 30, 0.3], [4, 40, 0.4]]).value
    1.0
    """
    given = numeric_ratings(scores, orientation=orientation, argument="scores")
    used = given[~np.isnan(given).any(axis=1)]
    n, m = used.shape
    reason = _why_undefined(n, m)
    w = float("nan") if reason else _w(np.asarray(scipy_stats.rankdata(used, axis=0)))
    if reason is None and np.isnan(w):
        reason = "every rater gave all items the same rank"
    dropped = len(given) - n
    notes = [f"{counted(len(given), 'item')} x {counted(m, 'rater')}"]
    if dropped:
        notes.append(f"{counted(dropped, 'item')} not ranked by every rater: left out")
    return Agreement(
        estimate=undefined(reason, n) if reason else _estimate(w, n, m),
        estimator="Kendall's W, corrected for ties",
        raw_agreement=None,
        n_items=n,
        n_ratings=used.size,
        n_items_dropped=dropped,
        n_ratings_dropped=int(np.isfinite(given).sum()) - used.size,
        notes=tuple(notes),
    )


def _estimate(w: float, n: int, m: int) -> Estimate:
    p = float(scipy_stats.chi2.sf(m * (n - 1) * w, n - 1))
    reason = "resampled items would make new ties; p is that of Friedman's chi-square"
    return Estimate(w, n, p=p, why_no_interval=reason)


def _why_undefined(n_items: int, n_raters: int) -> str | None:
    if n_raters < 2:
        return "one rater: concordance needs two"
    return None if n_items >= 2 else "fewer than two items were ranked by every rater"


def _w(ranks: Floats) -> float:
    """Return W of mid-ranks (items x raters), NaN when all is tied."""
    m = ranks.shape[1]
    totals = ranks.sum(axis=1)
    spread = 12 * ((totals - totals.mean()) ** 2).sum()
    # A rater's squared ranks fall short of their untied sum by (t^3 - t) / 12 per tie.
    largest = 12 * m * ((ranks - ranks.mean(axis=0)) ** 2).sum()
    return float(spread / largest) if largest > 0 else float("nan")
