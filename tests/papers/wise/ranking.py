"""WISE: ranking stability (Table 5), ranks of single models, and Fig. 5, from Table 22."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from stats.compliance import panel_compliance
from stats.ranking import average_ranks, ranking_stability
from tests.papers.build import QUICK
from tests.papers.table import Check, Through, read
from tests.papers.wise.scores import ByModel, members

STABILITY = Through("wise", ranking_stability)
RANKS = Through("wise", average_ranks)
PANEL = Through("wise", panel_compliance)


def checks() -> Iterator[Check]:
    """Yield Table 5, the ranks that sec. 5.4 names, and Fig. 5."""
    yield from _stability()
    ranks = _ranks()
    for model, form, rank in (
        ("Claude Opus 4.8", "POS", 1),
        ("Claude Opus 4.8", "EXCLUDE1", 5),
        ("Claude Sonnet 4.6", "EXCLUDE1", 1),
        ("DeepSeek V4 Pro", "POS", 7),
        ("DeepSeek V4 Pro", "EXCLUDE1", 3),
        ("Claude Haiku 4.5", "POS", 6),
        ("Claude Haiku 4.5", "AVOID1", 11),
    ):
        yield RANKS.count(f"sec. 5.4 rank of {model}, {form}", rank, ranks.loc[model, form])
    yield from _figure(ranks)


def _family() -> tuple[ByModel, list[str]]:
    """Return the avoidance family's table and the models that are ranked."""
    table, ranked = ByModel("t22_avoidance_by_model"), set(members("in_primary_11"))
    return table, [model for model in table.models if model in ranked]


def _stability() -> Iterator[Check]:
    table, models = _family()
    published = read("wise", "t05_ranking_stability").set_index("form")
    found = ranking_stability(table.scores(models), table.forms, reference="POS", **QUICK)
    reversals, overlaps, taus, shifts = [], [], [], []
    for one in found:
        row, reversal = published.loc[one.form], 100 * (one.reversal.value or 0.0)
        overlap, shift = one.top_k_jaccard.value, one.max_displacement.value
        for what, printed, ours, decimals in (
            ("Kendall's tau-b", row.kendall_tau_b, one.tau_b.value, 3),
            ("strict reversals (%)", row.reversal_pct, reversal, 1),
            ("top-three Jaccard", row.top3_jaccard, overlap, 2),
        ):
            yield STABILITY.number(f"Table 5 {what}, {one.form}", printed, ours, decimals=decimals)
        yield STABILITY.count(f"Table 5 maximum rank shift, {one.form}", row.max_rank_shift, shift)
        yield STABILITY.count(
            f"Table 5 size of the top-three set, {one.form}", 3, len(one.top_form)
        )
        reversals.append(reversal)
        taus.append(one.tau_b.value or 0.0)
        overlaps.append(overlap or 0.0)
        shifts.append(shift or 0.0)
    for what, low, high, values, decimals in (
        ("tau-b", 0.514, 0.844, taus, 3),
        ("reversals (%)", 7.4, 24.1, reversals, 1),
        ("top-three overlap", 0.20, 1.00, overlaps, 2),
        ("largest displacement", 2, 5, shifts, 0),
    ):
        for end, printed, ours in (("least", low, min(values)), ("greatest", high, max(values))):
            yield STABILITY.number(f"sec. 5.4 {what}, {end}", printed, ours, decimals=decimals)


def _ranks() -> pd.DataFrame:
    """Return average ranks by model and form."""
    table, models = _family()
    means = table.scores(models).mean(axis=1)
    return pd.DataFrame(average_ranks(means.T).T, index=models, columns=table.forms)


def _figure(ranks: pd.DataFrame) -> Iterator[Check]:
    """Yield Fig. 5: each model's loss from POS to its worst form, which that is, and the order."""
    published = read("wise", "f05_worst_gaps").set_index("model")
    table, models = _family()
    same = 0
    for model in models:
        alone = panel_compliance(
            table.scores([model]), table.forms, reference="POS", scheme="item cluster", **QUICK
        )
        gaps = [form.difference.value for form in alone.forms if form.difference]
        gap = 100 * min(each for each in gaps if each is not None)
        row = published.loc[model]
        name = f"Fig. 5 POS to worst form, {model} (points)"
        yield PANEL.number(name, row.pos_to_worst_pp, gap, decimals=1)
        same += row.worst_form == "/".join(alone.worst_forms)
    yield PANEL.count("Fig. 5 models whose worst forms are ours", len(published), same)
    from_last = [len(published) - place for place in range(len(published))]
    right = (ranks.POS[published.index] == from_last).sum()
    yield RANKS.count("Fig. 5 models at their place by POS", len(published), right)
