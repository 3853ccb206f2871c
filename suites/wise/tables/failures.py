"""How outputs fail: the floor (Table 12), surface behaviour (App. D), examples (Tables 8 and 9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from core.tables import Cell, Column, Table
from stats.compliance import panel_compliance
from suites.wise.analysis import Analysis
from suites.wise.outputs import PanelOutputs, unit_of
from suites.wise.panels import STRUCTURED, Panel
from suites.wise.pooled import Pool
from suites.wise.sets import floors

Row = Mapping[str, Cell]

# Openings that talk about the answer instead of giving it; the three that appendix D names.
OPENINGS = ("here is", "here's", "the answer is")
_OPENING = re.compile(rf"\W*(?:{'|'.join(OPENINGS)})\b", re.IGNORECASE)
SHOWN = 120  # characters of an example


def floor_table(analysis: Analysis) -> Table:
    """Return compliance and length by target, and whether a model is at the floor (Table 12)."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        outputs = analysis.panels[panel.name]
        for model, regime in zip(outputs.models, floors(outputs), strict=True):
            if regime is None:
                continue
            verdict = {True: "at the floor", False: "no", None: regime.why_undefined}
            for place, row in enumerate(regime.targets):
                rows.append(
                    {
                        "model": model.label if place == 0 else "",
                        "panel": panel.name,
                        "target": int(row.target),
                        "exact": row.exact,
                        "words": row.mean_words,
                        "error": row.mean_error,
                        "n": row.n_outputs,
                        "change": regime.change_in_words if place == 0 else None,
                        "floor": verdict[regime.at_floor] if place == 0 else None,
                    }
                )
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


def paired_failures_table(analysis: Analysis) -> Table:
    """Return matched examples: POS complies, another form fails (Table 8 and the last page)."""
    rows = [row for panel in analysis.frozen for row in _pairs(analysis, panel)]
    return Table(
        name="paired-failures",
        title=analysis.titled("Where POS complies and another wording fails (Table 8)"),
        columns=(
            Column("form", "Form"),
            Column("panel", "Panel"),
            Column("model", "Model"),
            Column("task", "Task"),
            Column("wanted", "Wanted"),
            Column("pos", "POS output"),
            Column("pos_count", "count", "count"),
            Column("other", "Contrast output"),
            Column("other_count", "count", "count"),
            Column("direction", "Failure"),
        ),
        rows=tuple(rows),
        notes=(
            "The first found of each form and direction, in the order of models, tasks and "
            f"repetitions; same model, task and repetition on both sides. Outputs are cut after "
            f"{SHOWN} characters. Examples show what happens, not how often.",
        ),
        empty="no wording fails where POS complies",
    )


def _pairs(analysis: Analysis, panel: Panel) -> Iterator[Row]:
    outputs, reference = analysis.panels[panel.name], analysis.definition.reference
    at = panel.form_names.index(reference)
    for form in panel.form_names:
        if form == reference:
            continue
        other = panel.form_names.index(form)
        matched = (outputs.compliant[:, :, at] == 1) & (outputs.compliant[:, :, other] == 0)
        for direction, (m, t, r) in _first_of_each(outputs, other, matched):
            there, here = (m, t, at, r), (m, t, other, r)
            yield {
                "form": form,
                "panel": panel.name,
                **_example(outputs, here, direction),
                "pos": _shown(outputs, there),
                "pos_count": _count(outputs, there),
            }


def failures_table(analysis: Analysis) -> Table:
    """Return an example of every form and failure direction, whatever POS did (Table 9)."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        outputs = analysis.panels[panel.name]
        for place, form in enumerate(panel.form_names):
            failed = outputs.compliant[:, :, place] == 0
            for direction, (m, t, r) in _first_of_each(outputs, place, failed):
                example = _example(outputs, (m, t, place, r), direction)
                rows.append({"form": form, "panel": panel.name, **example})
    return Table(
        name="failures",
        title=analysis.titled("Failures by form and direction (Table 9)"),
        columns=(
            Column("form", "Form"),
            Column("panel", "Panel"),
            Column("model", "Model"),
            Column("task", "Task"),
            Column("wanted", "Wanted"),
            Column("other", "Output"),
            Column("other_count", "count", "count"),
            Column("direction", "Failure"),
        ),
        rows=tuple(rows),
        notes=(f"The first found of each; outputs are cut after {SHOWN} characters.",),
        empty="no output failed",
    )


def _first_of_each(
    outputs: PanelOutputs, form: int, failed: np.ndarray
) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield the first failed output of each direction, by model, task and repetition."""
    counts = outputs.counts[:, :, form]
    low, high = outputs.lowest[None, :, None], outputs.highest[None, :, None]
    under, over = _directions(outputs.panel)
    for name, kind in ((under, counts < low), (over, counts > high)):
        for m, t, r in np.argwhere(failed & kind)[:1].tolist():
            yield name, (m, t, r)


def _directions(panel: Panel) -> tuple[str, str]:
    if panel.verifier == STRUCTURED:
        return "parse failure", "other keys"
    return ("under", "over") if unit_of(panel) == "words" else ("zero", "multiple")


def _example(outputs: PanelOutputs, at: tuple[int, int, int, int], direction: str) -> Row:
    m, t, _, _ = at
    low, high = int(outputs.lowest[t]), int(outputs.highest[t])
    ends = str(low) if low == high else f"{low}-{high}"
    structured = outputs.panel.verifier == STRUCTURED
    return {
        "model": outputs.models[m].label,
        "task": outputs.tasks[t],
        "wanted": "the object" if structured else f"{ends} {unit_of(outputs.panel)}",
        "other": _shown(outputs, at),
        "other_count": _count(outputs, at),
        "direction": direction,
    }


def _shown(outputs: PanelOutputs, at: tuple[int, int, int, int]) -> str | None:
    text = None if outputs.texts is None else outputs.texts[at]
    if text is None:
        return None
    line = " / ".join(part for part in str(text).splitlines() if part.strip()) or "(nothing)"
    return line if len(line) <= SHOWN else f"{line[:SHOWN].rstrip()}…"


def _count(outputs: PanelOutputs, at: tuple[int, int, int, int]) -> int | None:
    count = outputs.counts[at]
    if outputs.panel.verifier == STRUCTURED or not np.isfinite(count):
        return None
    return int(count)
