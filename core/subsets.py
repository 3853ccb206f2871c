"""A part of what is frozen: which waves an analysis is restricted to, and what it says of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.study import WaveItem
from core.words import counted


@dataclass(frozen=True, slots=True)
class Subset:
    """What an analysis is restricted to: some waves, or what no pilot round has shown."""

    waves: tuple[int, ...] | None = None
    without_pilot: bool = False

    @property
    def words(self) -> str:
        """What a title says of it; empty for everything."""
        parts = []
        if self.waves is not None:
            noun = "wave" if len(self.waves) == 1 else "waves"
            parts.append(f"only {noun} {', '.join(map(str, self.waves))}")
        parts += ["without pilot scenarios"] if self.without_pilot else []
        return "; ".join(parts)


EVERYTHING = Subset()


@dataclass(frozen=True, slots=True)
class Selection:
    """The frozen items of a subset, and how many were left out for what reason.

    Withdrawn items are left out of every analysis, also of one that is not restricted.
    """

    subset: Subset
    items: tuple[WaveItem, ...]
    piloted: int = 0
    withdrawn: int = 0

    @property
    def restricted(self) -> bool:
        """Whether less than everything was asked for."""
        return self.subset != EVERYTHING

    @property
    def scenarios(self) -> frozenset[str]:
        """The scenarios that something is left of."""
        return frozenset(item.scenario for item in self.items)

    @property
    def cells(self) -> Mapping[tuple[str, str], int]:
        """By scenario and condition, the number of the revision that is frozen."""
        return {(i.scenario, i.condition): int(i.document["revision"]) for i in self.items}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of what is left out; nothing where nothing is."""
        found = []
        if self.restricted:
            scenarios = counted(len(self.scenarios), "scenario")
            found.append(f"Restricted to {scenarios} ({self.subset.words}).")
        if self.piloted:
            scenarios = counted(self.piloted, "scenario")
            found.append(f"Left out: {scenarios} that a pilot round has shown to raters.")
        if self.withdrawn:
            items = counted(self.withdrawn, "frozen item")
            found.append(f"Left out: {items} withdrawn after an error was found.")
        return tuple(found)
