"""A number that may be published: never without its n, its interval and where both came from."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal

Standing = Literal["preregistered", "exploratory"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval, p-value, n and the resampling scheme it came from.

    Attributes
    ----------
    value, low, high
        The point estimate and its 95 % interval (or that of `level`); ``None`` when undefined.
    p
        Two-sided p-value against `null`, from the same draws, with the add-one convention.
    n
        How many units (scenarios, items, ...) the value rests on.
    replicates, scheme, seed, method
        How the interval was made; `method` is ``percentile``, ``bca``, ``F`` (from the F
        distribution), ``exact`` or ``none``.
    level
        The confidence level.
    why_undefined
        Why there is no value, in words for a reader; ``None`` exactly when there is one.
    why_no_interval
        Why a value has no interval; ``None`` when it has one, or when there is no value.
    standing
        What a report says of it; ``None`` outside of reports.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    p: float | None = None
    replicates: int = 0
    scheme: str = "none"
    seed: int | None = None
    method: str = "none"
    level: float = 0.95
    why_undefined: str | None = None
    why_no_interval: str | None = None
    standing: Standing | None = None

    def __post_init__(self) -> None:
        if (self.value is None) != (self.why_undefined is not None):
            raise ValueError("an estimate has a value or a reason why it has none, never both")
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two ends or none")
        numbers = (self.value, self.low, self.high, self.p)
        if not all(number is None or isfinite(number) for number in numbers):
            raise ValueError("what is not a number is undefined, with the reason why")
        if self.low is not None and (self.value is None or self.low > (self.high or 0.0)):
            raise ValueError("an interval belongs to a value, and its low end comes first")


def undefined(reason: str, n: int = 0) -> Estimate:
    """Return the estimate that says why there is no number."""
    return Estimate(value=None, n=n, why_undefined=reason)
