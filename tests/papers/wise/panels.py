"""WISE: pooled compliance, contrasts and audit summaries from the model-level tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.estimate import Estimate
from stats.compliance import PanelCompliance, panel_compliance
from stats.pooled import Scheme
from tests.papers.build import QUICK
from tests.papers.table import Check, Through, read
from tests.papers.wise.scores import ByModel, members, providers

VIA = Through("wise", panel_compliance)
TWICE = "exact counts give -31.048; printed -31.1, as if rounded twice (-31.05, then -31.1)"


@dataclass(frozen=True, slots=True)
class Panel:
    """One pooled table and the model-level table that it is made from."""

    label: str
    pooled: str
    by_model: str
    members: str
    n_models: int
    scheme: Scheme
    audit: str = ""
    family: str = ""

    def models(self) -> list[str]:
        """Return the models that are pooled, in the order of the model-level table."""
        wanted = set(members(self.members))
        return [model for model in ByModel(self.by_model).models if model in wanted]

    def compliance(self, reference: str = "POS", scheme: Scheme | None = None) -> PanelCompliance:
        """Return the panel, recomputed."""
        table, models = ByModel(self.by_model), self.models()
        return panel_compliance(
            table.scores(models),
            table.forms,
            reference=reference,
            providers=providers(models),
            scheme=scheme or self.scheme,
            **QUICK,
        )


ORIGINAL = Panel(
    "Table 2",
    "t02_original_pooled",
    "t21_original_by_model",
    "in_primary_11",
    11,
    "provider>model>item",
    "original exact count",
    "Original exact-count",
)
CONTROLS = Panel(
    "Table 3",
    "t03_controls_pooled",
    "t17_controls_by_model",
    "in_controls_9",
    9,
    "provider>model>item",
    "constructional controls",
)
FAMILY = Panel(
    "Table 4",
    "t04_avoidance_pooled",
    "t22_avoidance_by_model",
    "in_primary_11",
    11,
    "provider>model>item",
    "avoidance family",
    "Avoidance family",
)
JSON = Panel(
    "Table 6", "t06_json_pooled", "t18_json_by_model", "", 6, "model>item", "JSON structure"
)
KEYWORD = Panel(
    "Table 13",
    "t13_keyword_pooled_six",
    "t20_keyword_by_model",
    "in_shared_6",
    6,
    "item cluster",
    "keyword exactly once",
    "Keyword primary",
)
RANGE = Panel(
    "Table 14",
    "t14_range_pooled_six",
    "t19_range_by_model",
    "in_shared_6",
    6,
    "model>item",
    "inclusive 8-12 range",
    "Range primary",
)
KEYWORD_SEVEN = Panel(
    "Table 15",
    "t15_keyword_pooled_seven",
    "t20_keyword_by_model",
    "in_keyword_range_7",
    7,
    "item cluster",
)
RANGE_SEVEN = Panel(
    "Table 16",
    "t16_range_pooled_seven",
    "t19_range_by_model",
    "in_keyword_range_7",
    7,
    "model>item",
)
PANELS = (ORIGINAL, CONTROLS, FAMILY, JSON, KEYWORD, RANGE, KEYWORD_SEVEN, RANGE_SEVEN)


def checks() -> Iterator[Check]:
    """Yield Tables 2-4, 6, 10, 11, 13-16, 19 and 23, and what the text takes from them."""
    for panel in PANELS:
        found = panel.compliance()
        differences = {f.form: _points(f.difference) for f in found.forms if f.difference}
        yield VIA.count(f"{panel.label} models", panel.n_models, len(found.by_model))
        yield from _pooled(panel, found)
        yield from _audit(panel, found)
        yield from _family(panel, differences)
    yield from _models()
    yield from _sizes()
    yield from _schemes()
    yield from _controls()
    yield from _gaps()


def _pooled(panel: Panel, found: PanelCompliance) -> Iterator[Check]:
    """Yield the pooled table."""
    published = read("wise", panel.pooled).set_index("form")
    for form in found.forms:
        row, name = published.loc[form.form], f"{panel.label} compliance, {form.form} (%)"
        ours = _points(form.compliance)
        yield VIA.number(name, row.compliance_pct, ours, decimals=1)
        if form.difference is not None:
            known = TWICE if (panel.label, form.form) == ("Table 15", "AVOID") else ""
            name = f"{panel.label} difference, {form.form} - POS (points)"
            ours = _points(form.difference)
            yield VIA.number(name, row.diff_vs_pos_pp, ours, decimals=1, known=known)


def _audit(panel: Panel, found: PanelCompliance) -> Iterator[Check]:
    """Yield the panel's line of Table 11."""
    if not panel.audit:
        return
    row = read("wise", "t11_audit_summary").set_index("panel").loc[panel.audit]
    (pos,) = (form.compliance for form in found.forms if form.form == "POS")
    for what, published, ours in (
        ("POS", row.pos_pct, pos),
        ("C_mean", row.c_mean_pct, found.c_mean),
        ("C_worst", row.c_worst_pct, found.c_worst),
        ("G_wording", row.g_wording_pp, found.g_wording),
    ):
        yield VIA.number(f"Table 11 {what}, {panel.audit}", published, _points(ours), decimals=1)


