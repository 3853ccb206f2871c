"""How two ways of doing the same work are compared: in pairs, in one run, by medians."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Seconds of both sides, pair by pair.

    Attributes
    ----------
    ours, theirs
        One entry per pair; what was scaled up is already scaled.
    """

    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """How many times longer theirs took, pair by pair, least first."""
        return tuple(sorted(b / a for a, b in zip(self.ours, self.theirs, strict=True)))

    @property
    def ratio(self) -> float:
        """The median of the ratios."""
        return median(self.ratios)

    @property
    def figures(self) -> str:
        """Both medians and the range of the ratios, for a line of the report.

        Examples
        --------
        >>> Pairs((0.001, 0.002, 0.001), (0.01, 0.01, 0.02)).figures
        '1.0 ms against 10 ms; 3 pairs, ratios 5 to 20'
        """
        low, high = self.ratios[0], self.ratios[-1]
        digits = 0 if low >= 5 and high >= 20 else 1
        spread = f"{low:,.{digits}f} to {high:,.{digits}f}"
        ours, theirs = written(median(self.ours)), written(median(self.theirs))
        return f"{ours} against {theirs}; {len(self.ours)} pairs, ratios {spread}"


def paired(ours: Work, theirs: Work, *, pairs: int, inner: int = 3, scale: float = 1.0) -> Pairs:
    """Time both sides in turn, so that a busy moment hits both.

    Parameters
    ----------
    ours, theirs
        The work. Each is run once before, so that neither pays for a first call.
    pairs
        How many pairs.
    inner
        Runs of the shorter side (ours) in a pair; their median counts.
    scale
        By how much theirs is scaled up, when it did a part of the work only.
    """
    ours()
    theirs()
    short, long = [], []
    for _ in range(pairs):
        long.append(scale * seconds(theirs))
        short.append(median(seconds(ours) for _ in range(inner)))
    return Pairs(tuple(short), tuple(long))


def seconds(work: Work) -> float:
    """Return how long one run takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_bytes(work: Work) -> int:
    """Return the most memory that one run held at once, beyond what was there before it.

    As Python and numpy report it to ``tracemalloc``; a library's own buffers are not in it.
    """
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def written(duration: float) -> str:
    """Return seconds in a unit that reads well.

    Examples
    --------
    >>> written(0.00123), written(0.0456), written(12.3)
    ('1.2 ms', '46 ms', '12.3 s')
    """
    if duration >= 1:
        return f"{duration:.1f} s"
    digits = 1 if duration < 0.01 else 0
    return f"{1e3 * duration:.{digits}f} ms"
