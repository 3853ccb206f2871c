"""Published correlations and their p-values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from stats.correlation import correlation, p_of_pearson
from tests.papers.table import Check, count, number, read

MOSAIC = {
    7: "llama_3_1_8b",
    8: "llama_3_3_70b",
    9: "qwen3_8b",
    10: "claude_3_7_sonnet",
    11: "gemini_2_5_flash",
    12: "mixtral_8x7b",
    13: "deepseek_r1_8b",
}
QUOTED = (
    ("r_clear_purpose_unambiguous_mixtral", 12, "Clear purpose", "Use unambiguous language"),
    ("r_clear_purpose_unambiguous_deepseek", 13, "Clear purpose", "Use unambiguous language"),
    ("r_features_substantiate_mixtral", 12, "Report Correct Features", "Substantiate every claim"),
    ("r_flesch_keywords_llama_3_3", 8, "Flesch reading ease 70-80", "Use given keywords"),
    ("r_flesch_keywords_mixtral", 12, "Flesch reading ease 70-80", "Use given keywords"),
    ("r_paragraphs_body_qwen3", 9, "Keep paragraphs short", "Keep body short"),
    ("r_boc_json_qwen3", 9, "Include <BOC> token", "Respond in JSON"),
)


def checks() -> Iterator[Check]:
    """Yield Induction's correlations, Core-100's sweeps and MOSAIC's constraint pairs."""
    yield from _induction()
    yield from _core100()
    yield from _mosaic()


def _induction() -> Iterator[Check]:
    heat = read("induction", "t12_temperature").query("model != 'Mean'")
    x, y = heat.t0_if_pct.to_numpy(float), heat.t1_if_pct.to_numpy(float)
    ours = correlation(x, y, "pearson").value
    rng = np.random.default_rng(1)
    shifts = rng.uniform(-0.5, 0.5, (2_000, 2, len(x)))
    reach = [correlation(x + a, y + b, "pearson").value for a, b in shifts]
    name = "T=0 against T=1 over six models"
    yield number("induction", f"App. K r, {name}", 0.99, ours, decimals=2, reach=reach)
    yield number(
        "induction",
        f"Fig. 17(b) label r, {name}",
        0.84,
        ours,
        decimals=2,
        reach=reach,
        known="0.84 in the label; Table 12 and App. K give 0.99",
    )
    for benchmark, r, p, decimals in (("GPQA", 0.35, 0.24, 2), ("IFBench", 0.55, 0.052, 3)):
        reach = [p_of_pearson(r + shift, 13) for shift in (-0.005, 0.005)]
        name = f"sec. 3.2 p of r = {r} with {benchmark}, 13 models"
        yield number("induction", name, p, p_of_pearson(r, 13), decimals=decimals, reach=reach)


def _core100() -> Iterator[Check]:
    sweeps = read("core100", "t04_sweep_statistics")
    washes = sweeps[sweeps.scenario == "Car wash"].set_index("model")
    cases = read("core100", "t03_case_study").set_index("model")
    for model, r in cases.sweep_r.items():
        yield count("core100", f"Table 3 sweep r is Table 4's, {model}", r, washes.r[model])
    yield count("core100", "model-scenario pairs with r >= 0.80", 21, (sweeps.r >= 0.80).sum())
    grids = read("core100", "t05_parametric_sweeps")
    grids = grids[grids.sweep.isin(["cost", "heavy-item"])].conflict_control_r
    for name, low, high, values in (
        ("car-wash sweep r", 0.80, 0.97, washes.r),
        ("Table 5 r, cost and heavy-item", 0.51, 0.94, grids),
    ):
        yield count("core100", f"{name}, lowest", low, values.min())
        yield count("core100", f"{name}, highest", high, values.max())


def _mosaic() -> Iterator[Check]:
    tables = {k: read("mosaic", f"t{k:02d}_pcc_{model}") for k, model in MOSAIC.items()}
    text = read("mosaic", "text_numbers").set_index("key").value
    for key, place, one, other in QUOTED:
        table = tables[place]
        found = table[
            ((table.constraint_1 == one) & (table.constraint_2 == other))
            | ((table.constraint_1 == other) & (table.constraint_2 == one))
        ].pearson_r.item()
        yield count(
            "mosaic", f"sec. 4.2 r, Table {place}: {one} / {other}", float(text[key]), found
        )
    for place, table in tables.items():
        strong = (table.pearson_r.abs() >= 0.2) & (table.p_value < 0.05)
        name = f"Table {place} pairs with |r| >= 0.2 and p < .05"
        yield count("mosaic", name, len(table), strong.sum())
    yield from _sample_size(pd.concat(tables.values()))


def _sample_size(pairs: pd.DataFrame) -> Iterator[Check]:
    """Yield how many responses the printed r and p imply, against what the design gives a pair.

    4,000 prompts with 1 to 20 of 21 constraints, each size as often: a pair of constraints is in
    4000 E[k (k - 1)] / (21 * 20) = 1,267 of them. So r runs over responses that hold both.
    """
    printed = pairs[pairs.p_value > 0]
    implied = [_implied_n(row.pearson_r, row.p_value) for row in printed.itertuples()]
    sizes = np.arange(1, 21)
    expected = 4_000 * (sizes * (sizes - 1)).mean() / 420
    ours = float(np.median(implied))
    spread = (np.quantile(implied, 0.25), np.quantile(implied, 0.75))
    name = "responses per pair that (r, p) imply, median, against the design"
    yield number("mosaic", name, expected, ours, decimals=0, reach=spread)


def _implied_n(r: float, p: float) -> float:
    """Return the number of pairs for which r has this p."""

    def off(n: float) -> float:
        return float(np.log(max(p_of_pearson(r, n), 5e-324)) - np.log(p))

    return float(brentq(off, 5, 20_000))
