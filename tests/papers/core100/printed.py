"""Core-100: printed numbers against printed numbers, where no statistic of ours is involved."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from tests.papers.table import Check, Through, read

VIA = Through("core100", None)
RIGHT = "GPT-OSS-120B"


def checks() -> Iterator[Check]:
    """Yield what is printed twice, ranges of printed columns, and the construction ledger."""
    sweeps = read("core100", "t04_sweep_statistics")
    washes = sweeps[sweeps.scenario == "Car wash"].set_index("model")
    cases = read("core100", "t03_case_study").set_index("model")
    for model, row in cases.iterrows():
        at = washes.loc[model]
        yield VIA.count(f"Table 3 sweep r is Table 4's, {model}", row.sweep_r, at.r)
        name = f"Table 3 sweep shift is Table 4's, {model}"
        yield VIA.count(name, row.sweep_shift_logodds, at.shift_logodds)
    yield VIA.count("sec. 3 model-scenario pairs with r >= 0.80", 21, (sweeps.r >= 0.80).sum())
    yield from _ranges(washes, cases)
    yield from _ratios(cases)
    yield _intervals()
    yield from _ledger()


def _ranges(washes: pd.DataFrame, cases: pd.DataFrame) -> Iterator[Check]:
    grids = read("core100", "t05_parametric_sweeps")
    grids = grids[grids.sweep.isin(["cost", "heavy-item"])].conflict_control_r
    failing = washes.drop(RIGHT).first_negative_conflict_m
    for name, low, high, values in (
        ("sec. 3 car-wash sweep r", 0.80, 0.97, washes.r),
        ("sec. 3 car-wash shift (log-odds)", -10.1, -2.0, washes.shift_logodds),
        ("sec. 3 first Drive distance, six failing models (m)", 200, 3000, failing),
        (
            "sec. 3 mean score, six failing models (log-odds)",
            2.2,
            13.8,
            cases.drop(RIGHT).mean_score_car_wash_logodds,
        ),
        ("Table 5 r, cost and heavy-item", 0.51, 0.94, grids),
    ):
        yield VIA.count(f"{name}, lowest", low, values.min())
        yield VIA.count(f"{name}, highest", high, values.max())


def _ratios(cases: pd.DataFrame) -> Iterator[Check]:
    """Yield the ranges of the effect ratio, which the text gives without saying of which models."""
    for operator, column, low, high, least in (
        ("contradiction", "effect_ratio_contradict", 8.7, 38, "8.7-38 leaves out {} (4.2)"),
        ("neutral", "effect_ratio_neutral", 1.2, 19, "1.2-19 leaves out {} (0.5)"),
    ):
        known = least.format(RIGHT) + "; it holds for the six failing models"
        for who, ratios, reason in (
            ("six failing models", cases.drop(RIGHT)[column], ""),
            ("all seven models", cases[column], known),
        ):
            name = f"sec. 3 effect ratio under {operator}, {who}"
            lowest, highest = ratios.min(), ratios.max()
            yield VIA.number(f"{name}, lowest", low, lowest, decimals=1, known=reason)
            yield VIA.number(f"{name}, highest", high, highest, decimals=0)


def _intervals() -> Check:
    """Return how many interval ends of Table 2 are Table 21's, rounded."""
    arms = read("core100", "t21_intervention_arms")
    both = read("core100", "t02_selectivity_gain").merge(arms, on=["model", "intervention"])
    ends = (("ci_low", "sg_ci_low"), ("ci_high", "sg_ci_high"))
    same = sum(int(((both[a] - both[b]).abs() <= 0.005 + 1e-9).sum()) for a, b in ends)
    return VIA.count("Table 2 interval ends that are Table 21's", 32, same)


def _ledger() -> Iterator[Check]:
    """Yield the counts of candidates, which must add up whichever way they are told."""
    ledger = read("core100", "ledger").set_index("stage").n_candidates
    reasons = read("core100", "exclusion_reason_counts").set_index("class").n
    listed = read("core100", "t12_exclusions")
    rounds = read("core100", "t13_validation_rounds").set_index("round").drop("pooled")
    rated, frozen = rounds.rated_scenarios, rounds.frozen_scenarios
    discarded = ledger["failed round 3 and discarded"]
    yield VIA.count("App. C candidates", ledger["total"], ledger.drop("total").sum())
    yield VIA.count("App. C excluded", ledger["excluded"], reasons.drop("total").sum())
    yield VIA.count("App. C excluded, listed in Table 12", 24, listed.scenario_id.nunique())
    for reason, n in listed.class_inferred.value_counts().items():
        yield VIA.count(f"App. C excluded, {reason}", reasons[reason], n)
    yield VIA.count(
        "Table 13 rated in round 2, left by round 1", rated["2"], rated["1"] - frozen["1"]
    )
    name = "Table 13 rated in round 3, frozen or discarded"
    yield VIA.count(name, rated["3"], frozen["3"] + discarded)
    new = rated["1"] + (rated["2"] - 37) + (rated["3"] - 3)
    yield VIA.count("App. C candidates, new ones by round", ledger["total"], new)
    prompts = read("core100", "hob_composition").n_prompts
    yield VIA.count("App. B HOB prompts", 500, prompts.sum())
