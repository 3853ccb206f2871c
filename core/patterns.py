"""Names chosen by patterns, as in a shell: ``exact/*`` is everything below ``exact/``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from core.errors import NotFound


def matching(known: Iterable[str], patterns: Sequence[str], noun: str) -> tuple[str, ...]:
    """Return the known names that match one of the patterns, in their own order.

    Parameters
    ----------
    known
        All names that there are.
    patterns
        Names or patterns; ``*`` stands for any characters, ``?`` for one. Case counts.
    noun
        What a name is called in an error.

    Raises
    ------
    NotFound
        For a pattern that matches nothing, so that a slip never narrows a choice silently.

    Examples
    --------
    >>> matching(["exact/POS", "exact/NEG", "range/POS"], ["exact/*"], "condition")
    ('exact/POS', 'exact/NEG')
    """
    names = tuple(dict.fromkeys(known))
    for pattern in patterns:
        if not any(_matches(name, pattern) for name in names):
            raise NotFound(f"there is no {noun} {pattern!r}; there is {', '.join(names)}")
    return tuple(name for name in names if any(_matches(name, each) for each in patterns))


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)
