"""Induction: N50, the first N at which at most half of the trials follow (Table 2)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.induction import IfCurve, if_curve
from stats.means import nan_mean
from tests.papers.build import QUICK
from tests.papers.induction.rates import models_of
from tests.papers.table import Check, Through, read

MEAN = Through("induction", nan_mean)
CURVE = Through("induction", if_curve)

AT_MOST_FOUR = "Table 2 leaves at most four models (N50 > 3 or never); the text says six"
OF_THE_CURVE = "median of the Table 2 column is 6; the text says 8 (probably the mean curve)"


def checks() -> Iterator[Check]:
    """Yield the mean N50, "never" left out, and where models stand at N = 1 and N = 3."""
    models = models_of("t02_per_model", "Grand mean")
    total = read("induction", "t02_per_model").set_index("model").loc["Grand mean"]
    grid = list(read("induction", "n_grid").n_turns)
    for kind in ("fixed", "task"):
        column = models[f"{kind}_n50"]
        ours = float(nan_mean(column.to_numpy()))
        name = f"Table 2 mean N50, {kind}, 'never' left out"
        yield MEAN.number(name, total[f"{kind}_n50"], ours, decimals=0)
        yield CURVE.count(f"Table 2 N50 that are on the grid, {kind}", 13, _on_grid(column, grid))
    fixed, task = _standing(models.fixed_n50, grid), _standing(models.task_n50, grid)
    at_three = grid.index(3)
    crossed = len(models) - _models(fixed, 0, len(models))
    yield CURVE.count("sec. 3.1 models that have crossed at N = 1, fixed", 4, crossed)
    above = _models(fixed, at_three, len(models))
    name = "sec. 3.1 models above 50% at N = 3, fixed"
    yield CURVE.count(name, 6, above, known=AT_MOST_FOUR)
    yield CURVE.count("sec. 3.1 models that never cross, fixed", 1, _models(fixed, -1, len(models)))
    yield CURVE.count("App. E.3 median N50, task", 8, task.n50.at, known=OF_THE_CURVE)


def _standing(n50: pd.Series, grid: list[int]) -> IfCurve:
    """Return the share of models that have not crossed yet, model by model as a step at its N50.

    This curve's own N50 is the first N at which half of the models have crossed: their median.
    """
    steps = np.array(grid) < n50.fillna(np.inf).to_numpy()[:, None]
    return if_curve(steps[:, :, None], grid, **QUICK)


def _models(curve: IfCurve, place: int, models: int) -> float:
    return round(models * (curve.rates[place].value or 0.0), 9)


def _on_grid(n50: pd.Series, grid: list[int]) -> int:
    """Return how many models' step curves cross where the table says, or never."""
    found = [_standing(n50[[model]], grid).n50.at for model in n50.index]
    return sum(
        at is None if np.isnan(printed) else at == printed
        for at, printed in zip(found, n50, strict=True)
    )
