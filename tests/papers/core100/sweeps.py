"""Core-100: the case study's answers (Table 3) and the parametric sweeps (Table 5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.answers import trial_and_strict
from stats.curves import SweepContrast, sweep_contrast
from tests.papers.build import QUICK, nearest
from tests.papers.table import Check, Through, read

ACCURACY = Through("core100", trial_and_strict)
SWEEP = Through("core100", sweep_contrast)

RIGHT = "GPT-OSS-120B"
PHRASINGS = 6


def checks() -> Iterator[Check]:
    """Yield how many prompts are answered right, and how many grid values respected."""
    table = read("core100", "t03_case_study").set_index("model")
    columns = ["car_wash_correct", "gas_correct", "tire_correct"]
    for who, rows, published in (
        ("the six failing models", table.drop(RIGHT), 9),
        (RIGHT, table.loc[[RIGHT]], 16),
    ):
        right = rows[columns].to_numpy().ravel()
        correct = (np.arange(PHRASINGS) < right[:, None]).reshape(-1, 1).astype(float)
        found = trial_and_strict(correct, **QUICK)
        ours = round(found.n_prompts * (found.trial.value or 0.0), 9)
        name = f"sec. 3 right answers of {found.n_prompts} prompts, {who}"
        yield ACCURACY.count(name, published, ours)
    yield from _sweeps()


def _sweeps() -> Iterator[Check]:
    """Yield Table 5: shares of grid values, and models that respect the constraint at all."""
    rows = read("core100", "t05_parametric_sweeps")
    grids = read("core100", "t05_parametric_sweep_grids").set_index("sweep").n_grid_points
    everywhere = {"cost": 5, "heavy-item": 4}
    for sweep, table in rows.groupby("sweep", sort=False):
        found = [_contrast(percent, grids[sweep]) for percent in table.constraint_respecting_pct]
        respecting = pd.Series([100 * (one.respecting.value or 0.0) for one in found])
        printed = table.constraint_respecting_pct.to_numpy()
        back = int((np.abs(respecting - printed) <= 0.5 + 1e-9).sum())
        name = f"Table 5 models whose share is one of {grids[sweep]} grid values, {sweep}"
        yield SWEEP.count(name, len(table), back)
        if sweep in everywhere:
            ours = int((respecting == 100).sum())
            name = f"App. A.2 models right at every grid value, {sweep}"
            yield SWEEP.count(name, everywhere[sweep], ours)


def _contrast(percent: float, points: int) -> SweepContrast:
    """Return the contrast of a conflict curve below 0 at this share of the grid."""
    grid = np.arange(float(points))
    respected = nearest(percent, points, decimals=0)
    return sweep_contrast(grid, points - 0.5 - respected - grid, points - grid, **QUICK)
