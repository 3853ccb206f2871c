"""Induction: paired t tests and t intervals, from the per-model tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.comparisons import PairedT, paired_t
from stats.draws import FloatArray
from tests.papers.build import around
from tests.papers.induction.rates import models_of
from tests.papers.table import Check, Through, read

VIA = Through("induction", paired_t)

P_DECIMALS = {
    "paired_t_hint_task": 3,
    "paired_t_classify_vs_neutral": 3,
    "paired_t_random_vs_neutral": 3,
    "paired_t_random_vs_task": 3,
}
DIFFERENCES = {
    "paired_t_hint_fixed": 0.14,
    "paired_t_hint_task": 0.11,
    "paired_t_classify_vs_neutral": 0.07,
    "paired_t_random_vs_neutral": 0.19,
    "paired_t_random_vs_task": 0.07,
}
FACTS = ["rf_animals_to_geography_if_pct", "rf_geography_to_animals_if_pct"]
CAPTION = "-0.05 in the caption; Table 12 and App. K give -0.04"


def checks() -> Iterator[Check]:
    """Yield the seven tests, the intervals of Table 4, and the temperature shift."""
    yield from _tests()
    yield from _from_deltas()
    yield from _intervals()
    yield from _temperature()


def _tests() -> Iterator[Check]:
    published = read("induction", "text_tests").set_index("key")
    for key, (first, second) in _columns().items():
        row, test = published.loc[key], paired_t(first, second)
        # Both columns are whole per cents: a difference is off by up to 1.
        ends = [_of(_extreme(first - second, 1.0, sign)) for sign in (-1, 1)]
        reach = [end.t for end in ends]
        yield VIA.number(f"{key}: t({test.df})", row.t, test.t, decimals=2, reach=reach)
        p = [end.difference.p for end in ends]
        if min(t or 0.0 for t in reach) < 0 < max(t or 0.0 for t in reach):
            p.append(1.0)
        decimals = P_DECIMALS.get(key, 2)
        ours = test.difference.p
        yield VIA.number(f"{key}: p", row.p, ours, decimals=decimals, reach=p)
        if key in DIFFERENCES:
            ours = (test.difference.value or 0.0) / 100
            printed, reach = DIFFERENCES[key], around(ours, 0.01)
            yield VIA.number(f"{key}: difference", printed, ours, decimals=2, reach=reach)


def _columns() -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return the two columns of each test."""
    hint, follow = models_of("t11_hint"), models_of("t10_followup_by_model")
    heat, facts = models_of("t12_temperature"), follow[FACTS].mean(axis=1)
    pairs: dict[str, tuple[pd.Series, pd.Series]] = {
        "paired_t_hint_fixed": (hint.fixed_hint_pct, hint.fixed_no_hint_pct),
        "paired_t_hint_task": (hint.task_hint_pct, hint.task_no_hint_pct),
        "paired_t_classify_vs_neutral": (follow.classify_if_pct, follow.neutral_if_pct),
        "paired_t_classify_vs_task": (follow.classify_if_pct, follow.task_based_if_pct),
        "paired_t_random_vs_neutral": (facts, follow.neutral_if_pct),
        "paired_t_random_vs_task": (facts, follow.task_based_if_pct),
        "paired_t_temperature": (heat.t1_if_pct, heat.t0_if_pct),
    }
    return {key: (a.to_numpy(float), b.to_numpy(float)) for key, (a, b) in pairs.items()}


def _from_deltas() -> Iterator[Check]:
    """Yield the hint tests once more, from the printed differences, which are less rounded."""
    published = read("induction", "text_tests").set_index("key").t
    models = models_of("t11_hint")
    for kind in ("fixed", "task"):
        deltas = models[f"{kind}_delta_pp"].to_numpy(float)
        test = _of(deltas)
        reach = [_of(_extreme(deltas, 0.5, sign)).t for sign in (-1, 1)]
        key = f"paired_t_hint_{kind}"
        name = f"{key}: t({test.df}) from the delta column"
        yield VIA.number(name, published[key], test.t, decimals=2, reach=reach)


def _extreme(differences: FloatArray, half: float, sign: int) -> FloatArray:
    """Return differences, each off by up to `half`, with the least or greatest t (greedily)."""
    moved = differences.copy()
    best, improved = sign * _t(moved), True
    while improved:
        improved = False
        for place in range(len(moved)):
            for shift in (-half, 0.0, half):
                trial = moved.copy()
                trial[place] = differences[place] + shift
                if sign * _t(trial) > best + 1e-12:
                    moved, best, improved = trial, sign * _t(trial), True
    return moved


def _t(differences: FloatArray) -> float:
    """Return t, which is all that the search for the extremes needs."""
    return float(differences.mean() / (differences.std(ddof=1) / np.sqrt(len(differences))))


def _of(differences: FloatArray) -> PairedT:
    return paired_t(differences, np.zeros(len(differences)))


def _intervals() -> Iterator[Check]:
    """Yield Table 4: means over models with t intervals."""
    table = read("induction", "t04_followup_groups").set_index("condition_group")
    models = models_of("t10_followup_by_model")
    groups: dict[str, pd.Series] = {
        "Neutral": models.neutral_if_pct,
        "Classify": models.classify_if_pct,
        "Random-facts": models[FACTS].mean(axis=1),
        "Task-based": models.task_based_if_pct,
    }
    for group, values in groups.items():
        found = _of(values.to_numpy(float)).difference
        for what, ours in (
            ("mean_if", found.value),
            ("ci_low", found.low),
            ("ci_high", found.high),
        ):
            published, reach = table.loc[group, f"{what}_pct"], around(ours, 0.5)
            name = f"Table 4 {what} (%), {group}"
            yield VIA.number(name, published, ours, decimals=0, reach=reach)


def _temperature() -> Iterator[Check]:
    """Yield the mean shift from T = 0 to T = 1 and its standard deviation."""
    test = _of(models_of("t12_temperature").delta_pp.to_numpy(float) / 100)
    ours = test.difference.value
    name = "App. K mean shift T=1 - T=0"
    yield VIA.number(name, -0.04, ours, decimals=2, reach=around(ours, 0.005))
    # Two places print this number, once as -0.04, which Table 12's own mean line confirms.
    name = "Fig. 17 caption mean shift T=1 - T=0"
    yield VIA.number(name, -0.05, ours, decimals=2, known=CAPTION)
    spread = around(test.sd, 0.003)
    yield VIA.number("App. K SD of the shift", 0.06, test.sd, decimals=2, reach=spread)
