"""Two systems on the same units: paired t test and McNemar's test.

Both are paired by construction. Two systems that never differ get an answer that says so, not
NaN, and not the tiny p that rounding noise would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats as scipy_stats

from core.estimate import Estimate
from stats import checks
from stats.errors import StatisticsInputError
from stats.intervals import check_level
from stats.pairs import ROUNDING, complete_pairs
from stats.ratings import Column, Floats, count_table

_MOST_UNITS = 10**9


@dataclass(frozen=True, slots=True)
class PairedT:
    """A paired t test.

    Attributes
    ----------
    difference
        Mean of first minus second with its t interval and p-value.
    t, df
        The statistic; ``None`` when all differences are equal.
    sd
        Standard deviation of the differences.
    dz
        Their mean in units of `sd` (Cohen's dz); ``None`` when `sd` is 0.
    why_undefined
        Why there is no t.
    notes
        Pairs that were dropped.
    """

    difference: Estimate
    t: float | None
    df: int
    sd: float
    dz: float | None
    why_undefined: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of two systems with yes-or-no outcomes on the same units.

    Attributes
    ----------
    n, b, c
        Units in all; only the first system right; only the second right.
    p
        The exact two-sided p-value.
    p_mid
        The mid-p value: exact, less half of the probability of what was seen, on both sides.
    chi2, p_chi2, chi2_corrected, p_chi2_corrected
        The large-sample forms, without and with continuity correction; ``None`` without
        discordant units.
    notes
        Says when the two systems never disagree.
    """

    n: int | None
    b: int
    c: int
    p: float
    p_mid: float
    chi2: float | None
    p_chi2: float | None
    chi2_corrected: float | None
    p_chi2_corrected: float | None
    notes: tuple[str, ...] = ()


def paired_t(first: Column, second: Column, *, level: float = 0.95) -> PairedT:
    """Paired t test of first against second, two-sided.

    Parameters
    ----------
    first, second
        One number per unit each; a unit that lacks one is dropped and counted.
    level
        Of the interval of the mean difference.

    Returns
    -------
    PairedT
        With no t, and the reason, when the differences are equal (up to rounding).

    Raises
    ------
    StatisticsInputError
        Fewer than two complete pairs.

    Examples
    --------
    Student's sleep data (1908); R prints t = -4.0621, df = 9, p-value = 0.002833:

    >>> drug_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    >>> drug_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    >>> test = paired_t(drug_1, drug_2)
    >>> print(f"t = {test.t:.4f}, df = {test.df}, p = {test.difference.p:.6f}")
    t = -4.0621, df = 9, p = 0.002833
    """
    x, y, notes = complete_pairs(first, second)
    n = len(x)
    if n < 2:
        raise StatisticsInputError(
            f"first and second: a paired t test needs 2 pairs or more, has {n}"
        )
    check_level(level)
    differences = x - y
    mean, sd = float(differences.mean()), float(differences.std(ddof=1))
    reason = _no_spread(x, y)
    if reason is not None:
        bare = Estimate(mean, n, level=level, why_no_interval=reason)
        return PairedT(bare, None, n - 1, 0.0, None, reason, notes)
    t = mean / (sd / np.sqrt(n))
    half = scipy_stats.t.ppf((1 + level) / 2, n - 1) * sd / np.sqrt(n)
    p = float(2 * scipy_stats.t.sf(abs(t), n - 1))
    low, high = mean - float(half), mean + float(half)
    estimate = Estimate(mean, n, low, high, p, scheme="paired t", method="exact", level=level)
    return PairedT(estimate, float(t), n - 1, sd, mean / sd, notes=notes)


def _no_spread(x: Floats, y: Floats) -> str | None:
    """Say why there is no t when the differences are equal but for rounding."""
    if (x == y).all():
        return "the difference is 0 everywhere"
    differences = x - y
    spread = np.linalg.norm(differences - differences.mean())
    if spread <= ROUNDING * max(np.abs(x).max(), np.abs(y).max()):
        return "the difference is the same everywhere: zero variance up to rounding"
    return None


def mcnemar(b: int, c: int, *, n: int | None = None) -> McNemar:
    """McNemar's test from the discordant counts.

    The exact p is that of a fair coin: ``2 P(X <= min(b, c))``, at most 1, with X binomial(b + c).

    Parameters
    ----------
    b, c
        Units on which only the first, only the second system was right.
    n
        How many units there were in all, if known.

    Returns
    -------
    McNemar
        Without discordant units p is 1, by convention, and a note says so.

    Examples
    --------
    >>> mcnemar(0, 6).p
    0.03125
    >>> mcnemar(0, 0).p, mcnemar(0, 0).notes
    (1.0, ('the two systems never disagree: p = 1 by convention',))
    """
    b, c = (checks.whole(name, count, most=_MOST_UNITS) for name, count in (("b", b), ("c", c)))
    if b + c == 0:
        note = "the two systems never disagree: p = 1 by convention"
        return McNemar(n, 0, 0, 1.0, 1.0, None, None, None, None, (note,))
    coin = scipy_stats.binom(b + c, 0.5)
    doubled = 2 * float(coin.cdf(min(b, c)))
    plain = (b - c) ** 2 / (b + c)
    corrected = max(abs(b - c) - 1, 0) ** 2 / (b + c)
    return McNemar(
        n=n,
        b=b,
        c=c,
        p=min(1.0, doubled),
        p_mid=min(1.0, doubled - float(coin.pmf(min(b, c)))),
        chi2=plain,
        p_chi2=float(scipy_stats.chi2.sf(plain, 1)),
        chi2_corrected=corrected,
        p_chi2_corrected=float(scipy_stats.chi2.sf(corrected, 1)),
    )


def mcnemar_of_table(table: ArrayLike | Sequence[Sequence[int]]) -> McNemar:
    """McNemar's test of a 2 x 2 table: rows are the first system, columns the second.

    Parameters
    ----------
    table
        Counts; the first row and column mean right, the second ones wrong (or the reverse).

    Examples
    --------
    Wikipedia, "McNemar's test": chi-square 21.35.

    >>> test = mcnemar_of_table([[101, 121], [59, 33]])
    >>> test.b, test.c, round(test.chi2, 4)
    (121, 59, 21.3556)
    """
    cells = count_table(table)
    if cells.shape != (2, 2):
        raise StatisticsInputError("table: give two rows and two columns of counts")
    return mcnemar(int(cells[0, 1]), int(cells[1, 0]), n=int(cells.sum()))


def mcnemar_of_outcomes(first: Sequence[bool | None], second: Sequence[bool | None]) -> McNemar:
    """McNemar's test of outcomes unit by unit; a unit that lacks one is dropped and counted.

    Parameters
    ----------
    first, second
        Whether each system was right, in the same order of units.

    Examples
    --------
    >>> test = mcnemar_of_outcomes([True, True, False, None], [True, False, False, True])
    >>> test.n, test.b, test.c, test.p, test.notes
    (3, 1, 0, 1.0, ('1 of 4 pairs dropped: a number is missing',))
    """
    x, y, notes = complete_pairs(first, second)
    if not np.isin(np.concatenate([x, y]), (0, 1)).all():
        raise StatisticsInputError(
            "first and second: give True or False per unit, None where missing"
        )
    test = mcnemar(int(((x == 1) & (y == 0)).sum()), int(((x == 0) & (y == 1)).sum()), n=len(x))
    return replace(test, notes=(*notes, *test.notes))
