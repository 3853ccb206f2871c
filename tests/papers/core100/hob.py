"""HOB: trial-level and strict accuracy from the counts that Tables 8 to 10 stand for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats.answers import Accuracy, trial_and_strict
from stats.means import nan_mean
from tests.papers.build import QUICK, nearest, on_prompts
from tests.papers.table import Check, Through, read

ACCURACY = Through("core100", trial_and_strict)
MEAN = Through("core100", nan_mean)

SAMPLES = 10
FAMILIES = ("presence", "capability", "validity", "scope", "procedural")


@dataclass(frozen=True, slots=True)
class Model:
    """One model's accuracies, in per cent, from outcomes that have the printed shares.

    Attributes
    ----------
    families
        Trial accuracy by constraint family.
    overall
        All active prompts, family by family.
    cells
        Every column of Table 8.
    """

    families: dict[str, float]
    overall: Accuracy
    cells: dict[str, float]


def checks() -> Iterator[Check]:
    """Yield Tables 8 and 9 and what sec. 4 takes from them."""
    table = read("core100", "t08_hob_by_model").set_index("model")
    sizes = read("core100", "hob_family_sizes_inferred").set_index("constraint_family")
    rows = table.drop("Mean")
    models = {m: _model(row, sizes.n_active_prompts) for m, row in rows.iterrows()}
    cells = pd.DataFrame({m: model.cells for m, model in models.items()}).T[table.columns]
    for column in table.columns:
        what = column.removesuffix("_pct").replace("_", " ")
        back = int((np.abs(cells[column] - rows[column]) <= 0.05 + 1e-9).sum())
        yield ACCURACY.count(f"Table 8 models whose {what} is a count", len(rows), back)
        ours = float(nan_mean(cells[column].to_numpy()))
        # 1,420 trials are finer than what is printed: such a count may be off by one.
        finer = column in ("active_trial_pct", "removed_trial_pct")
        reach = (ours - 0.05, ours + 0.05) if finer else ()
        published = table.loc["Mean", column]
        yield MEAN.number(f"Table 8 mean {what} (%)", published, ours, decimals=1, reach=reach)
    for name, model in models.items():
        overall, published = 100 * (model.overall.trial.value or 0), rows.active_trial_pct[name]
        label = f"Table 8 active trial accuracy from the families, {name} (%)"
        yield ACCURACY.number(label, published, overall, decimals=1)
    yield from _claims(models, cells)
    yield from _domains(table.active_trial_pct["Mean"])
    yield from _prompting(cells)


def _model(row: pd.Series, sizes: pd.Series) -> Model:
    """Build one model's outcomes and score them."""
    prompts = [_family(row[f"{name}_trial_pct"], int(sizes[name])) for name in FAMILIES]
    families = {f: _trial(p) for f, p in zip(FAMILIES, prompts, strict=True)}
    overall = trial_and_strict(np.concatenate(prompts), **QUICK)
    cells = {f"{name}_trial_pct": value for name, value in families.items()}
    for kind, n in (("active", 142), ("removed", 141)):
        trial, strict = (row[f"{kind}_{what}_pct"] for what in ("trial", "strict"))
        right = nearest(trial, n * SAMPLES)
        found = trial_and_strict(on_prompts(right, nearest(strict, n), n, SAMPLES), **QUICK)
        cells[f"{kind}_trial_pct"] = 100 * (found.trial.value or 0.0)
        cells[f"{kind}_strict_pct"] = 100 * (found.strict.value or 0.0)
    perfect = nearest(row.all500_strict_pct, 500)
    every = on_prompts(perfect * SAMPLES, perfect, 500, SAMPLES)
    cells["all500_strict_pct"] = 100 * (trial_and_strict(every, **QUICK).strict.value or 0.0)
    return Model(families, overall, cells)


def _family(percent: float, prompts: int) -> np.ndarray:
    """Return outcomes of one family; how many prompts are full is not printed."""
    right = nearest(percent, prompts * SAMPLES)
    return (np.arange(prompts * SAMPLES) < right).reshape(prompts, SAMPLES).astype(float)


def _trial(correct: np.ndarray) -> float:
    return 100 * (trial_and_strict(correct, **QUICK).trial.value or 0.0)


def _claims(models: dict[str, Model], cells: pd.DataFrame) -> Iterator[Check]:
    hardest = sum(
        min(m.families, key=m.families.__getitem__) == "presence" for m in models.values()
    )
    yield ACCURACY.count("sec. 4 models for which presence is hardest", 12, hardest)
    loses = (cells.removed_trial_pct < cells.active_trial_pct).sum()
    yield ACCURACY.count("sec. 4 models that lose accuracy on removed prompts", 11, loses)
    means = [nan_mean(cells[f"{name}_trial_pct"].to_numpy()) for name in FAMILIES[1:]]
    for what, via, published, ours in (
        ("lowest active accuracy", ACCURACY, 70.6, cells.active_trial_pct.min()),
        ("highest active accuracy", ACCURACY, 93.5, cells.active_trial_pct.max()),
        ("lowest of the other families' means", MEAN, 81.7, min(means)),
        ("highest of the other families' means", MEAN, 93.3, max(means)),
    ):
        yield via.number(f"sec. 4 {what} (%)", published, ours, decimals=1)


def _domains(published: float) -> Iterator[Check]:
    """Yield the active mean from Table 9's domains: 14 models with ten samples per prompt."""
    table = read("core100", "t09_cue_strength_domain")
    domains = table[table.block == "domain_constraint_active"]
    samples = 14 * SAMPLES
    prompts = [
        (np.arange(n * samples) < nearest(mean, n * samples)).reshape(n, samples)
        for n, mean in zip(domains.n, domains.mean_pct, strict=True)
    ]
    found = trial_and_strict(np.concatenate(prompts).astype(float), **QUICK)
    yield ACCURACY.count("Table 9 prompts over all domains", 142, found.n_prompts)
    ours = 100 * (found.trial.value or 0.0)
    name, reach = "Table 8 mean active trial accuracy from Table 9 (%)", (ours - 0.05, ours + 0.05)
    yield ACCURACY.number(name, published, ours, decimals=1, reach=reach)


def _prompting(cells: pd.DataFrame) -> Iterator[Check]:
    """Yield Table 10's baselines, which are Table 8's strict accuracies."""
    column = {"all_500": "all500", "constraint_active": "active", "constraint_removed": "removed"}
    for row in read("core100", "t10_hob_prompting").itertuples():
        ours = cells.loc[row.model, f"{column[row.item_type]}_strict_pct"]
        name = f"Table 10 base, {row.model}, {row.item_type} (%)"
        yield ACCURACY.number(name, row.base_strict_pct, ours, decimals=1)
