"""Compliance by form, pooled (Tables 2-4, 6, 13-16), by model (17-22), and summed up (11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.estimate import Estimate, undefined
from core.tables import Cell, Column, Table
from stats.compliance import CountProfile
from suites.wise.analysis import Analysis
from suites.wise.outputs import unit_of
from suites.wise.panels import COUNTED, ONCE, RANGED, STRUCTURED, Panel
from suites.wise.pooled import Pool

Row = Mapping[str, Cell]

# The paper's tables: pooled over the primary set, over all models, by model.
PAPER = {
    "exact": ("Table 2", "App. O", "Table 21"),
    "controls": ("Table 3", "App. K", "Table 17"),
    "avoidance": ("Table 4", "App. O", "Table 22"),
    "json": ("Table 6", "", "Table 18"),
    "keyword": ("Table 13", "Table 15", "Table 20"),
    "range": ("Table 14", "Table 16", "Table 19"),
}
_ERROR = Column("error", "mean abs. error", "score")
_SHORT = Column("short", "at most 2 words", "share")
_FAILURES = {
    COUNTED: (_ERROR, Column("under", "under", "share"), Column("over", "over", "share"), _SHORT),
    RANGED: (_ERROR, Column("under", "below", "share"), Column("over", "above", "share"), _SHORT),
    ONCE: (Column("under", "zero", "share"), Column("over", "multiple", "share")),
    STRUCTURED: (Column("under", "parse failure", "share"), Column("over", "other keys", "share")),
}
SUMMARIES = (
    Column("reference", "POS", "share"),
    Column("c_mean", "C_mean", "share"),
    Column("c_worst", "C_worst", "share"),
    Column("g_wording", "G_wording", "share"),
)


def pooled_tables(analysis: Analysis) -> Iterator[Table]:
    """Yield each panel over its primary set, then over all models where that is another set."""
    for panel in analysis.frozen:
        first, everybody = analysis.primary(panel), analysis.everybody(panel)
        yield _pooled(analysis, panel, first, panel.name, _of(panel, 0))
        if everybody is not first:
            yield _pooled(analysis, panel, everybody, f"{panel.name}-all", _of(panel, 1))


def model_tables(analysis: Analysis) -> Iterator[Table]:
    """Yield each panel's compliance by model and form."""
    for panel in analysis.frozen:
        yield _by_model(analysis, panel)


def audit_table(analysis: Analysis) -> Table:
    """Return POS, C_mean, C_worst and G_wording of every panel (Table 11)."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        pool = analysis.primary(panel)
        found = pool.compliance
        weakest = ", ".join(found.worst_forms) if found and not pool.missing else None
        rows.append(
            {
                "panel": panel.name,
                "set": pool.members.name,
                "models": len(pool.outputs.models),
                "reference": pool.form(analysis.definition.reference).compliance,
                **{column.key: pool.summary(column.key) for column in SUMMARIES[1:]},
                "weakest": weakest,
            }
        )
    return Table(
        name="audit",
        title=analysis.titled("Audit summary of the panels (Table 11)"),
        columns=(
            Column("panel", "Panel"),
            Column("set", "Models of"),
            Column("models", "n models", "count"),
            *SUMMARIES,
            Column("weakest", "weakest form"),
        ),
        rows=tuple(rows),
        notes=(
            "Mean, least, and greatest less least pooled compliance over a panel's forms "
            "(Eqs. 6-8). They need every form of every model of the set.",
            analysis.resampled(),
        ),
    )


def _of(panel: Panel, which: int) -> str:
    said = PAPER.get(panel.name, ("", "", ""))[which]
    return f" ({said})" if said else ""


def _pooled(analysis: Analysis, panel: Panel, pool: Pool, name: str, paper: str) -> Table:
    profiles = pool.profiles()
    failures = _FAILURES[panel.verifier]
    rows: list[Row] = []
    for form in panel.form_names:
        found = pool.form(form)
        profile = profiles.get(form)
        rows.append(
            {
                "form": form,
                "compliance": found.compliance,
                "difference": None if form == analysis.definition.reference else found.difference,
                **{column.key: _failure(profile, column.key, pool, form) for column in failures},
                "n": sum(pool.whole_tasks) if form in pool.forms else 0,
            }
        )
    return Table(
        name=name,
        title=analysis.titled(f"{panel.title}{paper}: compliance by form", pool),
        columns=(
            Column("form", "Form"),
            Column("compliance", "compliance", "share"),
            Column("difference", "against POS", "signed"),
            *failures,
            Column("n", "n tasks", "count"),
        ),
        rows=tuple(rows),
        notes=(*pool.members.notes, *_notes(panel, pool), analysis.resampled()),
    )


def _failure(profile: CountProfile | None, key: str, pool: Pool, form: str) -> Estimate:
    if profile is None:
        return undefined(pool.missing.get(form, "nothing was asked"))
    found: Estimate = {
        "error": profile.absolute_error,
        "under": profile.under,
        "over": profile.over,
        "short": profile.short,
    }[key]
    return found


def _notes(panel: Panel, pool: Pool) -> Iterator[str]:
    if pool.compliance:
        rows = len(pool.outputs.models) * len(pool.outputs.tasks)
        yield (
            "n: tasks with every repetition under every form that is there, summed over models; "
            f"{pool.compliance.n_dropped} of {rows} are left out because a repetition is missing."
        )
    if panel.scheme != pool.scheme and pool.outputs.models:
        yield f"One model: its tasks are resampled ({pool.scheme}), not {panel.scheme}."
    if panel.verifier == STRUCTURED:
        yield (
            "Parse failure: the complete visible output is no JSON object; other keys: it is one, "
            "but not with exactly the keys asked for."
        )
    else:
        yield (
            f"Over the complete visible output; an output that shows nothing has 0 {unit_of(panel)}"
            " (see the table states)."
        )


def _by_model(analysis: Analysis, panel: Panel) -> Table:
    outputs = analysis.panels[panel.name]
    asked = {model.label: k for k, model in enumerate(outputs.models)}
    rows: list[Row] = []
    for model in analysis.models:
        if model.label not in asked:
            rows.append({"model": model.label, "complete": "not run on this panel"})
            continue
        alone = analysis.alone(panel, asked[model.label])
        rows.append(
            {
                "model": model.label,
                **{form: alone.form(form).compliance for form in panel.form_names},
                "gap": alone.summary("g_wording"),
                "complete": f"{alone.whole_tasks[0]} of {len(outputs.tasks)} tasks",
            }
        )
    reference = analysis.definition.reference
    rows.sort(key=lambda row: -_value(row.get(reference)))
    return Table(
        name=f"{panel.name}-models",
        title=analysis.titled(f"{panel.title}{_of(panel, 2)}: compliance by model and form"),
        columns=(
            Column("model", "Model"),
            *(Column(form, form, "share") for form in panel.form_names),
            Column("gap", "best - worst", "share"),
            Column("complete", "complete"),
        ),
        rows=tuple(rows),
        notes=(
            "Intervals resample a model's tasks. Tasks that lack a repetition under some form that "
            "the model has are left out.",
            analysis.resampled(),
        ),
    )


def _value(cell: Cell) -> float:
    value = getattr(cell, "value", None)
    return -1.0 if value is None else float(value)
