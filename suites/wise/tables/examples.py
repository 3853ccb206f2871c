"""Examples of failures: matched with a compliant POS output (Table 8), and by direction (9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from core.tables import Cell, Column, Table
from suites.wise.analysis import Analysis
from suites.wise.outputs import PanelOutputs, unit_of
from suites.wise.panels import STRUCTURED, Panel

Row = Mapping[str, Cell]
SHOWN = 120  # characters of an output


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
    unit = unit_of(outputs.panel)
    wanted = f"{ends} {unit.removesuffix('s') if ends == '1' else unit}"
    structured = outputs.panel.verifier == STRUCTURED
    return {
        "model": outputs.models[m].label,
        "task": outputs.tasks[t],
        "wanted": "the object" if structured else wanted,
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
