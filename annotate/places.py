"""Where attention checks stand on a list: drawn uniformly, and the same whenever it is asked."""

from __future__ import annotations

from random import Random

from core.hashing import seed_from


def check_places(*, seed: int, seat: int, total: int, checks: int, apart: int) -> tuple[int, ...]:
    """Return the positions before which checks stand, ascending; none before the first item.

    Every set of places that keeps them apart is as likely as any other. Where the list is too
    short for that, there are fewer.

    Parameters
    ----------
    seed, seat
        Of the round, and the number of the seat: every seat has places of its own.
    total
        The length of the list.
    apart
        The least number of items between two checks.

    Examples
    --------
    >>> check_places(seed=1, seat=1, total=3, checks=2, apart=10)
    ()
    """
    count = min(checks, (total - 1) // apart)
    if count < 1:
        return ()
    draw = Random(seed_from(seed, "checks", seat))  # noqa: S311  (repeatable, not secret)
    # Drawn among the positions that are left when the distances are taken out, then put back.
    room = total - 1 - (count - 1) * (apart - 1)
    drawn = sorted(draw.sample(range(2, room + 2), count))
    return tuple(place + number * (apart - 1) for number, place in enumerate(drawn))
