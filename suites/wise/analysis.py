"""Everything that tables and figures of one study share, computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.words import counted
from suites.base import SuiteData
from suites.wise.models import Model, models
from suites.wise.outputs import PanelOutputs, outputs_of
from suites.wise.panels import Definition, Panel
from suites.wise.pooled import Pool, pool_of
from suites.wise.sets import Members, everybody, primary


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """A study's outputs, panel by panel, and their pools.

    Attributes
    ----------
    panels
        Outputs by panel, of the panels that have frozen tasks.
    """

    data: SuiteData
    definition: Definition
    models: tuple[Model, ...]
    panels: Mapping[str, PanelOutputs]
    _primary: dict[str, Pool] = field(default_factory=dict)
    _all: dict[str, Pool] = field(default_factory=dict)
    _alone: dict[tuple[str, int], Pool] = field(default_factory=dict)

    @property
    def frozen(self) -> tuple[Panel, ...]:
        """The panels that have frozen tasks, in the order of every table."""
        return tuple(p for p in self.definition.panels if p.name in self.panels)

    def primary(self, panel: Panel) -> Pool:
        """Return the panel pooled over its primary set."""
        if panel.name not in self._primary:
            members = primary(self.panels[panel.name], self.data.sets)
            self._primary[panel.name] = self.pool(panel, members)
        return self._primary[panel.name]

    def everybody(self, panel: Panel) -> Pool:
        """Return the panel pooled over all models that were asked anything of it."""
        if panel.name not in self._all:
            members = everybody(self.panels[panel.name])
            first = self.primary(panel)
            same = first.members.chosen == members.chosen and not first.members.lacking
            self._all[panel.name] = first if same else self.pool(panel, members)
        return self._all[panel.name]

    def alone(self, panel: Panel, model: int) -> Pool:
        """Return the panel for one of its models, by position."""
        if (panel.name, model) not in self._alone:
            label = self.panels[panel.name].models[model].label
            self._alone[panel.name, model] = self.pool(panel, Members(label, (model,)))
        return self._alone[panel.name, model]

    def pool(self, panel: Panel, members: Members) -> Pool:
        """Return the panel pooled over some models."""
        return pool_of(
            self.panels[panel.name],
            members,
            reference=self.definition.reference,
            replicates=self.data.replicates,
            seed=self.data.seed,
        )

    def titled(self, heading: str, pool: Pool | None = None, caveats: Iterable[str] = ()) -> str:
        """Return a heading with everything that a reader must know before the numbers."""
        mine = self.models if pool is None else pool.outputs.models
        found = list(self.data.caveats) + list(caveats)
        found += [f"{model.label} is a fake, no model" for model in mine if model.scripted]
        found += [f"{model.label}: imported outputs" for model in mine if model.imported]
        found += [f"{model.label}: asked by batch" for model in mine if model.batched]
        found += [f"{model.label}: the run is not finished" for model in mine if not model.finished]
        if pool is not None:
            found.insert(0, _counted(pool))
        return f"{heading} ({'; '.join(found)})" if found else heading

    def resampled(self) -> str:
        """Return how intervals were made, for the foot of a table."""
        return (
            f"95 % percentile intervals, {self.data.replicates:,} replicates, seed "
            f"{self.data.seed}; each estimate carries its scheme in --json."
        )


def analysis(data: SuiteData, definition: Definition) -> Analysis:
    """Return the analysis of a study's data; asked again for the same data, the same one.

    A report asks for tables and for figures; both rest on the same pools.
    """
    last = _LAST.get("analysis")
    if last is None or last.data is not data or last.definition is not definition:
        found = Analysis(data, definition, models(data.runs), outputs_of(data, definition))
        _LAST["analysis"] = found
        return found
    return last


_LAST: dict[str, Analysis] = {}


def _counted(pool: Pool) -> str:
    return f"{pool.members.name}: {counted(len(pool.outputs.models), 'model')}"
