"""How patiently batches are sent and followed, and how a wait is made of short pieces."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

SIGN = 20.0  # seconds at most between two signs that a session goes on


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Waits of a batch run, in seconds.

    Attributes
    ----------
    poll, factor, most
        Between two looks at an open batch: the first wait, how much longer each next one is, and
        the longest.
    attempts, first, cap, longest
        How often one request is tried, the first wait between two tries, the longest, and the
        longest that an endpoint may ask for (``Retry-After``).
    settle
        How long after a call that brought no answer the provider is asked whether it took the
        batch: what it took may not be listed at once.
    overdue
        How long after its end an open batch is followed yet.
    sleep
        Another one makes tests fast.
    """

    poll: float = 5.0
    factor: float = 1.5
    most: float = 300.0
    attempts: int = 6
    first: float = 0.5
    cap: float = 20.0
    longest: float = 300.0
    settle: float = 30.0
    overdue: float = 3600.0
    sleep: Callable[[float], None] = time.sleep

    def between_looks(self, number: int) -> float:
        """Return the wait after so many looks that found nothing new."""
        return min(self.most, self.poll * self.factor ** min(number, 64))

    def before_trying_again(self, number: int, asked: float | None) -> float | None:
        """Return the wait after so many tries, or ``None`` when there is no further one."""
        if number >= self.attempts or (asked is not None and asked > self.longest):
            return None
        return max(asked or 0.0, min(self.cap, self.first * 2.0 ** min(number - 1, 32)))

    def rest(self, seconds: float, sign: Callable[[], None]) -> None:
        """Wait so long in pieces, with a sign before each."""
        left = seconds
        sign()
        while left > 0:
            self.sleep(min(left, SIGN))
            left -= SIGN
            if left > 0:
                sign()
