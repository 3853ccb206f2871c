"""The provider > model > item bootstrap against the textbook numpy loop over replicates."""

from __future__ import annotations

import numpy as np

from benchmarks._timing import paired, peak_bytes
from stats.compliance import panel_compliance

PROVIDERS = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6]
ITEMS, REPETITIONS, REPLICATES = 100, 3, 2_000
NAMES = ["POS", "NEG", "NEVER", "AVOID1", "AVOID2", "CNEG"]


def loop(scores: np.ndarray, replicates: int) -> np.ndarray:
    """Contrasts against the first form in every replicate, shape (replicates, forms - 1)."""
    rng = np.random.default_rng(1)
    models = [np.flatnonzero(np.array(PROVIDERS) == p) for p in range(max(PROVIDERS) + 1)]
    out = np.empty((replicates, scores.shape[2] - 1))
    for b in range(replicates):
        means: list[np.ndarray] = []
        for p in rng.integers(0, len(models), len(models)):
            drawn = rng.choice(models[p], len(models[p]))
            means.extend(scores[m, rng.integers(0, ITEMS, ITEMS)].mean(axis=0) for m in drawn)
        pooled = np.mean(means, axis=0)
        out[b] = pooled[1:] - pooled[0]
    return out


def run(*, tiny: bool = False) -> list[tuple[str, float, str]]:
    """Return what was compared, the ratio and the goal."""
    rng = np.random.default_rng(2)
    level = rng.random((len(PROVIDERS), 1, len(NAMES)))
    scores = rng.binomial(REPETITIONS, level, (len(PROVIDERS), ITEMS, len(NAMES))) / REPETITIONS
    replicates, few = (100, 50) if tiny else (REPLICATES, 500)

    def ours() -> object:
        return panel_compliance(
            scores, NAMES, reference="POS", providers=PROVIDERS, replicates=replicates, seed=1
        )

    if not tiny:
        _agree(ours(), loop(scores, REPLICATES))
    found = paired(
        ours,
        lambda: loop(scores, few),
        pairs=1 if tiny else 9,
        inner=1 if tiny else 5,
        scale=replicates / few,
    )
    peak = peak_bytes(ours)
    what = (
        f"{replicates:,} hierarchical replicates, {len(PROVIDERS)} models of "
        f"{max(PROVIDERS) + 1} providers x {ITEMS} items x {len(NAMES)} forms x {REPETITIONS} "
        f"repetitions, all contrasts, against a numpy loop (extrapolated from {few} replicates; "
        f"{found.figures})"
    )
    weights = replicates * len(PROVIDERS) * ITEMS * 8
    memory = (
        f"peak memory of the same work: a whole weight matrix of {weights / 2**20:,.0f} MB over "
        f"our {peak / 2**20:,.1f} MB"
    )
    return [(what, found.ratio, "at least 10"), (memory, weights / peak, "none")]


def _agree(ours: object, drawn: np.ndarray) -> None:
    theirs = np.quantile(drawn, [0.025, 0.975], axis=0)
    for k, form in enumerate(ours.forms[1:]):  # type: ignore[attr-defined]
        found = np.array([form.difference.low, form.difference.high])
        if np.abs(found - theirs[:, k]).max() > 0.2 * (theirs[1, k] - theirs[0, k]):
            raise RuntimeError("our intervals and the loop's differ by more than Monte Carlo error")
