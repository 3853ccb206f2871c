"""Corrections for several tests, within families that are named beforehand.

A family is part of the result, so that a corrected p is never shown without saying among which
tests it was corrected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from statsmodels.stats.multitest import multipletests

from stats import checks
from stats.errors import StatisticsInputError
from stats.ratings import Floats, column_of

Correction = Literal["holm", "bonferroni", "bh"]

_STATSMODELS = {"bonferroni": "bonferroni", "bh": "fdr_bh"}


@dataclass(frozen=True, slots=True)
class CorrectedTest:
    """One test of a family: its raw and corrected p, and whether it is rejected."""

    name: str
    p: float
    corrected: float
    rejected: bool


@dataclass(frozen=True, slots=True)
class Family:
    """A family of tests corrected together.

    Attributes
    ----------
    name
        What the tests have in common, for example ``"F2: twelve selectivity gains"``.
    tests
        In the order in which they were given.
    correction, alpha
        How they were corrected; rejected means corrected p at most `alpha`.
    """

    name: str
    tests: tuple[CorrectedTest, ...]
    correction: Correction
    alpha: float


def corrected_p(p: Sequence[float | None], correction: Correction = "holm") -> tuple[float, ...]:
    r"""Return corrected p-values in the order in which the raw ones came.

    Holm (1979): with p sorted upwards, :math:`\tilde p_{(i)} = \max_{j \le i}
    \min(1, (m - j + 1) p_{(j)})`, a running maximum, so that equal p have equal corrected p.
    Bonferroni: :math:`\min(1, m p)`. BH (Benjamini & Hochberg 1995) controls the false discovery
    rate instead.

    Parameters
    ----------
    p
        All p-values of one family. An empty family has no tests and no corrected p.
    correction
        ``"holm"``, ``"bonferroni"`` or ``"bh"``.

    Raises
    ------
    StatisticsInputError
        A p is missing or outside 0 to 1: leaving it out would make the family smaller, and so the
        other corrected p too small.

    Examples
    --------
    Wikipedia, "Holm-Bonferroni method":

    >>> [round(each, 12) for each in corrected_p([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    """
    if correction not in get_args(Correction):
        raise StatisticsInputError(f"correction: choose one of {', '.join(get_args(Correction))}")
    raw = column_of("p", p)
    values = [_checked_p(each, str(place + 1)) for place, each in enumerate(raw)]
    if not values:
        return ()
    if correction == "holm":
        return _holm(np.array(values))
    corrected = multipletests(values, method=_STATSMODELS[correction])[1]
    return tuple(float(each) for each in np.minimum(corrected, 1.0))


def _holm(p: Floats) -> tuple[float, ...]:
    """Return Holm's corrected p.

    Not by statsmodels: its Holm (alone) runs the garbage collector, 25 ms and more on each call.
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return tuple(corrected.tolist())


def correct_family(
    name: str,
    tests: Mapping[str, float | None],
    *,
    correction: Correction = "holm",
    alpha: float = 0.05,
) -> Family:
    """Correct the tests of one named family.

    Parameters
    ----------
    name
        Name of the family.
    tests
        Raw p by name of the test.
    correction, alpha
        As in :class:`Family`.

    Examples
    --------
    Core-100, table 22: of twelve contrasts the first keeps p = .0384.

    >>> raw = [.0032, .0102, .0180, .4418, .4480, .4682, .6111, .6441, .7049, .7715, .7879, .9989]
    >>> family = correct_family("F2", {f"contrast {i}": p for i, p in enumerate(raw)})
    >>> [round(test.corrected, 4) for test in family.tests[:3]], family.tests[1].rejected
    ([0.0384, 0.1122, 0.18], False)
    """
    if not 0 < checks.number("alpha", alpha) < 1:
        raise StatisticsInputError(f"alpha must lie between 0 and 1, is {alpha}")
    raw = {test: _checked_p(p, f"{test!r} in family {name!r}") for test, p in tests.items()}
    corrected = corrected_p(list(raw.values()), correction)
    rows = zip(raw.items(), corrected, strict=True)
    return Family(
        name,
        tuple(CorrectedTest(test, p, better, better <= alpha) for (test, p), better in rows),
        correction,
        alpha,
    )


def correct_families(
    families: Mapping[str, Mapping[str, float | None]],
    *,
    correction: Correction = "holm",
    alpha: float = 0.05,
) -> tuple[Family, ...]:
    """Correct several families, each for itself.

    Parameters
    ----------
    families
        Raw p by family and by test.
    correction, alpha
        As in :class:`Family`.

    Examples
    --------
    >>> one, two = correct_families({"one": {"a": 0.03}, "two": {"a": 0.03, "b": 0.5}})
    >>> one.tests[0].corrected, two.tests[0].corrected
    (0.03, 0.06)
    """
    return tuple(
        correct_family(name, tests, correction=correction, alpha=alpha)
        for name, tests in families.items()
    )


def _checked_p(p: float | None, where: str) -> float:
    if p is None or (isinstance(p, float) and np.isnan(p)):
        raise StatisticsInputError(
            f"p: test {where} has no p-value; a family must be complete before it is corrected"
        )
    if not 0 <= checks.number(f"p: test {where}", p) <= 1:
        raise StatisticsInputError(f"p: p-values must be in [0,1], test {where} has {p}")
    return float(p)
