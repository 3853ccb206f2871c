"""Induction: means over models of IF rates, hint gains and shifts (Tables 2, 10, 11 and 12)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats.induction import IfContrast, if_contrast, if_rate
from stats.standard_errors import se_of_mean_over_tasks
from tests.papers.build import QUICK, around, percents
from tests.papers.table import Check, Through, read

RATE = Through("induction", if_rate)
CONTRAST = Through("induction", if_contrast)
ERROR = Through("induction", se_of_mean_over_tasks)

HALF = 0.5  # all of these tables are in whole per cents


def checks() -> Iterator[Check]:
    """Yield the mean lines of the tables, their differences, and rates that the text names."""
    yield from _per_model()
    yield from _follow_up()
    yield from _hint()
    yield from _temperature()
    yield from _design()


def models_of(name: str, total: str = "Mean") -> pd.DataFrame:
    """Return a table's models, without its line of means."""
    return read("induction", name).set_index("model").drop(total)


def _mean(values: ArrayLike) -> float:
    """Return the mean of whole per cents, each as the rate of one cell of 100 trials."""
    return 100 * (if_rate(percents(values)[:, None, :], **QUICK).rate.value or 0.0)


def _contrast(one: ArrayLike, other: ArrayLike) -> IfContrast:
    cells = (percents(each)[:, None, :] for each in (one, other))
    return if_contrast(*cells, **QUICK)


def _points(contrast: IfContrast) -> float:
    return 100 * (contrast.difference.value or 0.0)


def _of_differences(points: pd.Series) -> float:
    """Return the mean of differences in whole points: cells that differ by just so much."""
    return _points(_contrast(points.clip(lower=0), -points.clip(upper=0)))


def _per_model() -> Iterator[Check]:
    """Yield Table 2's grand means, its range, and single rates as the text has them."""
    models = models_of("t02_per_model", "Grand mean")
    total = read("induction", "t02_per_model").set_index("model").loc["Grand mean"]
    for kind in ("fixed", "task"):
        ours, published = _mean(models[f"{kind}_avg_if_pct"]), total[f"{kind}_avg_if_pct"]
        name, reach = f"Table 2 grand mean IF, {kind} (%)", around(ours, HALF)
        yield RATE.number(name, published, ours, decimals=0, reach=reach)
        ours = _of_differences(models[f"{kind}_hint_delta_pp"])
        name = f"Table 2 grand mean hint delta, {kind} (points)"
        published, reach = total[f"{kind}_hint_delta_pp"], around(ours, HALF)
        yield CONTRAST.number(name, published, ours, decimals=0, reach=reach)
    rates = [_mean([percent]) for percent in models.fixed_avg_if_pct]
    yield RATE.number("sec. 3.1 lowest IF, fixed (%)", 1, min(rates), decimals=0)
    yield RATE.number("sec. 3.1 highest IF, fixed (%)", 99, max(rates), decimals=0)
    ours = _mean(models.task_avg_if_pct)
    name, reach = "App. L dataset-wide mean IF (%)", around(ours, HALF)
    yield RATE.number(name, 43.1, ours, decimals=1, reach=reach)
    for model, kind, published, known in (
        ("OLMo 3.1 32B", "fixed", 0.11, ""),
        ("OLMo 3.1 32B", "task", 0.22, "0.22 in App. H, 23% in Tables 2, 10 and 11"),
        ("Llama 3.3 70B", "fixed", 0.99, ""),
        ("Llama 3.1 70B", "fixed", 0.89, ""),
        ("Llama 3.3 70B", "task", 0.70, ""),
        ("Llama 3.1 70B", "task", 0.57, ""),
    ):
        ours = _mean([models.loc[model, f"{kind}_avg_if_pct"]]) / 100
        name = f"App. H average IF, {model}, {kind}"
        yield RATE.number(name, published, ours, decimals=2, known=known)


