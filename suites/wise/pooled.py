"""A panel pooled over a set of models: compliance, contrasts, failures, and what is missing.

A form that a model of the set lacks altogether is missing for the set: its row says so, and so does
everything that needs all forms. A task that a model lacks in part is left out for that model under
all forms (they stay matched) and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.estimate import Estimate, undefined
from stats.compliance import (
    CountProfile,
    FormCompliance,
    PanelCompliance,
    count_profiles,
    panel_compliance,
)
from stats.pooled import Scheme
from suites.wise.outputs import PanelOutputs
from suites.wise.sets import Members

ALONE: Scheme = "item cluster"  # of one model nothing but its tasks can be drawn


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """One panel over one set of models.

    Attributes
    ----------
    outputs
        Those of the set's models alone.
    missing
        Why a form has no numbers, by form.
    compliance
        Over the forms that are there; ``None`` where none is.
    reference
        The form of the contrasts, where it is among them.
    """

    outputs: PanelOutputs
    members: Members
    missing: Mapping[str, str]
    compliance: PanelCompliance | None
    reference: str | None
    replicates: int
    seed: int

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that are there, in the panel's order."""
        return tuple(n for n in self.outputs.panel.form_names if n not in self.missing)

    @property
    def providers(self) -> tuple[str, ...]:
        """Each model's provider."""
        return tuple(model.provider for model in self.outputs.models)

    @property
    def scheme(self) -> Scheme:
        """How the panel's intervals are made with these models."""
        return scheme_for(self.outputs)

    @property
    def incomplete(self) -> str | None:
        """Why nothing that needs all forms can be computed; ``None`` when it can."""
        if not self.missing:
            return None
        reasons = dict.fromkeys(self.missing.values())
        if len(reasons) == 1 and len(self.missing) == len(self.outputs.panel.forms):
            return next(iter(reasons))
        return "; ".join(f"{form} is missing: {why}" for form, why in self.missing.items())

    def form(self, name: str) -> FormCompliance:
        """Return a form's compliance and contrast, or the reason why there is none."""
        if self.compliance is None or name in self.missing:
            nothing = undefined(self.missing.get(name, "nothing was asked"))
            return FormCompliance(name, nothing, nothing)
        found = next(each for each in self.compliance.forms if each.form == name)
        if self.reference is None:
            why = undefined("the form that contrasts are taken against is missing")
            return FormCompliance(name, found.compliance, why)
        return found

    def summary(self, what: str) -> Estimate:
        """Return C_mean, C_worst or G_wording: of all forms or not at all."""
        why = self.incomplete
        if self.compliance is None or why is not None:
            return undefined(why or "nothing was asked")
        found: Estimate = getattr(self.compliance, what)
        return found

    def profiles(self) -> dict[str, CountProfile]:
        """Return how the outputs of each form that is there miss their count."""
        if self.compliance is None:
            return {}
        outputs, at = self.outputs, self._at
        found = count_profiles(
            outputs.whole_counts[:, :, at],
            self.forms,
            lowest=outputs.lowest,
            highest=outputs.highest,
            providers=self.providers,
            scheme=self.scheme,
            replicates=self.replicates,
            seed=self.seed,
        )
        return {profile.form: profile for profile in found}

    def by_scheme(self, scheme: Scheme) -> PanelCompliance | None:
        """Return the compliance with intervals of another scheme."""
        if self.compliance is None or self.reference is None:
            return None
        return panel_compliance(
            self.scores,
            self.forms,
            reference=self.reference,
            providers=self.providers,
            scheme=scheme,
            replicates=self.replicates,
            seed=self.seed,
        )

    @property
    def scores(self) -> np.ndarray:
        """Shares of the forms that are there."""
        return self.outputs.scores[:, :, self._at]

    @property
    def whole_tasks(self) -> tuple[int, ...]:
        """How many tasks each model has under every form that is there."""
        whole = np.isfinite(self.scores).all(axis=2)
        return tuple(int(n) for n in whole.sum(axis=1))

    @property
    def _at(self) -> list[int]:
        names = self.outputs.panel.form_names
        return [names.index(name) for name in self.forms]


def pool_of(
    outputs: PanelOutputs, members: Members, *, reference: str, replicates: int, seed: int
) -> Pool:
    """Pool a panel over a set of models."""
    mine = outputs.only(members.chosen)
    missing = _missing(mine, members, asked=bool(outputs.models))
    names = mine.panel.form_names
    forms = [name for name in names if name not in missing]
    found = reference if reference in forms else None
    compliance = None
    if forms and mine.models:
        at = [names.index(name) for name in forms]
        scheme = scheme_for(mine)
        compliance = panel_compliance(
            mine.scores[:, :, at],
            forms,
            reference=found or forms[0],
            providers=[model.provider for model in mine.models],
            scheme=scheme,
            replicates=replicates,
            seed=seed,
        )
    return Pool(mine, members, missing, compliance, found, replicates, seed)


def scheme_for(outputs: PanelOutputs) -> Scheme:
    """Return the panel's scheme; over one model, tasks alone are drawn."""
    return outputs.panel.scheme if len(outputs.models) > 1 else ALONE


def _missing(outputs: PanelOutputs, members: Members, *, asked: bool) -> dict[str, str]:
    names = outputs.panel.form_names
    if not outputs.models and not members.lacking:
        left_out = "every model is left out, see the table sets"
        return dict.fromkeys(names, left_out if asked else "no model was run on this panel")
    if members.lacking:
        return dict.fromkeys(names, f"not run on this panel: {', '.join(members.lacking)}")
    found: dict[str, list[str]] = {}
    for k, model in enumerate(outputs.models):
        for name in outputs.absent(k):
            found.setdefault(name, []).append(model.label)
    return {name: f"no whole task of {', '.join(labels)}" for name, labels in found.items()}