def _family(panel: Panel, differences: dict[str, float]) -> Iterator[Check]:
    """Yield the differences of Table 10's families, and the text's range of the second."""
    if not panel.family:
        return
    table = read("wise", "t10_multiplicity")
    for row in table[table.family == panel.family].itertuples():
        name = f"Table 10 difference, {panel.family}, {row.form_vs_pos} (points)"
        yield VIA.number(name, row.diff_pp, differences[row.form_vs_pos], decimals=1)
    if panel is FAMILY:
        drops = [-value for value in differences.values()]
        yield VIA.number("sec. 5.3 smallest drop (points)", 12.2, min(drops), decimals=1)
        yield VIA.number("sec. 5.3 largest drop (points)", 30.5, max(drops), decimals=1)


def _models() -> Iterator[Check]:
    """Yield how many cells of the model-level tables are given back from 300 generations each."""
    for label, name in (
        ("Table 17", "t17_controls_by_model"),
        ("Table 18", "t18_json_by_model"),
        ("Table 19", "t19_range_by_model"),
        ("Table 20", "t20_keyword_by_model"),
        ("Table 21", "t21_original_by_model"),
        ("Table 22", "t22_avoidance_by_model"),
    ):
        table = ByModel(name)
        found = panel_compliance(
            table.scores(table.models), table.forms, reference="POS", scheme="model>item", **QUICK
        )
        off = np.abs(100 * np.array(found.by_model, float) - table.printed)
        back = int((off <= 0.05 + 1e-9).sum())
        yield VIA.count(f"{label} cells that are k / 300", table.printed.size, back)


def _sizes() -> Iterator[Check]:
    """Yield how many models and providers the exact-count study has, in all and pooled."""
    table = ByModel("t21_original_by_model")
    everyone = panel_compliance(
        table.scores(table.models),
        table.forms,
        reference="POS",
        providers=providers(table.models),
        **QUICK,
    )
    yield VIA.count("sec. 4 models of the exact-count study", 13, len(everyone.by_model))
    yield VIA.count("sec. 4 providers", 7, everyone.n_resampled)
    pooled = ORIGINAL.compliance()
    yield VIA.count("App. P providers of the non-Gemini models", 6, pooled.n_resampled)


def _schemes() -> Iterator[Check]:
    """Yield the differences of Table 23, each through its own scheme."""
    names: dict[str, Scheme] = {
        "provider-model-item": "provider>model>item",
        "model-item": "model>item",
        "equal-model item": "equal-model item",
    }
    for row in read("wise", "t23_bootstrap_sensitivity").itertuples():
        panel = ORIGINAL if row.experiment == "original" else FAMILY
        found = panel.compliance(scheme=names[row.method])
        (form,) = (form for form in found.forms if form.form == row.form_vs_pos)
        name = f"Table 23 difference, {row.experiment}, {row.form_vs_pos}, {row.method} (points)"
        yield VIA.number(name, row.diff_pp, _points(form.difference), decimals=1)


def _controls() -> Iterator[Check]:
    """Yield how far AVOID1 lies below POS_END."""
    found = CONTROLS.compliance(reference="POS_END")
    (form,) = (form for form in found.forms if form.form == "AVOID1")
    name = "sec. 5.2 AVOID1 below POS_END (points)"
    yield VIA.number(name, 2.9, -_points(form.difference), decimals=1)


def _gaps() -> Iterator[Check]:
    """Yield the best-worst gaps of Table 19, and what sec. 5.5 says of the six shared models."""
    published = read("wise", "t19_range_by_model").set_index("model").gap_pp
    table, shared = ByModel("t19_range_by_model"), RANGE.models()
    worst, gaps = [], []
    for model in table.models:
        alone = panel_compliance(
            table.scores([model]), table.forms, reference="POS", scheme="item cluster", **QUICK
        )
        gap = _points(alone.g_wording)
        yield VIA.number(f"Table 19 gap, {model} (points)", published[model], gap, decimals=1)
        if model in shared:
            worst.append(alone.worst_forms)
            gaps.append(gap)
    name = "sec. 5.5 models for which AVOID alone is lowest, range"
    yield VIA.count(name, 6, worst.count(("AVOID",)))
    yield VIA.number("sec. 5.5 smallest range gap (points)", 1.3, min(gaps), decimals=1)
    yield VIA.number("sec. 5.5 largest range gap (points)", 24.3, max(gaps), decimals=1)


def _points(estimate: Estimate | None) -> float:
    """Return an estimate in per cent."""
    if estimate is None or estimate.value is None:
        raise ValueError("nothing in these tables is undefined")
    return 100 * estimate.value