def _follow_up() -> Iterator[Check]:
    """Yield Table 10's means, and the fixed-output mean from the means of its five conditions."""
    models = models_of("t10_followup_by_model")
    total = read("induction", "t10_followup_by_model").set_index("model").loc["Mean"]
    for column in models.columns:
        ours, what = _mean(models[column]), column.removesuffix("_if_pct").replace("_", " ")
        reach = around(ours, HALF)
        yield RATE.number(
            f"Table 10 mean, {what} (%)", total[column], ours, decimals=0, reach=reach
        )
    text = read("induction", "text_numbers").set_index("key").value
    conditions = [
        float(text[f"{kind}_{way}_mean_if"])
        for kind in ("value", "factual")
        for way in ("aligned", "misaligned")
    ]
    ours = _mean([total.neutral_if_pct, *conditions])
    name, reach = "Table 2 grand mean IF, fixed, from condition means (%)", around(ours, HALF)
    yield RATE.number(name, 27, ours, decimals=0, reach=reach)
    opus = [float(text[f"opus_{way}_if"]) for way in ("aligned", "misaligned")]
    neutral = models.neutral_if_pct["Claude Opus 4.6"]
    ours = _mean([neutral, *opus, *opus])
    name, reach = "Table 2 Claude Opus 4.6, fixed, from its conditions (%)", around(ours, HALF)
    yield RATE.number(name, 49, ours, decimals=0, reach=reach)


def _hint() -> Iterator[Check]:
    """Yield Table 11: means, differences by model, and how many models improve."""
    models = models_of("t11_hint")
    total = read("induction", "t11_hint").set_index("model").loc["Mean"]
    for kind, improve in (("fixed", 9), ("task", 10)):
        before, after = models[f"{kind}_no_hint_pct"], models[f"{kind}_hint_pct"]
        found = _contrast(after, before)
        for what, mean in (("no_hint", found.other), ("hint", found.one)):
            ours = 100 * (mean or 0.0)
            name = f"Table 11 mean, {kind} {what.replace('_', ' ')} (%)"
            published, reach = total[f"{kind}_{what}_pct"], around(ours, HALF)
            yield CONTRAST.number(name, published, ours, decimals=0, reach=reach)
        ours, published = _points(found), total[f"{kind}_delta_pp"]
        name, reach = f"Table 11 mean delta, {kind} (points)", around(ours, 2 * HALF)
        yield CONTRAST.number(name, published, ours, decimals=0, reach=reach)
        gains = [_points(_contrast([a], [b])) for a, b in zip(after, before, strict=True)]
        for model, ours in zip(models.index, gains, strict=True):
            name, reach = f"Table 11 delta, {kind}, {model} (points)", around(ours, 2 * HALF)
            published = models.loc[model, f"{kind}_delta_pp"]
            yield CONTRAST.number(name, published, ours, decimals=0, reach=reach)
        improved = sum(gain > 1e-9 for gain in gains)
        yield CONTRAST.count(f"sec. 3.5 models that the hint improves, {kind}", improve, improved)


def _temperature() -> Iterator[Check]:
    """Yield Table 12: means and differences, all of which are small."""
    models = models_of("t12_temperature")
    total = read("induction", "t12_temperature").set_index("model").loc["Mean"]
    found = _contrast(models.t1_if_pct, models.t0_if_pct)
    for what, mean in (("t0", found.other), ("t1", found.one)):
        ours = 100 * (mean or 0.0)
        name, reach = f"Table 12 mean, {what.upper()} (%)", around(ours, HALF)
        yield CONTRAST.number(name, total[f"{what}_if_pct"], ours, decimals=0, reach=reach)
    ours = _points(found)
    name, reach = "Table 12 mean delta (points)", around(ours, 2 * HALF)
    yield CONTRAST.number(name, total.delta_pp, ours, decimals=0, reach=reach)
    shifts = []
    for model, row in models.iterrows():
        ours = _points(_contrast([row.t1_if_pct], [row.t0_if_pct]))
        name, reach = f"Table 12 delta, {model} (points)", around(ours, 2 * HALF)
        yield CONTRAST.number(name, row.delta_pp, ours, decimals=0, reach=reach)
        shifts.append(abs(ours))
    small = sum(shift <= 15 for shift in shifts)
    yield CONTRAST.count("App. K models with a shift of at most .15", 6, small)


def _design() -> Iterator[Check]:
    """Yield the trials per model and condition, and the bound on a cell's standard error."""
    points = len(read("induction", "n_grid"))
    found = if_rate(np.ones((1, points, 35)), **QUICK)
    yield RATE.count("sec. 2.1 trials per model and condition", 420, found.n_trials)
    bound = se_of_mean_over_tasks([0.5] * 35)
    yield ERROR.number("App. J largest standard error of a cell", 0.085, bound, decimals=3)
