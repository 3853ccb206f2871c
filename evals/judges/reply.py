"""A reply that may be judged, with what its item was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.runs import Generation
from evals.scoring import nothing_to_read


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that may be judged, with what its item was."""

    generation: Generation
    condition: str
    scenario: str
    document: Mapping[str, Any]

    @property
    def readable(self) -> bool:
        """Whether it shows anything that could be judged."""
        return not nothing_to_read(self.generation)
