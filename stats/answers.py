"""How firmly a model answers: reliability, modal switches, trial-level and strict accuracy.

Rows are scenarios (or prompts) in the order of their ids; intervals are over them.
Source: "The Model Says Walk", Tables 1, 8, 9, 10 and 16.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.estimate import Estimate, undefined
from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError
from stats.resample import bootstrap, iid, mean_of


@dataclass(frozen=True, slots=True)
class SwitchMatrix:
    """Scenarios by their modal answers, Active first: C is constraint-heavy, H heuristic.

    `c_to_h` is what a selective model does, `c_to_c` over-activates, `h_to_h` under-activates and
    `h_to_c` is reversed. `no_modal_answer` counts scenarios with a tie, or without a conforming
    sample, in either condition.
    """

    c_to_h: int
    c_to_c: int
    h_to_h: int
    h_to_c: int
    no_modal_answer: int


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Trial-level and strict accuracy (HOB).

    Attributes
    ----------
    trial
        Mean over prompts of the share of correct samples.
    strict
        Share of prompts with every sample correct.
    n_prompts
        Prompts with at least one scored sample.
    n_unscored
        Prompts without any.
    n_undecided
        Prompts that strict accuracy leaves out: no wrong sample, but not all samples scored.
    """

    trial: Estimate
    strict: Estimate
    n_prompts: int
    n_unscored: int
    n_undecided: int


def reliability(
    correct: ArrayLike, *, at_least: int, samples: int, replicates: int = 10_000, seed: int
) -> Estimate:
    """Return the share of scenario-condition cells with at least m of k samples correct.

    A sample that does not conform is not correct (Core-100, Table 1, last column: 6 of 7).

    Parameters
    ----------
    correct
        Shape ``(n_scenarios, n_conditions)``: correct samples; NaN where the cell was not run.
    at_least, samples
        m and k.

    Examples
    --------
    Three of four cells have at least 6 of 7:

    >>> reliability([[7, 6], [7, 3]], at_least=6, samples=7, seed=1).value
    0.75
    """
    counts = checks.numbers("correct", correct, ndim=2)
    if not 1 <= at_least <= samples:
        raise StatisticsInputError(f"at_least must lie between 1 and {samples}, is {at_least}")
    if (counts < 0).any() or (counts > samples).any():
        raise StatisticsInputError(f"correct must hold counts from 0 to samples = {samples}")
    if len(counts) == 0:
        raise StatisticsInputError("correct has no row: give at least one scenario")
    there = ~np.isnan(counts)
    enough = (there & (counts >= at_least)).sum(axis=1).astype(np.float64)
    cells = there.sum(axis=1).astype(np.float64)
    draws = iid(len(counts), replicates=replicates, seed=seed)
    (found,) = bootstrap(lambda w: (w @ enough) / (w @ cells), draws, why="no cell was run")
    return found


def switch_matrix(active: ArrayLike, removed: ArrayLike) -> SwitchMatrix:
    """Return how the modal answer moves from Active to Removed (Core-100, Table 16).

    Parameters
    ----------
    active, removed
        Shape ``(n_scenarios,)``: shares of constraint-heavy choices among conforming samples; NaN
        where there is none. A share of exactly one half is a tie: no modal answer.

    Examples
    --------
    >>> switch_matrix([1.0, 6 / 7, 2 / 7, 0.5], [0.0, 5 / 7, 0.0, 0.0])
    SwitchMatrix(c_to_h=1, c_to_c=1, h_to_h=1, h_to_c=0, no_modal_answer=1)
    """
    one = checks.shares("active", active, ndim=1)
    two = checks.shares("removed", removed, ndim=1)
    checks.same_shape(active=one, removed=two)
    none = np.isnan(one) | np.isnan(two) | (one == 0.5) | (two == 0.5)
    heavy_first, heavy_then = one[~none] > 0.5, two[~none] > 0.5
    return SwitchMatrix(
        c_to_h=int((heavy_first & ~heavy_then).sum()),
        c_to_c=int((heavy_first & heavy_then).sum()),
        h_to_h=int((~heavy_first & ~heavy_then).sum()),
        h_to_c=int((~heavy_first & heavy_then).sum()),
        no_modal_answer=int(none.sum()),
    )


def trial_and_strict(correct: ArrayLike, *, replicates: int = 10_000, seed: int) -> Accuracy:
    """Return trial-level and strict accuracy (HOB, sec. 4 and Table 8).

    Parameters
    ----------
    correct
        Shape ``(n_prompts, n_samples)``: 1 correct, 0 wrong, NaN not scored (API error, unreadable
        verdict). A wrong sample decides that a prompt is not strictly correct; without one, a
        missing sample leaves the prompt out of strict accuracy.

    Examples
    --------
    Two prompts, one with all three samples correct and one with two:

    >>> found = trial_and_strict([[1, 1, 1], [1, 0, 1]], seed=1)
    >>> round(found.trial.value, 4), found.strict.value
    (0.8333, 0.5)
    """
    scores = checks.shares("correct", correct, ndim=2)
    if scores.size == 0:
        raise StatisticsInputError("correct is empty: give at least one prompt and one sample")
    if ((scores > 0) & (scores < 1)).any():
        raise StatisticsInputError("correct must hold 0, 1 or NaN: one cell per sample")
    there = ~np.isnan(scores)
    scored = there.sum(axis=1)
    right = np.where(there, scores, 0.0).sum(axis=1)
    wrong = (scores == 0).any(axis=1)
    decided = wrong | there.all(axis=1)
    trial = _mean(right[scored > 0] / scored[scored > 0], replicates, seed)
    strict = _mean((~wrong[decided]).astype(np.float64), replicates, seed)
    undecided = int((~decided & (scored > 0)).sum())
    return Accuracy(trial, strict, int((scored > 0).sum()), int((scored == 0).sum()), undecided)


def _mean(values: FloatArray, replicates: int, seed: int) -> Estimate:
    if len(values) == 0:
        return undefined("no prompt has a scored sample")
    draws = iid(len(values), replicates=replicates, seed=seed, unit="prompt")
    return bootstrap(mean_of(values), draws)[0]
