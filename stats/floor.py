"""The saved-output floor regime (WISE, App. I): outputs that do not follow the target at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError


@dataclass(frozen=True, slots=True)
class TargetRow:
    """One target: strict compliance, mean observed words, mean error (words minus target)."""

    target: float
    exact: float
    mean_words: float
    mean_error: float
    n_outputs: int


@dataclass(frozen=True, slots=True)
class FloorRegime:
    """Whether a model's saved outputs are at the floor, and the figures that decide it.

    Attributes
    ----------
    at_floor
        ``None`` exactly when `why_undefined` says why.
    targets
        From the least target to the greatest.
    change_in_words
        Mean words at the greatest target minus mean words at the least.
    """

    at_floor: bool | None
    targets: tuple[TargetRow, ...]
    change_in_words: float | None
    why_undefined: str | None = None


def floor_regime(
    counts: ArrayLike, targets: ArrayLike, *, at_most: float = 0.01, less_than: float = 1.0
) -> FloorRegime:
    """Say whether one model's outputs are in the floor regime (WISE, App. I).

    The rule: exact compliance of at most 1 % at every target above the least, and a change of less
    than one mean observed word, either way, from the least target to the greatest.

    Parameters
    ----------
    counts
        Words of each output, all forms and repetitions; NaN where an output does not exist.
    targets
        The target of each output, same shape.

    Examples
    --------
    >>> found = floor_regime([5, 3, 4, 3, 4, 3], [5, 5, 8, 8, 12, 12])
    >>> found.at_floor, found.change_in_words
    (True, -0.5)
    """
    words = np.ravel(checks.numbers("counts", counts))
    wanted = np.ravel(checks.numbers("targets", targets))
    if wanted.shape != words.shape or np.isnan(wanted).any():
        raise StatisticsInputError("targets must give one target for each of the counts")
    there = ~np.isnan(words)
    words, wanted = words[there], wanted[there]
    rows = tuple(_target_row(words[wanted == t], float(t)) for t in np.unique(wanted))
    return floor_rule(rows, at_most=at_most, less_than=less_than)


def floor_rule(
    rows: tuple[TargetRow, ...], *, at_most: float = 0.01, less_than: float = 1.0
) -> FloorRegime:
    """Apply the rule of :func:`floor_regime` to rows by target.

    Examples
    --------
    Gemini 2.5 Flash, original panel (Table 12): 30.4 % at 5 words, 0 above, 3.66 to 2.93 words.

    >>> printed = [(5, 0.304, 3.66), (8, 0.0, 2.85), (10, 0.0, 2.89), (12, 0.0, 2.93)]
    >>> rows = tuple(TargetRow(t, e, w, w - t, 450) for t, e, w in printed)
    >>> found = floor_rule(rows)
    >>> found.at_floor, round(found.change_in_words, 2)
    (True, -0.73)
    """
    if len(rows) < 2:
        return FloorRegime(None, rows, None, "the floor rule needs at least two different targets")
    ordered = tuple(sorted(rows, key=lambda row: row.target))
    change = ordered[-1].mean_words - ordered[0].mean_words
    nowhere = all(row.exact <= at_most for row in ordered[1:])
    return FloorRegime(nowhere and abs(change) < less_than, ordered, change)


def _target_row(words: FloatArray, target: float) -> TargetRow:
    mean = float(words.mean())
    return TargetRow(target, float((words == target).mean()), mean, mean - target, len(words))
