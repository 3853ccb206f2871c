"""What wording does to comparisons: ranking stability (Table 5), and reruns of the same wording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from core.estimate import Estimate, undefined
from core.tables import Cell, Column, Table
from stats.compliance import panel_compliance
from stats.ranking import RankingStability, ranking_stability
from stats.run_stability import run_stability
from suites.wise.analysis import Analysis
from suites.wise.models import Model
from suites.wise.panels import Panel
from suites.wise.pooled import ALONE, Pool

Row = Mapping[str, Cell]
TOP = 3
_TWO = "a ranking needs at least two models"


def ranking_table(analysis: Analysis) -> Table:
    """Return how every form ranks the primary models, compared with POS (Table 5)."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        pool = analysis.primary(panel)
        found, why = ranked(pool)
        for form in panel.form_names:
            if form != analysis.definition.reference:
                reason = pool.missing.get(form) or why or "no task is scored for all models"
                rows.append(_ranking_row(panel, form, found.get(form), reason, pool))
    return Table(
        name="ranking",
        title=analysis.titled("Ranking stability against POS, primary sets (Table 5)"),
        columns=(
            Column("form", "Form"),
            Column("panel", "Panel"),
            Column("tau_b", "tau-b", "share"),
            Column("reversal", "reversals", "share"),
            Column("pairs", "reversed of strict pairs"),
            Column("jaccard", f"top-{TOP} overlap", "share"),
            Column("shift", "largest shift", "score"),
            Column("first", "first under form"),
        ),
        rows=tuple(rows),
        notes=(
            "Reversals: of the pairs that are strictly ordered under both forms. Tasks that any "
            "model of the set lacks are left out for all. With fewer than three models the top set "
            "is all of them.",
            f"Intervals: task bootstrap, {analysis.data.replicates:,} replicates, seed "
            f"{analysis.data.seed}.",
        ),
    )


def ranked(pool: Pool) -> tuple[dict[str, RankingStability], str | None]:
    """Return each form's ranking against the reference's, or why there is none."""
    if len(pool.outputs.models) < 2:
        return {}, _TWO
    if pool.reference is None or len(pool.forms) < 2:
        return {}, pool.incomplete or "no form to compare"
    if not np.isfinite(pool.scores).all(axis=(0, 2)).any():
        return {}, "no task is scored for all models and forms"
    found = ranking_stability(
        pool.scores,
        pool.forms,
        reference=pool.reference,
        k=min(TOP, len(pool.outputs.models)),
        replicates=pool.replicates,
        seed=pool.seed,
    )
    return {each.form: each for each in found}, None


def _ranking_row(
    panel: Panel, form: str, found: RankingStability | None, why: str, pool: Pool
) -> Row:
    if found is None:
        return {"form": form, "panel": panel.name, "tau_b": undefined(why)}
    scores = pool.scores
    complete = np.isfinite(scores).all(axis=(0, 2))
    means = scores[:, complete, pool.forms.index(form)].mean(axis=1)
    best = np.flatnonzero(means >= means.max() - 1e-9)
    return {
        "form": form,
        "panel": panel.name,
        "tau_b": found.tau_b,
        "reversal": found.reversal,
        "pairs": f"{found.n_reversed} of {found.n_pairs}",
        "jaccard": found.top_k_jaccard,
        "shift": found.max_displacement,
        "first": ", ".join(pool.outputs.models[k].label for k in best),
    }


def rerun_table(analysis: Analysis) -> Table:
    """Return how far the same wording agrees with itself, run again in another panel."""
    rows: list[Row] = []
    seeded: set[str] = set()
    for copy in _copies(analysis):
        form, one, other = copy
        both = _both(analysis, one, other)
        seeded |= {model.label for model in both if model.seeded}
        scores = _side_by_side(analysis, form, one, other, both)
        if len(both) > 1:
            providers = [model.provider for model in both]
            rows.append(_rerun_row(analysis, copy, scores, providers))
        for k, model in enumerate(both):
            rows.append({**_rerun_row(analysis, copy, scores[[k]], None), "who": model.label})
    notes = [
        "Difference: the second copy less the first, task by task. What wording does must be seen "
        "beside what merely running again does.",
        analysis.resampled(),
    ]
    if seeded:
        notes.insert(
            1,
            f"Asked with a seed: {', '.join(sorted(seeded))}. The same prompt then gets the same "
            "reply, so its copies agree by construction and say nothing about reruns.",
        )
    return Table(
        name="reruns",
        title=analysis.titled("The same wording run again in another panel"),
        columns=(
            Column("form", "Form"),
            Column("first", "First copy"),
            Column("second", "Second copy"),
            Column("who", "Model"),
            Column("before", "first", "share"),
            Column("after", "second", "share"),
            Column("difference", "difference", "signed"),
            Column("tau_b", "tau-b of models", "share"),
            Column("n", "n tasks", "count"),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
        empty="no wording stands in two panels that were run",
    )


def _copies(analysis: Analysis) -> Iterator[tuple[str, Panel, Panel]]:
    """Yield every form with the same template under the same verifier in two panels."""
    for one, other in combinations(analysis.frozen, 2):
        if one.verifier != other.verifier:
            continue
        theirs = {form.name: form.template for form in other.forms}
        for form in one.forms:
            if theirs.get(form.name) == form.template:
                yield form.name, one, other


def _both(analysis: Analysis, one: Panel, other: Panel) -> list[Model]:
    there = {model.label for model in analysis.panels[other.name].models}
    return [model for model in analysis.panels[one.name].models if model.label in there]


def _side_by_side(
    analysis: Analysis, form: str, one: Panel, other: Panel, both: Sequence[Model]
) -> np.ndarray:
    """Return shares by model, task and copy, over the tasks that are frozen in both panels."""
    sides = []
    first, second = (analysis.panels[panel.name] for panel in (one, other))
    common = [task for task in first.tasks if task in set(second.tasks)]
    for panel, outputs in ((one, first), (other, second)):
        models = [[m.label for m in outputs.models].index(model.label) for model in both]
        tasks = [outputs.tasks.index(task) for task in common]
        at = panel.form_names.index(form)
        sides.append(outputs.scores[np.ix_(models, tasks, [at])][:, :, 0])
    return np.stack(sides, axis=2)


def _rerun_row(
    analysis: Analysis,
    copy: tuple[str, Panel, Panel],
    scores: np.ndarray,
    providers: Sequence[str] | None,
) -> dict[str, Cell]:
    form, one, other = copy
    found = panel_compliance(
        scores,
        [one.name, other.name],
        reference=one.name,
        providers=providers,
        scheme=ALONE if providers is None else one.scheme,
        replicates=analysis.data.replicates,
        seed=analysis.data.seed,
    )
    before, after = found.forms
    return {
        "who": "all of both panels",
        "form": form,
        "first": one.name,
        "second": other.name,
        "before": before.compliance,
        "after": after.compliance,
        "difference": after.difference,
        "tau_b": None if providers is None else _tau_b(scores),
        "n": int(np.isfinite(scores).all(axis=2).sum()),
    }


def _tau_b(scores: np.ndarray) -> Estimate:
    complete = np.isfinite(scores).all(axis=(0, 2))
    if not complete.any():
        return undefined("no task is scored for all models in both copies")
    return run_stability(scores[:, complete].mean(axis=1).T).mean_tau_b
