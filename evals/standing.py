"""How a run stands while it goes on: what progress bars and ``runs status`` show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.runs import STATES, State


@dataclass(frozen=True, slots=True)
class Standing:
    """A run at one moment.

    Attributes
    ----------
    expected, present
        Keys that the run consists of, and those that have an answer.
    states
        Generations by state; errors among them.
    rate
        Answers per second, lately; ``None`` when there were none.
    tokens, cost
        Over all attempts of all calls; the cost in dollars, ``None`` without prices.
    """

    expected: int
    present: int
    states: Mapping[State, int]
    rate: float | None
    tokens: int
    cost: float | None

    @property
    def missing(self) -> int:
        """Keys without an answer."""
        return self.expected - self.present

    @property
    def eta(self) -> float | None:
        """Seconds until the last answer at the present rate; ``None`` when that is unknown."""
        return self.missing / self.rate if self.rate else None


def in_words(standing: Standing) -> str:
    """Return rate, cost and states in a few words, beside a bar that shows the rest.

    Examples
    --------
    >>> in_words(Standing(10, 7, {"ok": 6, "empty": 1, "error": 2}, 3.0, 900, 0.25))
    '3.0/s, $0.25, 6 ok, 1 empty, 2 error'
    """
    words = [] if standing.rate is None else [f"{standing.rate:.1f}/s"]
    words += [] if standing.cost is None else [f"${standing.cost:.2f}"]
    words += [f"{standing.states[name]} {name}" for name in STATES if standing.states.get(name)]
    return ", ".join(words)
