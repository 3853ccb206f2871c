"""Every verifier that suites can ask for, by name."""

from __future__ import annotations

from core.errors import NotFound
from core.verifiers import Verifier
from evals.verifiers.forced_choice import ForcedChoice

_ALL: tuple[Verifier, ...] = (ForcedChoice(),)


def names() -> tuple[str, ...]:
    """Return the names of all verifiers."""
    return tuple(sorted(entry.name for entry in _ALL))


def verifier(name: str) -> Verifier:
    """Return the verifier of a name.

    Raises
    ------
    NotFound
        When there is none; the message names those that there are.
    """
    for entry in _ALL:
        if entry.name == name:
            return entry
    raise NotFound(f"there is no verifier “{name}”; there is {', '.join(names())}")
