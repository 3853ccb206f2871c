"""Core-100: Table 1 and Table 13 from their own columns, and what the text takes from them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.correlation import pair_counts_of_rankings
from stats.draws import FloatArray
from stats.paired import PairedMetrics, paired_metrics, paired_metrics_of_models
from stats.ranking import average_ranks
from tests.papers.build import QUICK, corners
from tests.papers.table import Check, Through, read

VIA = Through("core100", paired_metrics_of_models)
POOLED = Through("core100", paired_metrics)
RANKS = Through("core100", average_ranks)
ORDERS = Through("core100", pair_counts_of_rankings)

RATERS = "Human raters (reference)"
ORDER_KNOWN = (
    "the last column itself is not in SBA order (the claim may refer to SBA on the >=6/7 subset)"
)


def checks() -> Iterator[Check]:
    """Yield Table 1 both ways, its claims, and the validation rounds."""
    table = read("core100", "t01_main").set_index("model")
    for model, row in table.iterrows():
        yield from _from_shares(str(model), row)
        yield from _from_differences(str(model), row)
    models = table.drop(RATERS)
    yield from _claims(models, table.selectivity_s[RATERS])
    yield from _orders(models)
    yield from _rounds(table.loc[RATERS])


def shares(row: pd.Series) -> tuple[float, float]:
    """Return p_A and p_R to three decimals, from SBA, the gap and S."""
    p_a = float(row.sba + row.p_a_minus_sba)
    return p_a, float(p_a - row.selectivity_s)


def _metrics(p_a: FloatArray, p_r: FloatArray) -> tuple[PairedMetrics, ...]:
    """Return the metrics of many pairs of shares, each as one row that stands for its mean."""
    cells = [np.clip(each, 0, 1)[None] for each in (p_a, p_r)]
    return paired_metrics_of_models(*cells, **QUICK)


def _from_shares(model: str, row: pd.Series) -> Iterator[Check]:
    """Yield S, SBA and the gap from p_A and p_R, which have two decimals."""
    at, *around = _metrics(*corners((row.p_a, row.p_r), (0.005, 0.005)).T)
    for what, published, ours, reach in (
        ("S", row.selectivity_s, at.selectivity, [m.selectivity.value for m in around]),
        ("SBA", row.sba, at.sba, [m.sba.value for m in around]),
        ("p_A - SBA", row.p_a_minus_sba, at.gap, [m.gap.value for m in around]),
    ):
        if not np.isnan(published):
            name = f"Table 1 {what} from p_A and p_R, {model}"
            yield VIA.number(name, published, ours.value, decimals=3, reach=reach)


def _from_differences(model: str, row: pd.Series) -> Iterator[Check]:
    """Yield SBA from S, then p_A, p_R and the gap from SBA, the gap and S, all three decimals."""
    half = 0.0005
    s = corners((row.selectivity_s,), (half,))[:, 0]
    at, *around = _metrics((1 + s) / 2, (1 - s) / 2)
    name = f"Table 1 SBA from S, {model}"
    reach = [m.sba.value for m in around]
    yield VIA.number(name, row.sba, at.sba.value, decimals=3, reach=reach)
    if np.isnan(row.p_a_minus_sba):
        return
    sba, gap, s = corners((row.sba, row.p_a_minus_sba, row.selectivity_s), (half,) * 3).T
    at, *around = _metrics(sba + gap, sba + gap - s)
    for what, published, ours, reach, decimals in (
        ("p_A", row.p_a, at.p_a, [m.p_a.value for m in around], 2),
        ("p_R", row.p_r, at.p_r, [m.p_r.value for m in around], 2),
        ("(OA - UA) / 2", row.p_a_minus_sba, at.gap, [m.gap.value for m in around], 3),
    ):
        name = f"Table 1 {what} from SBA, gap and S, {model}"
        yield VIA.number(name, published, ours.value, decimals=decimals, reach=reach)


def _claims(models: pd.DataFrame, raters: float) -> Iterator[Check]:
    """Yield the counts and ranges of sec. 6."""
    found = _metrics(*np.array([shares(row) for _, row in models.iterrows()]).T)
    s = np.array([m.selectivity.value for m in found])
    oa, ua = np.array([m.oa.value for m in found]), np.array([m.ua.value for m in found])
    gap, strong = np.array([m.gap.value for m in found]), ua <= 0.04
    yield VIA.count("sec. 6 models less selective than the raters", 9, (s < raters).sum())
    name = "sec. 6 models that over-activate more than they under-activate"
    yield VIA.count(name, 10, (oa > ua).sum())
    yield VIA.count("sec. 6 models with p_A of at least .96", 5, strong.sum())
    for what, published, ours, decimals in (
        ("lowest over-activation", 0.12, oa.min(), 2),
        ("highest over-activation", 0.39, oa.max(), 2),
        ("lowest over-activation, p_A of at least .96", 0.12, oa[strong].min(), 2),
        ("highest over-activation, p_A of at least .96", 0.19, oa[strong].max(), 2),
        ("highest under-activation of the five strongest", 0.04, np.sort(ua)[4], 2),
        ("lowest selectivity", 0.410, s.min(), 3),
        ("highest selectivity", 0.876, s.max(), 3),
        ("smallest gap", 0.043, gap.min(), 3),
        ("largest gap", 0.111, gap.max(), 3),
    ):
        reach = (ours - 0.001, ours + 0.001)
        yield VIA.number(f"sec. 6 {what}", published, ours, decimals=decimals, reach=reach)


def _orders(models: pd.DataFrame) -> Iterator[Check]:
    """Yield the ranks by p_A and by SBA, and whether the last column keeps the order of SBA."""
    p_a = [shares(row)[0] for _, row in models.iterrows()]
    ranks = average_ranks(np.round([p_a, models.sba], 6))
    places = pd.DataFrame(ranks.T, index=models.index, columns=["p_A", "SBA"])
    for model, by, rank in (
        ("Claude Opus 4.6", "p_A", 1),
        ("Claude Opus 4.6", "SBA", 4),
        ("DeepSeek R1", "p_A", 5),
        ("DeepSeek R1", "SBA", 2),
        ("GPT-5.4", "p_A", 7),
        ("GPT-5.4", "SBA", 9),
    ):
        yield RANKS.count(f"sec. 6 rank by {by}, {model}", rank, places.loc[model, by])
    pairs = pair_counts_of_rankings(list(models.sba), list(models.reliability_ge_6_of_7))
    name = "sec. 6 pairs of models that Table 1's last column orders unlike SBA"
    yield ORDERS.count(name, 0, pairs.discordant, known=ORDER_KNOWN)


def _rounds(raters: pd.Series) -> Iterator[Check]:
    """Yield Table 13: S by round, and the rounds pooled by their frozen scenarios."""
    table = read("core100", "t13_validation_rounds").set_index("round")
    rounds, pooled = table.drop("pooled"), table.loc["pooled"]
    for place, row in rounds.iterrows():
        at, *around = _metrics(*corners((row.p_a, row.p_r), (0.0005, 0.0005)).T)
        ours, reach = at.selectivity.value, [m.selectivity.value for m in around]
        name = f"Table 13 S, round {place}"
        yield VIA.number(name, row.selectivity_s, ours, decimals=3, reach=reach)
    frozen = rounds.frozen_scenarios.astype(int)
    cells = [np.repeat(rounds[column], frozen).to_numpy() for column in ("p_a", "p_r")]
    found = paired_metrics(*cells, **QUICK)
    yield POOLED.count("sec. 5 frozen scenarios", 100, found.n_scenarios)
    for what, estimate, ways, decimals in (
        ("p_A", found.p_a, 1, 2),
        ("p_R", found.p_r, 1, 2),
        ("S", found.selectivity, 2, 3),
    ):
        ours = estimate.value or 0.0
        reach = (ours - 0.0005 * ways, ours + 0.0005 * ways)
        column = {"p_A": "p_a", "p_R": "p_r", "S": "selectivity_s"}[what]
        name = f"Table 13 pooled {what}"
        yield POOLED.number(name, pooled[column], ours, decimals=3, reach=reach)
        name = f"Table 1 raters' {what} is Table 13's pooled"
        yield POOLED.number(name, raters[column], ours, decimals=decimals, reach=reach)
