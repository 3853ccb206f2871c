"""Active time on one item: what passes while a person is there and doing something."""

from __future__ import annotations

import time
from collections.abc import Callable

IDLE = 60.0  # seconds; a longer silence counts as this much


class ActiveTime:
    """A stopwatch that counts no more than a minute of any silence, and nothing while away."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds = 0.0
        self._since: float | None = clock()

    def touch(self) -> None:
        """Note that the person did something."""
        now = self._clock()
        if self._since is not None:
            self._seconds += min(now - self._since, IDLE)
        self._since = now

    def away(self) -> None:
        """Note that the person looks elsewhere; time stands still until the next touch."""
        self.touch()
        self._since = None

    def take(self) -> float:
        """Return the seconds so far, and begin again at zero."""
        if self._since is not None:
            self.touch()
        seconds, self._seconds = self._seconds, 0.0
        return round(seconds, 3)
