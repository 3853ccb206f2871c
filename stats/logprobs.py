"""Sums and contrasts of log-probabilities: decision scores and what a condition shifts.

A decision score is ``s = log p(heuristic) - log p(constraint-heavy)``, in log-odds: below 0 the
model prefers the constraint-heavy action (Core-100, sec. 2, "A continuous analogue", and App.
A.1). Scores are deterministic, so no interval is over tokens or repeats; what is resampled is the
scenario.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.estimate import Estimate, undefined
from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError
from stats.resample import bootstrap, iid, mean_of

_NONE = "no scenario has a decision score"
_NO_PAIR = "no scenario has a decision score in both conditions"


@dataclass(frozen=True, slots=True)
class DecisionSummary:
    """Decision scores of one condition.

    Attributes
    ----------
    mean
        Mean score, in log-odds.
    heavy
        Share of scenarios with a score below 0.
    n_scenarios, n_dropped
        Scenarios with a score, and those without.
    """

    mean: Estimate
    heavy: Estimate
    n_scenarios: int
    n_dropped: int


@dataclass(frozen=True, slots=True)
class DecisionShift:
    """By how much one condition moves the score against another, paired by scenario.

    `n_dropped` scenarios have no score in one of the two, or in both.
    """

    shift: Estimate
    n_scenarios: int
    n_dropped: int


def log_sum_exp(logprobs: ArrayLike) -> float:
    """Return the log of the summed probabilities of mutually exclusive events.

    Parameters
    ----------
    logprobs
        Shape ``(n,)``, at least one.

    Examples
    --------
    An answer written in two ways, with probability .1 and .3:

    >>> round(math.exp(log_sum_exp([math.log(0.1), math.log(0.3)])), 12)
    0.4
    """
    given = _logprobs(logprobs)
    top = float(given.max())
    return top + math.log(math.fsum(math.exp(float(each) - top) for each in given))


def renormalised(logprobs: ArrayLike) -> FloatArray:
    """Return the probabilities of answers among themselves: they sum to 1.

    Examples
    --------
    >>> renormalised([math.log(0.01), math.log(0.03)]).round(12).tolist()
    [0.25, 0.75]
    """
    given = _logprobs(logprobs)
    return np.exp(given - log_sum_exp(given))


def decision_summary(scores: ArrayLike, *, replicates: int = 10_000, seed: int) -> DecisionSummary:
    """Return the mean decision score of a condition and the share of constraint-heavy ones.

    Parameters
    ----------
    scores
        Shape ``(n_scenarios,)``, in log-odds; NaN where a scenario has none.

    Examples
    --------
    >>> found = decision_summary([1.0, -3.0, -4.0], seed=1)
    >>> found.mean.value, round(found.heavy.value, 3)
    (-2.0, 0.667)
    """
    given = checks.numbers("scores", scores, ndim=1)
    there = given[~np.isnan(given)]
    dropped = len(given) - len(there)
    draws = iid(max(len(there), 1), replicates=replicates, seed=seed)
    if not len(there):
        return DecisionSummary(undefined(_NONE), undefined(_NONE), 0, dropped)
    mean, heavy = bootstrap(mean_of(np.column_stack([there, there < 0])), draws)
    return DecisionSummary(mean, heavy, len(there), dropped)


def decision_shift(
    scores: ArrayLike, reference: ArrayLike, *, replicates: int = 10_000, seed: int
) -> DecisionShift:
    """Return the mean of ``scores - reference`` over scenarios, with p against 0.

    Parameters
    ----------
    scores, reference
        Shape ``(n_scenarios,)``, in log-odds; NaN where a scenario has none.

    Examples
    --------
    The constraint lowers the score by 2 everywhere:

    >>> decision_shift([1.0, -1.0], [3.0, 1.0], seed=1).shift.value
    -2.0
    """
    one, two = (
        checks.numbers(name, values, ndim=1)
        for name, values in (("scores", scores), ("reference", reference))
    )
    checks.same_shape(scores=one, reference=two)
    moved = one - two
    there = moved[~np.isnan(moved)]
    dropped = len(moved) - len(there)
    draws = iid(max(len(there), 1), replicates=replicates, seed=seed)
    if not len(there):
        return DecisionShift(undefined(_NO_PAIR), 0, dropped)
    (shift,) = bootstrap(mean_of(there), draws, null=0.0)
    return DecisionShift(shift, len(there), dropped)


def _logprobs(values: ArrayLike) -> FloatArray:
    given = checks.numbers("logprobs", values, ndim=1, missing=False)
    if not len(given):
        raise StatisticsInputError("logprobs is empty: give at least one")
    return given
