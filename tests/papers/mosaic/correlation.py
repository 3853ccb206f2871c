"""MOSAIC: the constraint pairs of Tables 7 to 13."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from stats.correlation import p_of_pearson
from tests.papers.table import Check, Through, read

VIA = Through("mosaic", p_of_pearson)
PRINTED = Through("mosaic", None)

TABLES = {
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


def tables() -> dict[int, pd.DataFrame]:
    """Return the tables of pairs by their number."""
    return {place: read("mosaic", f"t{place:02d}_pcc_{m}") for place, m in TABLES.items()}


def checks() -> Iterator[Check]:
    """Yield how many listed pairs are significant, and the sample size that r and p imply.

    4,000 prompts with 1 to 20 of 21 constraints, each size as often: a pair of constraints is in
    4000 E[k (k - 1)] / (21 * 20) = 1,267 of them. So r runs over responses that hold both.
    """
    sizes = np.arange(1, 21)
    expected = 4_000 * (sizes * (sizes - 1)).mean() / 420
    for place, table in tables().items():
        p = np.array([p_of_pearson(r, expected) for r in table.pearson_r])
        strong = (table.pearson_r.abs() >= 0.2) & (p < 0.05) & (table.p_value < 0.05)
        name = f"Table {place} pairs with |r| >= 0.2 and p < .05"
        yield VIA.count(name, len(table), strong.sum())
    pairs = pd.concat(tables().values())
    printed = pairs[pairs.p_value > 0]
    implied = [_implied_n(row.pearson_r, row.p_value) for row in printed.itertuples()]
    ours = float(np.median(implied))
    spread = (np.quantile(implied, 0.25), np.quantile(implied, 0.75))
    name = "responses per pair that (r, p) imply, median, against the design"
    yield VIA.number(name, expected, ours, decimals=0, reach=spread)


def printed() -> Iterator[Check]:
    """Yield the correlations that sec. 4.2 quotes from the tables."""
    text = read("mosaic", "text_numbers").set_index("key").value
    listed = tables()
    for key, place, one, other in QUOTED:
        table = listed[place]
        found = table[
            ((table.constraint_1 == one) & (table.constraint_2 == other))
            | ((table.constraint_1 == other) & (table.constraint_2 == one))
        ].pearson_r.item()
        name = f"sec. 4.2 r, Table {place}: {one} / {other}"
        yield PRINTED.count(name, float(text[key]), found)


def _implied_n(r: float, p: float) -> float:
    """Return the number of pairs for which r has this p."""

    def off(n: float) -> float:
        return float(np.log(max(p_of_pearson(r, n), 5e-324)) - np.log(p))

    return float(brentq(off, 5, 20_000))
