"""A published number beside ours: one line, and whether the difference is explained.

A published number stands for all values that round to it. What it is recomputed from was rounded
too, so ours is a value and the range that the rounding of its inputs leaves open. They agree when
the two ranges meet; otherwise the known reason must be given, or the line is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parent / "data"
_EPS = 1e-9


@dataclass(frozen=True, slots=True)
class Check:
    """One published number and ours.

    Attributes
    ----------
    paper, number
        Which paper, and which number in it.
    published, half
        The printed value and half a unit of its last digit (0 for counts).
    ours
        What follows from the published tables through our functions.
    low, high
        What the rounding of the tables leaves open; both `ours` when nothing was rounded.
    through
        The function of `stats` that made `ours`; ``None`` where no statistic is involved: two
        printed numbers are held against each other, or printed cells are counted.
    known
        Why the published number cannot be ours, where it cannot.
    """

    paper: str
    number: str
    published: float
    half: float
    ours: float
    low: float
    high: float
    through: Callable[..., object] | None = None
    known: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the published number is one that follows."""
        within_low = self.published + self.half + _EPS >= self.low
        return within_low and self.published - self.half - _EPS <= self.high

    @property
    def explained(self) -> bool:
        """Whether the line is as it should be: it agrees, or it is known not to (never both)."""
        return self.agrees != bool(self.known)

    @property
    def verdict(self) -> str:
        """What the line says about its difference."""
        if self.agrees:
            return "within rounding" if not self.known else "AGREES, BUT IS LISTED AS KNOWN NOT TO"
        return f"known: {self.known}" if self.known else "DOES NOT FOLLOW"

    @property
    def exception(self) -> str:
        """The line of a number that is known not to follow: both numbers and the reason."""
        numbers = f"printed {self.published:g}, ours {self.ours:.6g}"
        return f"{self.paper}, {self.number}: {numbers}: {self.known}"

    @property
    def way(self) -> str:
        """Which function of `stats` the number went through."""
        if self.through is None:
            return "as printed"
        return f"{self.through.__module__.removeprefix('stats.')}.{self.through.__name__}"

    def __str__(self) -> str:
        difference = abs(self.published - self.ours)
        difference = 0.0 if difference < _EPS else difference
        span = "" if self.low == self.high else f"[{self.low:.4g}, {self.high:.4g}]"
        return (
            f"{self.paper:9}  {self.number:72}  published {self.published:<8.6g}  "
            f"ours {self.ours:<10.6g} {span:18}  difference {difference:<8.2g}  "
            f"{self.way:38}  {self.verdict}"
        )


@dataclass(frozen=True, slots=True)
class Through:
    """Makes the checks of those numbers of one paper that go through one function of `stats`."""

    paper: str
    function: Callable[..., object] | None

    def number(
        self,
        name: str,
        published: float,
        ours: float | None,
        *,
        decimals: int,
        reach: Iterable[float | None] = (),
        known: str = "",
    ) -> Check:
        """Return the check of a number printed with so many decimals.

        Parameters
        ----------
        ours
            An undefined estimate (``None``) agrees with nothing.
        reach
            Values of ours for other inputs that round to the printed ones: they span the range.
        """
        values = [_value(ours), *map(_value, reach)]
        ends = min(values), max(values)
        half = 0.5 * 10.0**-decimals
        return Check(
            self.paper, name, float(published), half, values[0], *ends, self.function, known
        )

    def below(self, name: str, bound: float, ours: float) -> Check:
        """Return the check of a number printed as a bound, such as "<.001"."""
        value = _value(ours)
        ends = value, max(value, bound)
        return Check(self.paper, name, float(bound), 0.0, value, *ends, self.function)

    def count(self, name: str, published: float, ours: float | None, *, known: str = "") -> Check:
        """Return the check of a count or of a value that must be equal."""
        value = _value(ours)
        return Check(
            self.paper, name, float(published), 0.0, value, value, value, self.function, known
        )


def read(paper: str, name: str) -> pd.DataFrame:
    """Return a published table."""
    return pd.read_csv(DATA / paper / f"{name}.csv")


def report(checks: Sequence[Check]) -> str:
    """Return one line per number, and the counts."""
    lines = [str(check) for check in checks]
    for paper in dict.fromkeys(check.paper for check in checks):
        own = [check for check in checks if check.paper == paper]
        agree = sum(check.agrees for check in own)
        known = sum(bool(check.known) and check.explained for check in own)
        lines.append(
            f"{paper}: {len(own)} numbers, {agree} within rounding, {known} known not to be"
        )
    failed = [check for check in checks if not check.explained]
    lines += ["", "Known exceptions:", *(check.exception for check in checks if check.known), ""]
    lines.append(f"all: {len(checks)} numbers, {len(failed)} unexplained")
    lines += [f"UNEXPLAINED {check.paper}: {check.number}" for check in failed]
    return "\n".join(lines)


def _value(ours: float | None) -> float:
    return float("nan") if ours is None else float(ours)
