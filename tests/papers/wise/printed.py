"""WISE: numbers that are printed twice, where no statistic of ours is involved."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from tests.papers.table import Check, Through, read
from tests.papers.wise.panels import FAMILY, ORIGINAL, PANELS

VIA = Through("wise", None)
ENDS = ["ci_low_pp", "ci_high_pp"]


def checks() -> Iterator[Check]:
    """Yield intervals that two tables share, and counts of the design."""
    for panel in PANELS:
        if panel.family:
            rows = read("wise", "t10_multiplicity").set_index("form_vs_pos")
            rows = rows[rows.family == panel.family]
            name = f"Table 10 interval ends that are {panel.label}'s"
            yield VIA.count(name, rows[ENDS].size, _shared(rows, panel.pooled))
    table = read("wise", "t23_bootstrap_sensitivity")
    table = table[table.method == "provider-model-item"].set_index("form_vs_pos")
    for panel, experiment in ((ORIGINAL, "original"), (FAMILY, "family")):
        rows = table[table.experiment == experiment]
        name = f"Table 23 interval ends that are {panel.label}'s"
        yield VIA.count(name, rows[ENDS].size, _shared(rows, panel.pooled))
    models = read("wise", "t07_models")
    yield VIA.count("sec. 4 models at temperature 0.2", 9, (models.temperature == 0.2).sum())
    design = read("wise", "panels").set_index("panel").loc["inclusive 8-12 range"]
    ours = design.n_models_run * design.n_tasks * design.n_forms * design.repetitions
    yield VIA.count("App. M generations of the range panel", 6_300, ours)


def _shared(rows: pd.DataFrame, pooled: str) -> int:
    other = read("wise", pooled).set_index("form").loc[rows.index]
    return int((rows[ENDS] == other[ENDS]).to_numpy().sum())
