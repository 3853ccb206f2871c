"""Ranking stability under the task bootstrap against a loop of scipy.stats.kendalltau."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau

from benchmarks._timing import paired, peak_bytes
from stats.ranking import RankingStability, ranking_stability

MODELS, TASKS, REPLICATES = 11, 100, 2_000
FORMS = ["POS", "AVOID1", "AVOID3", "AVOID4", "EXCLUDE1", "EXCLUDE2"]


def loop(scores: np.ndarray, replicates: int) -> np.ndarray:
    """tau-b of every form against the first in every replicate, draws included."""
    rng = np.random.default_rng(1)
    out = np.empty((replicates, len(FORMS) - 1))
    for b in range(replicates):
        means = scores[:, rng.integers(0, TASKS, TASKS)].mean(axis=1)
        for f in range(1, len(FORMS)):
            out[b, f - 1] = kendalltau(means[:, 0], means[:, f]).statistic
    return out


def run(*, tiny: bool = False) -> list[tuple[str, float, str]]:
    """Return what was compared, the ratio and the goal."""
    rng = np.random.default_rng(2)
    level = rng.random((MODELS, 1, len(FORMS)))
    scores = rng.binomial(3, level, (MODELS, TASKS, len(FORMS))) / 3
    replicates, few = (100, 10) if tiny else (REPLICATES, 200)

    def ours() -> tuple[RankingStability, ...]:
        return ranking_stability(scores, FORMS, reference="POS", replicates=replicates, seed=1)

    centre = np.median(loop(scores, few), axis=0)
    if any(not o.tau_b.low <= c <= o.tau_b.high for o, c in zip(ours(), centre, strict=True)):
        raise RuntimeError("scipy's tau-b lies outside our intervals")
    found = paired(
        ours,
        lambda: loop(scores, few),
        pairs=1 if tiny else 9,
        inner=1 if tiny else 5,
        scale=replicates / few,
    )
    what = (
        f"ranking stability, {MODELS} models, {replicates:,} task-bootstrap replicates x "
        f"{len(FORMS) - 1} forms, all four metrics, against a loop of scipy kendalltau alone "
        f"(extrapolated from {few} replicates; {found.figures})"
    )
    drawn = replicates * len(FORMS) * MODELS * TASKS * 8
    peak = peak_bytes(ours)
    memory = (
        f"peak memory of the same work: all resampled scores ({drawn / 2**20:,.0f} MB) over our "
        f"{peak / 2**20:,.1f} MB"
    )
    return [(what, found.ratio, "at least 100"), (memory, drawn / peak, "none")]
