"""Whether runs of the same systems (seeds, judges, repetitions) rank them alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.estimate import Estimate, undefined
from stats.concordance import kendall_w
from stats.correlation import correlation
from stats.errors import StatisticsInputError
from stats.ratings import Floats, numeric_ratings


@dataclass(frozen=True, slots=True)
class RunStability:
    """How much a ranking of systems changes from run to run.

    Attributes
    ----------
    mean_tau_b
        Mean of Kendall's tau-b over all pairs of runs; undefined when a run ties all systems.
    concordance
        Kendall's W over all runs.
    n_system_pairs
        Pairs of systems.
    n_flipped
        Pairs that one run orders one way and another run the other way, strictly.
    n_unequal
        Pairs that are not ordered the same in all runs; being tied in some runs only counts too.
    top
        The best system of each run, all of them where several tie, as column numbers.
    """

    mean_tau_b: Estimate
    concordance: Estimate
    n_system_pairs: int
    n_flipped: int
    n_unequal: int
    top: tuple[tuple[int, ...], ...]


def run_stability(scores: ArrayLike | Sequence[Sequence[Any]] | pd.DataFrame) -> RunStability:
    """Compare the rankings of the same systems in several runs.

    Parameters
    ----------
    scores
        Runs x systems, higher is better; no score may be missing.

    Examples
    --------
    The second run swaps the first two systems, the third ties the second and third:

    >>> found = run_stability([[4, 3, 2, 1], [3, 4, 2, 1], [2, 4, 4, 1]])
    >>> found.n_system_pairs, found.n_flipped, found.n_unequal, found.top
    (6, 2, 3, ((0,), (1,), (1, 2)))
    """
    table = numeric_ratings(scores, argument="scores")
    if np.isnan(table).any() or min(table.shape) < 2:
        raise StatisticsInputError("scores: give 2 runs and 2 systems or more, none missing")
    first, second = np.triu_indices(table.shape[1], 1)
    signs = np.sign(table[:, first] - table[:, second])
    unequal = (signs != signs[0]).any(axis=0)
    flipped = (signs.min(axis=0) < 0) & (signs.max(axis=0) > 0)
    best = table == table.max(axis=1, keepdims=True)
    return RunStability(
        mean_tau_b=_mean_tau_b(table),
        concordance=kendall_w(table, orientation="raters x items").estimate,
        n_system_pairs=len(first),
        n_flipped=int(flipped.sum()),
        n_unequal=int(unequal.sum()),
        top=tuple(tuple(np.flatnonzero(row).tolist()) for row in best),
    )


def _mean_tau_b(table: Floats) -> Estimate:
    """Return the mean of tau-b over pairs of runs."""
    if table.shape[1] == 2:  # one pair of systems: +1 or -1 by construction, or tied
        return undefined("two systems: tau-b is +1 or -1 by construction", len(table))
    found = [correlation(a, b, "kendall").value for a, b in combinations(table, 2)]
    values = [tau for tau in found if tau is not None]
    if len(values) < len(found):
        return undefined("a run gives all systems the same score", len(table))
    reason = "pairs of runs are not independent"
    return Estimate(float(np.mean(values)), len(table), why_no_interval=reason)
