"""Published paired t tests and t intervals, recomputed from per-model tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.comparisons import PairedT, paired_t
from tests.papers.table import Check, count, number, read

_P_DECIMALS = {
    "paired_t_hint_task": 3,
    "paired_t_classify_vs_neutral": 3,
    "paired_t_random_vs_neutral": 3,
    "paired_t_random_vs_task": 3,
}


def checks() -> Iterator[Check]:
    """Yield Induction's seven tests, the intervals of its Table 4, and its temperature shift."""
    yield from _tests()
    yield from _intervals()
    yield from _temperature()


def _tests() -> Iterator[Check]:
    published = read("induction", "text_tests").set_index("key")
    for key, (first, second) in _columns().items():
        row = published.loc[key]
        test = paired_t(first, second)
        # Both columns are whole per cents: a difference is off by up to 1.
        low, high = (_extreme_t(first - second, 1.0, sign) for sign in (-1, 1))
        yield number(
            "induction", f"{key}: t({test.df})", row.t, test.t, decimals=2, reach=(low, high)
        )
        p = [_p(t, test.df) for t in (low, high)] + [1.0] * (low < 0 < high)
        decimals = _P_DECIMALS.get(key, 2)
        yield number("induction", f"{key}: p", row.p, test.difference.p, decimals=decimals, reach=p)
    yield from _from_deltas(published)


def _columns() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the two columns of each test."""
    hint = read("induction", "t11_hint").query("model != 'Mean'")
    follow = read("induction", "t10_followup_by_model").query("model != 'Mean'")
    heat = read("induction", "t12_temperature").query("model != 'Mean'")
    facts = follow[["rf_animals_to_geography_if_pct", "rf_geography_to_animals_if_pct"]].mean(
        axis=1
    )
    pairs = {
        "paired_t_hint_fixed": (hint.fixed_hint_pct, hint.fixed_no_hint_pct),
        "paired_t_hint_task": (hint.task_hint_pct, hint.task_no_hint_pct),
        "paired_t_classify_vs_neutral": (follow.classify_if_pct, follow.neutral_if_pct),
        "paired_t_classify_vs_task": (follow.classify_if_pct, follow.task_based_if_pct),
        "paired_t_random_vs_neutral": (facts, follow.neutral_if_pct),
        "paired_t_random_vs_task": (facts, follow.task_based_if_pct),
        "paired_t_temperature": (heat.t1_if_pct, heat.t0_if_pct),
    }
    return {key: (a.to_numpy(float), b.to_numpy(float)) for key, (a, b) in pairs.items()}


def _from_deltas(published: pd.DataFrame) -> Iterator[Check]:
    """Yield the hint tests once more, from the printed differences, which are less rounded."""
    table = read("induction", "t11_hint").query("model != 'Mean'")
    for kind in ("fixed", "task"):
        deltas = table[f"{kind}_delta_pp"].to_numpy(float)
        test = paired_t(deltas, np.zeros(len(deltas)))
        reach = [_extreme_t(deltas, 0.5, sign) for sign in (-1, 1)]
        name = f"paired_t_hint_{kind}: t({test.df}) from the delta column"
        t = published.t[f"paired_t_hint_{kind}"]
        yield number("induction", name, t, test.t, decimals=2, reach=reach)


def _extreme_t(differences: np.ndarray, half: float, sign: int) -> float:
    """Return the least or greatest t of differences that are each off by up to `half`."""
    moved = differences.copy()
    best = sign * _t(moved)
    improved = True
    while improved:
        improved = False
        for place in range(len(moved)):
            for shift in (-half, 0.0, half):
                trial = moved.copy()
                trial[place] = differences[place] + shift
                if sign * _t(trial) > best + 1e-12:
                    moved, best, improved = trial, sign * _t(trial), True
    return sign * best


def _t(differences: np.ndarray) -> float:
    return float(differences.mean() / (differences.std(ddof=1) / np.sqrt(len(differences))))


def _p(t: float, df: int) -> float:
    """Return the p-value of a t, by the shipped test on data that have this t."""
    data = np.arange(df + 1.0)
    data = (data - data.mean()) / data.std(ddof=1)
    return float(_of(data + t / np.sqrt(df + 1)).difference.p)


def _of(values: np.ndarray) -> PairedT:
    return paired_t(values, np.zeros(len(values)))


def _intervals() -> Iterator[Check]:
    """Yield Table 4: means over models with t intervals."""
    table = read("induction", "t04_followup_groups").set_index("condition_group")
    models = read("induction", "t10_followup_by_model").query("model != 'Mean'")
    facts = models[["rf_animals_to_geography_if_pct", "rf_geography_to_animals_if_pct"]].mean(
        axis=1
    )
    groups = {
        "Neutral": models.neutral_if_pct,
        "Classify": models.classify_if_pct,
        "Random-facts": facts,
        "Task-based": models.task_based_if_pct,
    }
    for group, values in groups.items():
        found = _of(values.to_numpy(float)).difference
        for what, ours in (
            ("mean_if", found.value),
            ("ci_low", found.low),
            ("ci_high", found.high),
        ):
            published = table.loc[group, f"{what}_pct"]
            reach = (ours - 0.5, ours + 0.5)  # whole per cents, all off the same way at worst
            name = f"Table 4 {what} (%), {group}"
            yield number("induction", name, published, ours, decimals=0, reach=reach)


def _temperature() -> Iterator[Check]:
    """Yield the mean shift from T = 0 to T = 1 and its standard deviation."""
    heat = read("induction", "t12_temperature").query("model != 'Mean'")
    test = _of(heat.delta_pp.to_numpy(float) / 100)
    reach = (test.difference.value - 0.005, test.difference.value + 0.005)
    name = "App. K mean shift T=1 - T=0"
    yield number("induction", name, -0.04, test.difference.value, decimals=2, reach=reach)
    known = "-0.05 in the caption; Table 12 and App. K give -0.04"
    yield count("induction", "Fig. 17 caption mean shift is App. K's", -0.05, -0.04, known=known)
    spread = (test.sd - 0.003, test.sd + 0.003)
    yield number("induction", "App. K SD of the shift", 0.06, test.sd, decimals=2, reach=spread)
