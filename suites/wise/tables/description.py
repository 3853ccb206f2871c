"""What was asked of whom, and what came back: forms (1), models (7), sets, states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from core.runs import STATES
from core.tables import Cell, Column, Table
from suites.wise.analysis import Analysis
from suites.wise.models import Model
from suites.wise.panels import Panel
from suites.wise.sets import at_floor

Row = Mapping[str, Cell]


def forms_table(analysis: Analysis) -> Table:
    """Return every wording form with its source (Table 1)."""
    frozen = Counter(item.condition for item in analysis.data.items)
    rows: tuple[Row, ...] = tuple(
        {
            "form": form.name,
            "panel": panel.name,
            "template": form.template,
            "source": form.source,
            "period": "printed" if form.period_printed else "added",
            "tasks": frozen[panel.condition(form.name)],
        }
        for panel in analysis.definition.panels
        for form in panel.forms
    )
    return Table(
        name="forms",
        title=analysis.titled("Wording forms (Table 1, sections 4 and 5.3)"),
        columns=(
            Column("form", "Form"),
            Column("panel", "Panel"),
            Column("template", "Template"),
            Column("source", "Source"),
            Column("period", "full stop"),
            Column("tasks", "frozen tasks", "count"),
        ),
        rows=rows,
        notes=(
            "Source: where the paper prints the template; ours: the paper prints none. "
            "Every instruction ends with a full stop; added: the paper quotes it without one.",
        ),
    )


def models_table(analysis: Analysis) -> Table:
    """Return the models with their ids as called, and when they were run (Table 7)."""
    return Table(
        name="models",
        title=analysis.titled("Models and their ids as called (Table 7)"),
        columns=(
            Column("model", "Model"),
            Column("provider", "Provider"),
            Column("api", "API model id"),
            Column("first", "First run"),
            Column("last", "Closed"),
            Column("temperature", "temperature", "score"),
            Column("tokens", "max. tokens", "count"),
            Column("panels", "Panels"),
            Column("sets", "Sets"),
        ),
        rows=tuple(_model_row(analysis, model) for model in analysis.models),
        notes=("A provider is what the run says, else the host of its endpoint, else its kind.",),
    )


def _model_row(analysis: Analysis, model: Model) -> Row:
    config = model.runs[0].config
    asked = [
        name
        for name, outputs in analysis.panels.items()
        if model.label in {each.label for each in outputs.models}
    ]
    return {
        "model": model.label,
        "provider": model.provider,
        "api": model.api_id,
        "first": min(run.created_at for run in model.runs)[:10],
        "last": _closed(model),
        "temperature": config.get("temperature"),
        "tokens": config.get("max_tokens"),
        "panels": ", ".join(asked) or "none",
        "sets": ", ".join(each.name for each in analysis.data.sets if model.label in each.models),
    }


def _closed(model: Model) -> str:
    """Return the day on which the last run was closed, or why there is none."""
    if model.imported:
        return "imported"
    closed = [run.closed_at for run in model.runs if run.closed_at]
    return max(closed)[:10] if model.finished and closed else "not finished"


def sets_table(analysis: Analysis) -> Table:
    """Return which models each panel's primary tables are over, and why the others are not."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        members = analysis.primary(panel).members
        outputs = analysis.panels[panel.name]
        floor = at_floor(outputs)
        for k, model in enumerate(outputs.models):
            inside = k in members.chosen
            why = "at the floor" if k in floor else ""
            rows.append(
                {
                    "panel": panel.name,
                    "model": model.label,
                    "in": "in" if inside else "out",
                    "why": why if inside else why or "left out by the declared set",
                    "set": members.name,
                }
            )
        rows += [
            {
                "panel": panel.name,
                "model": label,
                "in": "missing",
                "why": "declared, and not run on this panel",
                "set": members.name,
            }
            for label in members.lacking
        ]
    notes = [f"{s.name}, version {s.version}: {s.reason.rstrip('.')}." for s in analysis.data.sets]
    return Table(
        name="sets",
        title=analysis.titled("Primary sets, panel by panel"),
        columns=(
            Column("panel", "Panel"),
            Column("model", "Model"),
            Column("in", "Primary"),
            Column("why", "Why"),
            Column("set", "By"),
        ),
        rows=tuple(rows),
        notes=(
            "The floor rule of appendix I leaves models out where a panel sweeps targets; every "
            "other exclusion is declared, with its reason (wavelock sets).",
            *notes,
        ),
    )


def states_table(analysis: Analysis) -> Table:
    """Return what came back, by model and panel, state by state."""
    found = _states(analysis)
    return Table(
        name="states",
        title=analysis.titled("What came back, by model and panel"),
        columns=(
            Column("model", "Model"),
            Column("panel", "Panel"),
            Column("expected", "expected", "count"),
            *(Column(state, state, "count") for state in STATES),
            Column("unscored", "not scored yet", "count"),
        ),
        rows=tuple(
            {
                "model": model,
                "panel": panel,
                "expected": _expected(analysis, model, analysis.definition.panel(panel)),
                **{state: states[state] for state in (*STATES, "unscored")},
            }
            for (model, panel), states in found.items()
        ),
        notes=(
            "Truncated output is read as it stands. Empty output has no words and no keyword and "
            "is no JSON, so it complies with nothing; errors and replies that are not scored yet "
            "are holes.",
        ),
    )


def _states(analysis: Analysis) -> dict[tuple[str, str], Counter[str]]:
    """Count states by model and panel; "unscored" is what no verifier has read yet."""
    data = analysis.data
    panel_of = {condition: panel for panel in analysis.frozen for condition in panel.conditions}
    place = {item.id: panel_of.get(item.condition) for item in data.items}
    found = {(m.label, panel.name): Counter[str]() for panel in analysis.frozen
             for m in analysis.models}  # fmt: skip
    for model in analysis.models:
        for run in model.runs:
            for generation in data.generations.get(run.id, ()):
                panel = place.get(generation.wave_item)
                if panel is None:
                    continue
                states = found[model.label, panel.name]
                states[generation.state] += 1
                read = generation.id in data.verdicts.get(panel.verifier, {})
                states["unscored"] += not read and generation.state != "error"
    return found


def _expected(analysis: Analysis, label: str, panel: Panel) -> int:
    outputs = analysis.panels[panel.name]
    if label not in {model.label for model in outputs.models}:
        return 0
    frozen = sum(item.condition in panel.conditions for item in analysis.data.items)
    return frozen * int(outputs.compliant.shape[3])
