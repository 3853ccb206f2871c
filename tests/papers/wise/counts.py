"""WISE: how outputs miss their count, and the floor regime of the two Gemini models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.compliance import count_profiles, panel_compliance
from stats.draws import FloatArray
from stats.floor import TargetRow, floor_regime, floor_rule
from tests.papers.build import QUICK, nearest
from tests.papers.table import Check, Through, read
from tests.papers.wise.scores import ByModel

PROFILE = Through("wise", count_profiles)
REGIME = Through("wise", floor_regime)
RULE = Through("wise", floor_rule)
PANEL = Through("wise", panel_compliance)

OUTPUTS = 450  # 25 tasks of a target, six forms, three repetitions


def checks() -> Iterator[Check]:
    """Yield compliance from the failures of Tables 4, 6, 15 and 16; Table 12 and App. I."""
    for label, name, under, over in (
        ("Table 4", "t04_avoidance_pooled", "under_target_pct", "over_target_pct"),
        ("Table 6", "t06_json_pooled", "parse_fail_pct", None),
        ("Table 15", "t15_keyword_pooled_seven", "zero_occurrence_pct", "multiple_occurrence_pct"),
        ("Table 16", "t16_range_pooled_seven", "below_range_pct", "above_range_pct"),
    ):
        yield from _shares(label, read("wise", name).set_index("form"), under, over)
    yield from _gemini_2_5()
    yield from _gemini_3_1()


def _shares(label: str, table: pd.DataFrame, under: str, over: str | None) -> Iterator[Check]:
    """Yield compliance as what is left by the failures: a thousand outputs as printed."""
    low = np.round(10 * table[under]).astype(int)
    high = np.round(10 * table[over]).astype(int) if over else 0 * low
    counts = np.array(
        [np.repeat([0, 2, 1], [a, b, 1_000 - a - b]) for a, b in zip(low, high, strict=True)]
    )
    profiles = count_profiles(
        counts.T[None, :, :, None], list(table.index), lowest=np.ones(1_000),
        scheme="item cluster", **QUICK,
    )  # fmt: skip
    slack = 0.05 * (2 if over else 1)
    for form in profiles:
        ours = 100 * (1 - (form.under.value or 0.0) - (form.over.value or 0.0))
        name = f"{label} compliance, {form.form}, from its failure shares (%)"
        published = table.compliance_pct[form.form]
        yield PROFILE.number(name, published, ours, decimals=1, reach=(ours - slack, ours + slack))


def _outputs(target: int, exact: float, mean_words: float) -> FloatArray:
    """Return word counts with this share on the target and this mean."""
    hits = nearest(exact, OUTPUTS)
    others = OUTPUTS - hits
    each, more = divmod(round(mean_words * OUTPUTS) - hits * target, others)
    words = np.full(OUTPUTS, target, np.float64)
    words[hits:] = each + (np.arange(others) < more)
    if (words[hits:] == target).any():
        raise ValueError("an output off the target would be on it")
    return words


def _gemini_2_5() -> Iterator[Check]:
    """Yield Table 12 by target, and that both experiments are at the floor."""
    for experiment, table in read("wise", "t12_gemini_2_5_floor").groupby("experiment", sort=False):
        cells = table[["target_words", "exact_pct", "mean_words"]].to_numpy()
        counts = [_outputs(int(target), exact, words) for target, exact, words in cells]
        found = floor_regime(counts, [np.full(OUTPUTS, target) for target in table.target_words])
        for row, ours in zip(table.itertuples(), found.targets, strict=True):
            place = f"{experiment}, {row.target_words} words"
            exact, error = 100 * ours.exact, ours.mean_error
            yield REGIME.number(f"Table 12 exact, {place} (%)", row.exact_pct, exact, decimals=1)
            name, words = f"Table 12 mean words, {place}", ours.mean_words
            yield REGIME.number(name, row.mean_words, words, decimals=2)
            reach = (error - 0.005, error + 0.005)
            name = f"Table 12 mean error, {place} (words)"
            yield REGIME.number(name, row.mean_error_words, error, decimals=2, reach=reach)
        yield REGIME.count(f"App. I Gemini 2.5 at the floor, {experiment}", 1, found.at_floor)
        source = "t21_original_by_model" if experiment == "original" else "t22_avoidance_by_model"
        name = f"Table 12 exact over targets, {experiment}, from the row of Gemini 2.5 (%)"
        yield _row_mean(name, "Gemini 2.5 Flash", source, table.exact_pct.mean())


def _gemini_3_1() -> Iterator[Check]:
    """Yield the floor of Gemini 3.1, whose mean words are printed as a range over targets."""
    table = read("wise", "gemini_3_1_floor_original")
    text = read("wise", "text_numbers").set_index("key").value
    ends = [float(text[f"gemini_3_1_mean_words_{end}"]) for end in ("low", "high")]
    for way, (first, last) in (("rising", ends), ("falling", ends[::-1])):
        words = [first, *[float(np.mean(ends))] * (len(table) - 2), last]
        rows = tuple(
            TargetRow(target, exact / 100, mean, mean - target, OUTPUTS)
            for target, exact, mean in zip(table.target_words, table.exact_pct, words, strict=True)
        )
        found = floor_rule(rows)
        yield RULE.count(f"App. I Gemini 3.1 at the floor, words {way} at most", 1, found.at_floor)
    name = "App. I exact over targets, original, from the row of Gemini 3.1 (%)"
    mean = table.exact_pct.mean()
    yield _row_mean(name, "Gemini 3.1 Flash Lite", "t21_original_by_model", mean)


def _row_mean(name: str, model: str, source: str, published: float) -> Check:
    """Return the mean of four printed shares against the mean over one model's forms."""
    table = ByModel(source)
    alone = panel_compliance(
        table.scores([model]), table.forms, reference="POS", scheme="item cluster", **QUICK
    )
    return PANEL.number(name, published, 100 * (alone.c_mean.value or 0.0), decimals=1)
