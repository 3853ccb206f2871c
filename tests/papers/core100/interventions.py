"""Core-100: what prompts change (Tables 2 and 21), and HOB's prompting gains (Table 10)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.paired import (
    InterventionEffects,
    intervention_effects,
    paired_difference,
    paired_metrics,
)
from tests.papers.build import QUICK, corners, nearest, ones
from tests.papers.core100.paired import shares
from tests.papers.table import Check, Through, read

EFFECTS = Through("core100", intervention_effects)
METRICS = Through("core100", paired_metrics)
DIFFERENCE = Through("core100", paired_difference)

PROMPTS = {"all_500": 500, "constraint_active": 142, "constraint_removed": 141}


def checks() -> Iterator[Check]:
    """Yield SG from AG and RH, and the gains on HOB from their counts."""
    table = read("core100", "t21_intervention_arms")
    printed = read("core100", "t02_selectivity_gain").set_index(["model", "intervention"]).delta_s
    base = {m: shares(row) for m, row in read("core100", "t01_main").set_index("model").iterrows()}
    negative = 0
    for row in table.itertuples():
        found = [_effects(base[row.model], *arms) for arms in _arms(row)]
        at, *around = found
        sg, reach = at.sg.value, [each.sg.value for each in around]
        place = f"{row.model}, {row.intervention}"
        yield EFFECTS.number(f"Table 21 SG, {place}", row.sg, sg, decimals=3, reach=reach)
        published = printed[row.model, row.intervention]
        yield EFFECTS.number(
            f"Table 2 change of S, {place}", published, sg, decimals=3, reach=reach
        )
        negative += row.family == "F2" and (sg or 0.0) < -1e-9
        if (row.model, row.intervention) == ("DeepSeek R1", "CF check (oracle)"):
            yield _prompted(base[row.model], row.ag, row.rh)
    yield EFFECTS.count("sec. 7 negative estimates of twelve", 6, negative)
    yield from _hob()


def _arms(row: pd.Series) -> np.ndarray:
    """Return AG and RH as printed and at the corners of their rounding."""
    return corners((row.ag, row.rh), (0.0005, 0.0005))


def _effects(base: tuple[float, float], gain: float, harm: float) -> InterventionEffects:
    """Return the effects of one arm, as one row that stands for its means."""
    # Table 1's own rounding may put a share with its gain beyond 1: the gain is what counts.
    before = min(base[0], 1 - gain, 1.0), max(base[1], -harm)
    cells = (before[0], before[1], before[0] + gain, before[1] + harm)
    return intervention_effects(*(np.clip([each], 0, 1) for each in cells), **QUICK)


def _prompted(base: tuple[float, float], gain: float, harm: float) -> Check:
    """Return DeepSeek R1's selectivity under the counterfactual check."""
    ours = paired_metrics([base[0] + gain], [base[1] + harm], **QUICK).selectivity.value or 0.0
    name = "sec. 7 S of DeepSeek R1 under the counterfactual check"
    reach = (ours - 0.0015, ours + 0.0015)
    return METRICS.number(name, 0.53, ours, decimals=2, reach=reach)


def _hob() -> Iterator[Check]:
    """Yield Table 10's gains: counts of prompts with all ten samples right."""
    for row in read("core100", "t10_hob_prompting").itertuples():
        of = PROMPTS[row.item_type]
        prompted, base = (
            ones(nearest(each, of), of) for each in (row.prompt_strict_pct, row.base_strict_pct)
        )
        found = paired_difference(prompted, base, **QUICK)
        name = f"Table 10 gain, {row.model}, {row.item_type} (points)"
        ours = 100 * (found.difference.value or 0.0)
        yield DIFFERENCE.number(name, row.delta_pp, ours, decimals=1)
