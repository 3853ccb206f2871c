"""Which models a table is over. The floor rule leaves models out by itself; all else is declared.

A declared set ``primary/PANEL`` is that panel's primary set, ``primary`` that of every other panel.
Where none is declared, the primary set is all models but those at the floor of the panel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.runs import ModelSet
from stats.draws import FloatArray
from stats.floor import FloorRegime, floor_regime
from suites.wise.outputs import PanelOutputs

PRIMARY, SHARED = "primary", "shared"


@dataclass(frozen=True, slots=True)
class Members:
    """Models of one panel that a table is over.

    Attributes
    ----------
    name
        What the title calls the set.
    chosen
        Positions among the panel's models.
    lacking
        Declared models that were not asked anything of the panel.
    notes
        Why these, for the foot of the table.
    """

    name: str
    chosen: tuple[int, ...]
    lacking: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def everybody(outputs: PanelOutputs) -> Members:
    """Return all models that were asked anything of the panel."""
    return Members("all models", tuple(range(len(outputs.models))))


def primary(outputs: PanelOutputs, sets: Sequence[ModelSet]) -> Members:
    """Return the panel's primary set: as declared, else all models but those at the floor."""
    declared = {each.name: each for each in sets}
    found = declared.get(f"{PRIMARY}/{outputs.panel.name}") or declared.get(PRIMARY)
    floor = at_floor(outputs)
    if found is not None:
        members = _declared(found, outputs)
        inside = [outputs.models[k].label for k in members.chosen if k in floor]
        if inside:
            said = f"At the floor of this panel, and in the declared set: {', '.join(inside)}."
            members = Members(members.name, members.chosen, members.lacking, (*members.notes, said))
        return members
    chosen = tuple(k for k in range(len(outputs.models)) if k not in floor)
    notes = ["No primary set is declared: all models, but for those at the floor of the panel."]
    if floor:
        out = ", ".join(outputs.models[k].label for k in sorted(floor))
        notes.append(f"At the floor, and left out by that rule: {out}.")
    return Members("primary set", chosen, (), tuple(notes))


def shared(panels: Mapping[str, PanelOutputs], sets: Sequence[ModelSet]) -> tuple[str, ...]:
    """Return the labels of the models that panels are compared over.

    The declared set `shared`, else every model that has all forms of all panels.
    """
    for each in sets:
        if each.name == SHARED:
            return each.models
    whole = [
        {m.label for k, m in enumerate(outputs.models) if not outputs.absent(k)}
        for outputs in panels.values()
    ]
    common = set.intersection(*whole) if whole else set()
    first = next(iter(panels.values()), None)
    return tuple(m.label for m in first.models if m.label in common) if first else ()


def named(name: str, labels: Sequence[str], outputs: PanelOutputs) -> Members:
    """Return the panel's models of these labels."""
    there = [model.label for model in outputs.models]
    return Members(
        name,
        tuple(there.index(label) for label in labels if label in there),
        tuple(label for label in labels if label not in there),
    )


def at_floor(outputs: PanelOutputs) -> frozenset[int]:
    """Return the models whose outputs do not follow the target at all (appendix I)."""
    return frozenset(
        k for k, regime in enumerate(floors(outputs)) if regime is not None and regime.at_floor
    )


def floors(outputs: PanelOutputs) -> tuple[FloorRegime | None, ...]:
    """Return each model's floor analysis; ``None`` where the panel has no sweep of targets."""
    if not outputs.panel.sweeps_targets:
        return (None,) * len(outputs.models)
    targets = outputs.targets[:, None, None] * np.ones(outputs.counts.shape[1:])
    return tuple(_whole(floor_regime(counts, targets), counts) for counts in outputs.counts)


def _whole(found: FloorRegime, counts: FloatArray) -> FloorRegime:
    """Return the regime without a verdict where outputs are missing: the rule is over all."""
    missing = int(np.isnan(counts).sum())
    if not missing:
        return found
    why = f"{missing} of {counts.size} outputs are missing"
    return replace(found, at_floor=None, why_undefined=why)


def _declared(found: ModelSet, outputs: PanelOutputs) -> Members:
    members = named(found.name, found.models, outputs)
    said = f"Set {found.name}, version {found.version}, declared {found.created_at[:10]}"
    return Members(
        f"set {found.name}",
        members.chosen,
        members.lacking,
        (f"{said}: {found.reason.rstrip('.')}.",),
    )
