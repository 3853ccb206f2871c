"""How the intervals of a table are made; what is drawn, each table says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


class Again(TypedDict):
    """The arguments by which a statistic is resampled the same way again."""

    replicates: int
    seed: int


@dataclass(frozen=True, slots=True)
class Resampling:
    """How often is resampled, and from which seed."""

    replicates: int = 2_000
    seed: int = 1

    @property
    def again(self) -> Again:
        """The arguments of a statistic."""
        return {"replicates": self.replicates, "seed": self.seed}

    def over(self, unit: str) -> str:
        """Say it, for a note; the note goes on or ends.

        Examples
        --------
        >>> Resampling(10_000).over("scenarios")
        '95 % percentile intervals from a bootstrap over scenarios, 10,000 replicates, seed 1'
        """
        return (
            f"95 % percentile intervals from a bootstrap over {unit}, {self.replicates:,} "
            f"replicates, seed {self.seed}"
        )
