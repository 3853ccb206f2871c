"""How much of the machine people from elsewhere may use, each and all together. Pure counting."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

KIB = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server allows.

    Attributes
    ----------
    sittings, per_address
        Applications at once, in all and from one address. One takes about 40 MB.
    idle
        Seconds without a key after which a sitting is ended.
    opening
        Seconds in which a connection must have become a sitting: the handshake, or a page.
    connections
        Connections at once, sittings or not.
    message
        Bytes of one message from a browser.
    burst, rate
        Bytes that one person may send at once, and per second after that.
    starts, start_rate
        Applications that one address may start at once, and per second after that.
    """

    sittings: int = 60
    per_address: int = 30
    idle: float = 1800.0
    opening: float = 60.0
    connections: int = 200
    message: int = 256 * KIB
    burst: int = 256 * KIB
    rate: int = 16 * KIB
    starts: int = 40
    start_rate: float = 0.5


class Places:
    """A number of places, of which one key may hold a smaller number."""

    def __init__(self, whole: int, each: int) -> None:
        self._whole, self._each = whole, each
        self._taken: Counter[str] = Counter()

    def take(self, key: str) -> bool:
        """Take a place, if there is one."""
        if self._taken.total() >= self._whole or self._taken[key] >= self._each:
            return False
        self._taken[key] += 1
        return True

    def give(self, key: str) -> None:
        """Give a place back."""
        self._taken[key] -= 1
        if not self._taken[key]:
            del self._taken[key]


class Bucket:
    """Something that may be used at once up to a size, and refills at a rate."""

    def __init__(self, size: float, rate: float, at: float) -> None:
        self._size, self._rate = size, rate
        self._level, self._at = size, at

    def level(self, at: float) -> float:
        """Return what is left; less than nothing when more was taken than there was."""
        self._level = min(self._size, self._level + self._rate * max(0.0, at - self._at))
        self._at = max(self._at, at)
        return self._level

    def full(self, at: float) -> bool:
        """Return whether nothing was taken lately."""
        return self.level(at) >= self._size

    def take(self, cost: float, at: float) -> float:
        """Take, on credit if need be; return the seconds until the credit is paid back."""
        self._level = self.level(at) - cost
        return max(0.0, -self._level / self._rate)


class Buckets:
    """A bucket for every key; those that are full again are forgotten."""

    def __init__(self, size: float, rate: float, keep: int = 1000) -> None:
        self._size, self._rate, self._keep = size, rate, keep
        self._known: dict[str, Bucket] = {}

    def take(self, key: str, at: float) -> bool:
        """Take one, if there is one."""
        if len(self._known) > self._keep:
            self._known = {k: each for k, each in self._known.items() if not each.full(at)}
        bucket = self._known.setdefault(key, Bucket(self._size, self._rate, at))
        if bucket.level(at) < 1:
            return False
        bucket.take(1, at)
        return True
