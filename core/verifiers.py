"""What a verifier is, so that packages can hand verifiers around without importing each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Reading:
    """What a verifier read in a text: its verdict, and the words that it rests on."""

    verdict: str
    evidence: str = ""


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
