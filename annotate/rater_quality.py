"""How well simulated raters do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RaterQuality:
    """How simulated raters answer.

    Attributes
    ----------
    accuracy
        Chance of choosing the gold action in an ordinary scenario.
    contested, contested_accuracy
        Share of scenarios on which opinions differ, and the accuracy there.
    abstain
        Chance of both, depends or neither, whatever the scenario.
    scale_mean, item_spread, rater_spread
        Answers on scales before rounding: their mean, how far items differ, how far the answers to
        one item do.
    """

    accuracy: float = 0.97
    contested: float = 0.15
    contested_accuracy: float = 0.65
    abstain: float = 0.02
    scale_mean: float = 4.3
    item_spread: float = 0.35
    rater_spread: float = 0.6
