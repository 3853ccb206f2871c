"""What a verifier is, so that packages can hand verifiers around without importing each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

PASS, FAIL, UNDETERMINED = "pass", "fail", "undetermined"

ItemFaults = Callable[[Mapping[str, Any]], tuple[str, ...]]
"""From a document that is about to be frozen to what its verifiers have against it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a verifier read in a text: its verdict, and the words that it rests on.

    `score` is how far the text complies, from 0 to 1, where the verifier grades; ``None`` where it
    only decides, and where it could not determine anything.
    """

    verdict: str
    evidence: str = ""
    score: float | None = None


class Verifier(Protocol):
    """A pure, versioned function from the complete visible text to a reading.

    `document` is the frozen item, so that parameters come from what was frozen.
    """

    @property
    def name(self) -> str:
        """The id under which suites ask for it."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever any text could be read otherwise."""
        ...

    def read(self, text: str, document: Mapping[str, Any]) -> Reading:
        """Read one visible text."""
        ...

    def faults(self, document: Mapping[str, Any]) -> tuple[str, ...]:
        """Say what keeps the item from being frozen with this verifier: one sentence per fault.

        A parameter that is missing or makes no sense, or one that the prompt does not say: a
        prompt that asks for 400 words with a verifier for 336 measures nothing.
        """
        ...


def asked_for(documents: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the verifiers that frozen items ask for, each once, in the order of first mention."""
    return tuple(dict.fromkeys(name for each in documents for name in each.get("verifiers", ())))
