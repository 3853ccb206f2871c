"""The provider > model > item bootstrap against the textbook numpy loop over replicates."""

from __future__ import annotations

import os

os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("OPENBLAS_L2_SIZE", None)

import time

import numpy as np

from stats.compliance import panel_compliance

PROVIDERS = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6]
ITEMS, FORMS, REPETITIONS, REPLICATES = 100, 6, 3, 2_000
NAMES = ["POS", "NEG", "NEVER", "AVOID1", "AVOID2", "CNEG"]


def loop(scores: np.ndarray, replicates: int) -> np.ndarray:
    """Contrasts against the first form in every replicate, shape (replicates, forms - 1)."""
    rng = np.random.default_rng(1)
    models = [np.flatnonzero(np.array(PROVIDERS) == p) for p in range(max(PROVIDERS) + 1)]
    out = np.empty((replicates, FORMS - 1))
    for b in range(replicates):
        means = []
        for p in rng.integers(0, len(models), len(models)):
            drawn = rng.choice(models[p], len(models[p]))
            means.extend(scores[m, rng.integers(0, ITEMS, ITEMS)].mean(axis=0) for m in drawn)
        pooled = np.mean(means, axis=0)
        out[b] = pooled[1:] - pooled[0]
    return out


def run() -> list[tuple[str, float, str]]:
    """Return what was compared, the ratio and the goal."""
    rng = np.random.default_rng(2)
    level = rng.random((len(PROVIDERS), 1, FORMS))
    scores = rng.binomial(REPETITIONS, level, (len(PROVIDERS), ITEMS, FORMS)) / REPETITIONS
    fast = slow = np.inf
    for _ in range(3):
        start = time.perf_counter()
        reference = loop(scores, REPLICATES // 4)
        slow = min(slow, 4 * (time.perf_counter() - start))
        for _ in range(3):
            start = time.perf_counter()
            ours = panel_compliance(
                scores, NAMES, reference="POS", providers=PROVIDERS, replicates=REPLICATES, seed=1
            )
            fast = min(fast, time.perf_counter() - start)
    theirs = np.quantile(reference, [0.025, 0.975], axis=0)
    for k, form in enumerate(ours.forms[1:]):
        found = np.array([form.difference.low, form.difference.high])
        if np.abs(found - theirs[:, k]).max() > 0.2 * (theirs[1, k] - theirs[0, k]):
            raise RuntimeError("our intervals and the loop's differ by more than Monte Carlo error")
    what = (
        f"2,000 hierarchical replicates, all contrasts ({1e3 * fast:.1f} ms), against a numpy loop"
    )
    return [(what, slow / fast, "at least 10")]


if __name__ == "__main__":
    for line in run():
        print(f"{line[1]:10.1f}  {line[2]:14}  {line[0]}")
