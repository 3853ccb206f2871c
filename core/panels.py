"""A panel of judges: a strict majority of all of its members, or none.

A member whose verdict cannot be read has not voted for anything, but it counts as a member: one
vote against one unreadable is no majority. The order of members never matters. Source: the
instruction-induction conflict, appendix L (three judges, majority), and what its tables leave open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

NO_MAJORITY = "no-majority"
UNREADABLE = "unreadable"
OPEN = "open"  # not asked yet, or the request failed


def majority(votes: Sequence[str | None]) -> str:
    """Return what more than half of the members said.

    Parameters
    ----------
    votes
        One per member; ``None`` for a verdict that could not be read.

    Returns
    -------
    str
        A verdict; ``no-majority``; or ``unreadable`` when no member could be read.

    Raises
    ------
    ValueError
        For a panel without members.

    Examples
    --------
    >>> majority(["correct", None, "incorrect"])
    'no-majority'
    >>> majority(["correct", None, "correct"])
    'correct'
    """
    if not votes:
        raise ValueError("a panel has at least one member")
    read = Counter(vote for vote in votes if vote is not None)
    if not read:
        return UNREADABLE
    [(verdict, count)] = read.most_common(1)
    return verdict if 2 * count > len(votes) else NO_MAJORITY
