"""How the intervals of all tables on judges are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Resampling:
    """Replicates and seed; what is drawn, each table says."""

    replicates: int = 2_000
    seed: int = 1

    @property
    def again(self) -> Any:
        """The arguments of a statistic."""
        return {"replicates": self.replicates, "seed": self.seed}
