"""How outputs fail: the floor (Table 12) and surface behaviour (appendix D)."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from core.tables import Cell, Column, Table
from stats.compliance import panel_compliance
from suites.wise.analysis import Analysis
from suites.wise.pooled import Pool
from suites.wise.sets import floors

Row = Mapping[str, Cell]

# Openings that talk about the answer instead of giving it; the three that appendix D names.
OPENINGS = ("here is", "here's", "the answer is")
_OPENING = re.compile(rf"\W*(?:{'|'.join(OPENINGS)})\b", re.IGNORECASE)


def floor_table(analysis: Analysis) -> Table:
    """Return compliance and length by target, and whether a model is at the floor (Table 12)."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        outputs = analysis.panels[panel.name]
        for model, regime in zip(outputs.models, floors(outputs), strict=True):
            if regime is None:
                continue
            verdict = {True: "at the floor", False: "no", None: regime.why_undefined}
            rows += [
                {
                    "model": model.label,
                    "panel": panel.name,
                    "target": int(row.target),
                    "exact": row.exact,
                    "words": row.mean_words,
                    "error": row.mean_error,
                    "n": row.n_outputs,
                    "change": regime.change_in_words,
                    "floor": verdict[regime.at_floor],
                }
                for row in regime.targets
            ]
    return Table(
        name="floor",
        title=analysis.titled("Floor analysis by target (Table 12)"),
        columns=(
            Column("model", "Model"),
            Column("panel", "Panel"),
            Column("target", "target", "count"),
            Column("exact", "exact", "share"),
            Column("words", "mean words", "score"),
            Column("error", "mean error", "score"),
            Column("n", "n outputs", "count"),
            Column("change", "change in words", "score"),
            Column("floor", "floor regime"),
        ),
        rows=tuple(rows),
        notes=(
            "At the floor (appendix I): exact compliance of at most 1 % at every target above the "
            "least, and mean words that change by less than one from the least target to the "
            "greatest. No intervals: the rule is over the outputs as they are.",
        ),
    )


def surface_table(analysis: Analysis) -> Table:
    """Return short outputs, openings that talk about the answer, and the spread of errors."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        pool = analysis.primary(panel)
        if not panel.sweeps_targets:
            continue
        profiles = pool.profiles()
        openings = _openings(analysis, pool)
        errors = count_errors(pool)
        for form in panel.form_names:
            profile, found = profiles.get(form), errors.get(form)
            if profile is None or found is None or found.size == 0:
                why = pool.missing.get(form, "nothing was asked")
                rows.append({"form": form, "panel": panel.name, "quartiles": why, "n": 0})
                continue
            low, middle, high = np.percentile(found, (25, 50, 75))
            rows.append(
                {
                    "form": form,
                    "panel": panel.name,
                    "under": profile.under,
                    "over": profile.over,
                    "short": profile.short,
                    "openings": openings.get(form),
                    "quartiles": f"{low:+.3g}, {middle:+.3g}, {high:+.3g}",
                    "n": int(found.size),
                }
            )
    return Table(
        name="surface",
        title=analysis.titled("Surface behaviour, primary sets (appendix D)"),
        columns=(
            Column("form", "Form"),
            Column("panel", "Panel"),
            Column("under", "under", "share"),
            Column("over", "over", "share"),
            Column("short", "at most 2 words", "share"),
            Column("openings", "meta openings", "share"),
            Column("quartiles", "words - target: quartiles"),
            Column("n", "n outputs", "count"),
        ),
        rows=tuple(rows),
        notes=(
            f"Meta openings: {', '.join(OPENINGS)}, in any case, after marks such as quotes.",
            analysis.resampled(),
        ),
    )


def count_errors(pool: Pool) -> dict[str, np.ndarray]:
    """Return observed words less the target, by form, over all outputs of whole tasks."""
    outputs = pool.outputs
    errors = outputs.whole_counts - outputs.targets[None, :, None, None]
    found = {}
    for form in pool.forms:
        mine = errors[:, :, outputs.panel.form_names.index(form)]
        found[form] = mine[np.isfinite(mine)]
    return found


def _openings(analysis: Analysis, pool: Pool) -> dict[str, Cell]:
    outputs = pool.outputs
    if outputs.texts is None or not pool.forms:
        return {}
    flat = [
        text is not None and bool(_OPENING.match(plain(str(text)))) for text in outputs.texts.flat
    ]
    opened = np.reshape(np.array(flat, np.float64), outputs.texts.shape)
    shares = np.where(np.isfinite(outputs.compliant), opened, np.nan).mean(axis=3)
    at = [outputs.panel.form_names.index(form) for form in pool.forms]
    found = panel_compliance(
        shares[:, :, at],
        pool.forms,
        reference=pool.forms[0],
        providers=pool.providers,
        scheme=pool.scheme,
        replicates=analysis.data.replicates,
        seed=analysis.data.seed,
    )
    return {form.form: form.compliance for form in found.forms}


def plain(text: str) -> str:
    """Return a text with straight apostrophes, so that "here’s" is "here's"."""
    return text.replace("’", "'")
