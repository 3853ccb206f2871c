"""How firm the contrasts are: Holm families (Table 10) and other resampling schemes (Table 23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from core.estimate import Estimate
from core.tables import Cell, Column, Table
from stats.multiplicity import Family, correct_family
from stats.pooled import Scheme
from suites.wise.analysis import Analysis
from suites.wise.panels import Panel
from suites.wise.pooled import Pool

Row = Mapping[str, Cell]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)[:3]


def multiplicity_table(analysis: Analysis) -> Table:
    """Return every contrast against POS with raw and Holm p, a family per panel (Table 10)."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        pool = analysis.primary(panel)
        raw = contrasts(panel, pool, analysis.definition.reference)
        family, why = holm(panel, raw)
        corrected = {test.name: test.corrected for test in family.tests} if family else {}
        for form, found in raw.items():
            rows.append(
                {
                    "contrast": f"{form} - {analysis.definition.reference}",
                    "family": panel.title,
                    "difference": found,
                    "p": found.p,
                    "holm": corrected.get(form, why),
                    "tests": len(raw),
                }
            )
    least = 2 / (analysis.data.replicates + 1)
    return Table(
        name="multiplicity",
        title=analysis.titled("Contrasts within their Holm families, primary sets (Table 10)"),
        columns=(
            Column("contrast", "Contrast"),
            Column("family", "Family"),
            Column("difference", "difference", "signed"),
            Column("p", "raw p", "share"),
            Column("holm", "Holm p", "share"),
            Column("tests", "tests in family", "count"),
        ),
        rows=tuple(rows),
        notes=(
            "Two-sided bootstrap p from the draws of the interval, with the add-one convention: "
            f"never 0, with {analysis.data.replicates:,} replicates at least {least:.2g}. Holm is "
            "taken within a panel, and only when every contrast of the family has its p.",
            analysis.resampled(),
        ),
    )


def contrasts(panel: Panel, pool: Pool, reference: str) -> dict[str, Estimate]:
    """Return a panel's contrasts against the reference form, the family of its tests."""
    found = {name: pool.form(name).difference for name in panel.form_names if name != reference}
    return {name: each for name, each in found.items() if each is not None}


def holm(panel: Panel, raw: Mapping[str, Estimate]) -> tuple[Family | None, str]:
    """Return the corrected family of a panel, or why it cannot be corrected."""
    lacking = [name for name, each in raw.items() if each.p is None]
    if lacking:
        return None, f"family incomplete: no p for {', '.join(lacking)}"
    return correct_family(panel.title, {name: each.p for name, each in raw.items()}), ""


def bootstrap_table(analysis: Analysis) -> Table:
    """Return contrasts of the exact-count panels under three resampling schemes (Table 23)."""
    rows: list[Row] = []
    for panel in analysis.frozen:
        if panel.sweeps_targets:
            rows += _under_schemes(panel, analysis.primary(panel), analysis.definition.reference)
    return Table(
        name="bootstrap",
        title=analysis.titled("Contrasts under three resampling schemes, primary sets (Table 23)"),
        columns=(
            Column("contrast", "Contrast"),
            Column("panel", "Panel"),
            *(Column(scheme, scheme, "signed") for scheme in SCHEMES),
        ),
        rows=tuple(rows),
        notes=(
            "The value is the same under all three; what differs is which level is resampled. With "
            "one provider or one model the levels above it have nothing to resample.",
            f"{analysis.data.replicates:,} replicates, seed {analysis.data.seed}.",
        ),
    )


def _under_schemes(panel: Panel, pool: Pool, reference: str) -> list[Row]:
    found = {scheme: pool.by_scheme(scheme) for scheme in SCHEMES}
    rows: list[Row] = []
    for name in panel.form_names:
        if name == reference:
            continue
        cells: dict[str, Cell] = {}
        for scheme, each in found.items():
            there = {form.form: form for form in each.forms} if each else {}
            form = there.get(name)
            cells[scheme] = form.difference if form else pool.form(name).difference
        rows.append({"contrast": f"{name} - {reference}", "panel": panel.name, **cells})
    return rows
