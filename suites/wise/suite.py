"""WISE: does compliance survive another wording of the same constraint? Source: arXiv 2610.05278.

The hundred tasks and the templates marked as ours are drafts. Everything that is compared stands in
``panels.toml`` and ``tasks.jsonl``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path

from core.items import Scenario
from core.rules import rule_from_json
from suites.base import DraftForm, RunDefaults, Suite
from suites.forms import load
from suites.wise import items, manifests, panels, tasks
from suites.wise.construction import faults
from suites.wise.figures import figures
from suites.wise.tables.assembly import tables

_RULE = (resources.files("suites.wise") / "rule.toml").read_text("utf-8")

# Section 4 and appendix R: three generations, 120 tokens, no system prompt, and temperature 0.2 for
# nine of thirteen models. A prefill would be part of the counted text, so there is none.
DEFAULTS = RunDefaults(samples=3, temperature=0.2, max_tokens=120, prefill="")


def suite_of(definition: panels.Definition, drafted: Callable[[], Sequence[tasks.Task]]) -> Suite:
    """Return the suite of some panels and tasks; nothing else makes it what it is."""
    survey, form = definition.survey.conditions, load("wise")
    first = definition.panels[0]

    def read(folder: Path) -> tuple[Scenario, ...]:
        return items.scenarios(*manifests.read(folder, definition))

    return Suite(
        name="wise",
        title="WISE wording panels (draft tasks)",
        conditions=(*definition.conditions, *survey),
        pair=(first.conditions[0], first.conditions[1]),
        run_conditions=definition.conditions,
        strata=("target",),
        form=form,
        rule=rule_from_json(tomllib.loads(_RULE), "suites/wise/rule.toml"),
        verifiers=(),
        scenarios=lambda: items.scenarios(drafted(), definition),
        faults=faults,
        render=items.render,
        tables=lambda data: tables(data, definition, form),
        figures=lambda data: figures(data, definition),
        run_defaults=DEFAULTS,
        draft=DraftForm(matched=(*(panel.conditions for panel in definition.panels), survey)),
        surveyed=survey,
        read=read,
    )


SUITE = suite_of(panels.shipped(), tasks.shipped)
