"""Intraclass correlations of ratings, with intervals by F and by bootstrap, also under a square.

The six forms have two sets of names. Shrout & Fleiss (1979) number them by design, McGraw & Wong
(1996) name them by what they measure (A agreement, C consistency); pingouin prints the latter.

============  ============  ===========================================================
ICC(1,1)      ICC(1)        one-way: items have different, unknown raters; one rating
ICC(2,1)      ICC(A,1)      two-way random raters, absolute agreement; one rating
ICC(3,1)      ICC(C,1)      two-way, consistency; one rating
ICC(1,k)      ICC(k)        one-way; the mean of k ratings
ICC(2,k)      ICC(A,k)      two-way random raters, absolute agreement; the mean of k ratings
ICC(3,k)      ICC(C,k)      two-way, consistency; the mean of k ratings
============  ============  ===========================================================

All are estimated from mean squares and may be negative; none is cut off at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.estimate import Estimate, undefined
from stats.agreement import Agreement, unrated_note
from stats.anova import ROUNDING, Anova, AnovaTable, MeanSquares
from stats.errors import StatisticsInputError
from stats.icc_intervals import FTest, f_limits, f_test
from stats.item_sums import Bootstrap, Sums, estimate_of_sums
from stats.ratings import Floats, Orientation, counted, in_own_order, numeric_ratings

IccForm = Literal["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]
IntervalKind = Literal["bootstrap", "f"]
Incomplete = Literal["drop", "refuse"]

ICC_FORMS: tuple[IccForm, ...] = get_args(IccForm)
MCGRAW_WONG: dict[IccForm, str] = {
    "ICC(1,1)": "ICC(1)",
    "ICC(2,1)": "ICC(A,1)",
    "ICC(3,1)": "ICC(C,1)",
    "ICC(1,k)": "ICC(k)",
    "ICC(2,k)": "ICC(A,k)",
    "ICC(3,k)": "ICC(C,k)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Icc(Agreement):
    """An intraclass correlation with its analysis of variance.

    Attributes
    ----------
    form
        The name of Shrout & Fleiss.
    anova
        Mean squares and degrees of freedom; ``None`` without two items and two raters.
    f
        The F test of "items do not differ".
    f_limits
        The limits by F exactly as the formulas give them (for a negative ICC(2,k) the lower one
        can be the larger); ``None`` when they cannot be computed.
    """

    form: IccForm
    anova: AnovaTable | None = None
    f: FTest | None = None
    f_limits: tuple[float, float] | None = None


def icc(
    ratings: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame,
    form: IccForm = "ICC(2,k)",
    *,
    interval: IntervalKind = "bootstrap",
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    incomplete: Incomplete = "drop",
    orientation: Orientation = "items x raters",
) -> Icc:
    """Intraclass correlation of raters who all rated the same items.

    Parameters
    ----------
    ratings
        Items x raters, numbers; ``None`` or NaN where there is no rating.
    form
        One of the six, see the module. k is the number of raters.
    interval
        ``"bootstrap"``: percentiles over resampled items, each with all its raters. ``"f"``: the
        limits of Shrout & Fleiss, exact for normal ratings (ICC(2,·): Satterthwaite).
    seed, replicates, level
        The bootstrap; ``replicates=0`` for no interval.
    incomplete
        What to do with an item that lacks a rating: ``"drop"`` it and count it, or ``"refuse"``.
        An item without any rating is left out either way.
    orientation
        Which way the matrix lies.

    Returns
    -------
    Icc
        Undefined, with the reason, for fewer than two complete items or raters, when all ratings
        are equal, and when items do not differ (no between-item variance).

    Examples
    --------
    Shrout & Fleiss (1979), table 2: 6 targets, 4 judges; .17 .29 .71 .44 .62 .91.

    >>> judges = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8],
    ...           [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> for form in ICC_FORMS:
    ...     found = icc(judges, form, interval="f")
    ...     low, high = found.estimate.low, found.estimate.high
    ...     print(f"{form} {found.value:.2f} [{low:.2f}, {high:.2f}]")
    ICC(1,1) 0.17 [-0.13, 0.72]
    ICC(2,1) 0.29 [0.02, 0.76]
    ICC(3,1) 0.71 [0.34, 0.95]
    ICC(1,k) 0.44 [-0.88, 0.91]
    ICC(2,k) 0.62 [0.07, 0.93]
    ICC(3,k) 0.91 [0.68, 0.99]
    """
    matrix = numeric_ratings(ratings, orientation=orientation)
    _check_choices(form, interval, incomplete)
    bootstrap = _bootstrap(interval, seed, replicates, level)
    return _icc((matrix,), form, interval, bootstrap, incomplete)


def icc_in_lists(
    lists: Sequence[ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame],
    form: IccForm = "ICC(2,k)",
    *,
    interval: IntervalKind = "bootstrap",
    seed: int | None = None,
    replicates: int = 2_000,
    level: float = 0.95,
    incomplete: Incomplete = "drop",
) -> Icc:
    """Intraclass correlation pooled over the lists of a Latin square.

    Under a Latin square a group of raters rates one list of items, completely; other groups rate
    other lists. Sums of squares and degrees of freedom are added over lists (raters nested in
    lists), and the ICC comes from the pooled mean squares. Differences between lists count
    neither as item nor as rater variance. One list gives :func:`icc`.

    Parameters
    ----------
    lists
        One matrix per list, items x raters; equally many raters in each. Where lists differ in
        length, n in the formulas of ICC(2,·) is their mean length.
    form, interval, level, incomplete
        As for :func:`icc`.
    seed, replicates
        The bootstrap draws items within lists.

    Examples
    --------
    A second list of the same ratings, all 100 higher and by other raters, changes nothing:

    >>> judges = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8],
    ...                    [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    >>> pooled = icc_in_lists([judges, judges + 100], "ICC(3,1)", replicates=0)
    >>> round(pooled.value, 4), pooled.notes[0]
    (0.7148, '2 lists, 12 items x 4 raters each')
    """
    matrices = tuple(numeric_ratings(each) for each in lists)
    if not matrices or len({each.shape[1] for each in matrices}) > 1:
        raise StatisticsInputError("lists: give one matrix per list, equally many raters in each")
    _check_choices(form, interval, incomplete)
    bootstrap = _bootstrap(interval, seed, replicates, level)
    return _icc(matrices, form, interval, bootstrap, incomplete)


def _bootstrap(interval: str, seed: int | None, replicates: int, level: float) -> Bootstrap:
    return Bootstrap(None, 0, level) if interval == "f" else Bootstrap(seed, replicates, level)


def _check_choices(form: str, interval: str, incomplete: str) -> None:
    if form not in ICC_FORMS:
        raise StatisticsInputError(f"form: choose one of {', '.join(ICC_FORMS)}, not {form!r}")
    if interval not in get_args(IntervalKind):
        raise StatisticsInputError("interval: say 'bootstrap' or 'f'")
    if incomplete not in get_args(Incomplete):
        raise StatisticsInputError("incomplete: say 'drop' or 'refuse'")


def _icc(
    given: tuple[Floats, ...],
    form: IccForm,
    interval: IntervalKind,
    bootstrap: Bootstrap,
    incomplete: Incomplete,
) -> Icc:
    lists, notes = _complete(given, incomplete)
    blank = _blank(given, lists, form)
    reason = _too_small(lists)
    if reason is not None:
        return replace(blank, estimate=undefined(reason, blank.n_items), notes=notes)
    anova = Anova.of(lists)
    n, k = anova.n_items, anova.n_raters
    parts = anova.contributions(lists)
    sums = Sums(parts, lambda sums: icc_of(anova.mean_squares(sums), form, n, k))
    table = anova.table(sums.lists)
    estimate, remarks = estimate_of_sums(sums, _no_variance(table), bootstrap)
    limits = f_limits(table, form, bootstrap.level)
    if interval == "f" and estimate.value is not None:
        estimate = _with_f(estimate, limits)
    return replace(
        blank,
        estimate=estimate,
        notes=(*notes, *remarks, *_value_notes(estimate)),
        anova=table,
        f=f_test(table, form),
        f_limits=limits,
    )


def _blank(given: tuple[Floats, ...], used: tuple[Floats, ...], form: IccForm) -> Icc:
    """Return a result that counts what was used and dropped, without a value yet."""
    pooled = ", pooled over lists" if len(given) > 1 else ""
    n_items, n_ratings = sum(len(each) for each in used), sum(each.size for each in used)
    return Icc(
        estimate=undefined("not computed"),
        estimator=f"{form}, {MCGRAW_WONG[form]}{pooled}",
        raw_agreement=None,
        n_items=n_items,
        n_ratings=n_ratings,
        n_items_dropped=sum(len(each) for each in given) - n_items,
        n_ratings_dropped=int(sum(np.isfinite(each).sum() for each in given)) - n_ratings,
        form=form,
    )


def icc_of(squares: MeanSquares, form: IccForm, n_items: float, n_raters: int) -> Floats:
    """Return the ICC of one form for every replicate, NaN where items do not differ.

    Shrout & Fleiss (1979), p. 423, and McGraw & Wong (1996), table 4.
    """
    between, k = squares.between_items, n_raters
    error = squares.within_items if form.startswith("ICC(1") else squares.residual
    raters = (squares.between_raters - error) / n_items if form.startswith("ICC(2") else 0.0
    single = form.endswith("1)")
    size = between + (k - 1) * error + k * raters if single else between + raters
    # The two-way forms have a pole where a small rater variance makes their denominator vanish.
    largest = between + k * error + k * np.abs(raters)
    defined = (between > 0) & (np.abs(size) > ROUNDING * largest)
    return np.where(defined, (between - error) / size, np.nan)


def _complete(
    given: tuple[Floats, ...], incomplete: Incomplete
) -> tuple[tuple[Floats, ...], tuple[str, ...]]:
    """Return the complete items of each list, and in words what was left out."""
    rated = [each[~np.isnan(each).all(axis=1)] for each in given]
    whole = [each[~np.isnan(each).any(axis=1)] for each in rated]
    n_given, n_rated, n_whole = (sum(len(m) for m in each) for each in (given, rated, whole))
    if n_whole < n_rated and incomplete == "refuse":
        raise StatisticsInputError(
            f"ratings: {counted(n_rated - n_whole, 'item')} of {n_given:,} lack a rating; "
            "complete them, or leave them out with incomplete='drop'"
        )
    notes = [_shape_note(given)]
    if n_rated < n_given:
        notes.append(unrated_note(n_given - n_rated))
    if n_whole < n_rated:
        notes.append(f"listwise: {n_whole:,} of {counted(n_given, 'item')} are complete and kept")
    if len(given) > 1 and min(len(each) for each in whole) < 2:
        whole = [each for each in whole if len(each) >= 2]
        short = counted(len(given) - len(whole), "list")
        notes.append(f"{short} with fewer than two complete items: left out")
    centred = [in_own_order(_about_middle(each)) for each in whole]
    return tuple(sorted(centred, key=_about_means)), tuple(notes)


def _about_middle(matrix: Floats) -> Floats:
    """Return ratings about their middle one, so that large offsets lose no digits."""
    return matrix - np.sort(matrix, axis=None)[matrix.size // 2] if matrix.size else matrix


def _about_means(matrix: Floats) -> list[float]:
    """Return what lists are ordered by: their ratings about the raters' means, but for rounding."""
    if not matrix.size:
        return []
    about = matrix - matrix.mean(axis=0)
    return [round(each, 9) for each in (about / max(1e-300, np.abs(about).max())).ravel().tolist()]


def _shape_note(given: tuple[Floats, ...]) -> str:
    items = counted(sum(len(each) for each in given), "item")
    raters = counted(given[0].shape[1], "rater")
    if len(given) == 1:
        return f"{items} x {raters}"
    return f"{counted(len(given), 'list')}, {items} x {raters} each"


def _too_small(lists: tuple[Floats, ...]) -> str | None:
    if not lists or max(len(each) for each in lists) < 2:
        return "fewer than two complete items: no variance between items to estimate"
    return "one rater: an ICC needs two" if lists[0].shape[1] < 2 else None


def _no_variance(table: AnovaTable) -> str | None:
    if table.between_items > 0:
        return None
    if table.within_items == 0:
        return (
            "all ratings are equal: there is no variance to partition; raters agree exactly, but "
            "reliability is undefined"
        )
    if table.residual == 0:
        return "raters differ only by a constant; items do not differ"
    return "items do not differ: there is no variance between items"


def _with_f(estimate: Estimate, limits: tuple[float, float] | None) -> Estimate:
    """Return the estimate with its limits by F, or with the reason why it has none."""
    if limits is None:
        reason = "F is infinite, or its limits lie at a pole of the formula"
        return replace(estimate, why_no_interval=reason)
    low, high = limits
    if not low <= estimate.value <= high:  # type: ignore[operator]
        reason = f"the limits by F, {low:.2f} and {high:.2f}, do not bracket the value"
        return replace(estimate, why_no_interval=reason)
    return replace(estimate, low=low, high=high, method="F", why_no_interval=None)


def _value_notes(estimate: Estimate) -> tuple[str, ...]:
    value = estimate.value
    if value is not None and value < 0:
        return ("negative ICC: treat as no reliability (from mean squares, not cut off at 0)",)
    if value is not None and value > 1:
        return ("above 1: its denominator is negative; treat as no reliability",)
    return ()
