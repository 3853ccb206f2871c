"""The scenario bootstrap against scipy's vectorised call and against pandas, and its growth.

Ratios in one run, best of a few repeats each, interleaved so that a busy machine hits both sides.
"""

from __future__ import annotations

import os

# This machine pins BLAS to an older kernel for other work; readers' machines do not.
os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("OPENBLAS_L2_SIZE", None)

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats

from stats.paired import paired_metrics_of_models
from stats.resample import iid, replicate_means

SCENARIOS, MODELS, REPLICATES = 100, 10, 10_000


def best(function: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20260710)
    p_a, p_r = rng.uniform(0.8, 1.0, MODELS), rng.uniform(0.1, 0.4, MODELS)
    draw = [rng.binomial(7, rng.beta(2 * p, 2 * (1 - p), (SCENARIOS, MODELS))) for p in (p_a, p_r)]
    return draw[0] / 7, draw[1] / 7


def five(p_a: np.ndarray, p_r: np.ndarray) -> np.ndarray:
    s = p_a - p_r
    return np.stack([p_a, p_r, s, (1 + s) / 2, (p_a + p_r - 1) / 2])


def with_scipy(active: np.ndarray, removed: np.ndarray) -> np.ndarray:
    """All five metrics of all models in one vectorised call: ends, shape (2, 5, models)."""

    def metrics(sample: np.ndarray, axis: int) -> np.ndarray:
        return five(*sample.mean(axis=axis))

    result = scipy_stats.bootstrap(
        (np.stack([active.T, removed.T]),), metrics, axis=-1, n_resamples=REPLICATES,
        method="percentile", vectorized=True, rng=np.random.default_rng(1),
    )  # fmt: skip
    return np.stack([result.confidence_interval.low, result.confidence_interval.high])


def with_ours(active: np.ndarray, removed: np.ndarray) -> np.ndarray:
    found = paired_metrics_of_models(active, removed, replicates=REPLICATES, seed=1)
    names = ("p_a", "p_r", "selectivity", "sba", "gap")
    ends = [[[getattr(m, k).low, getattr(m, k).high] for m in found] for k in names]
    return np.array(ends).transpose(2, 0, 1)


def pandas_seconds(active: np.ndarray, removed: np.ndarray, replicates: int = 20) -> float:
    """A data frame groupby per replicate, scaled up from a few."""
    frame = pd.DataFrame({"active": active.ravel(), "removed": removed.ravel()})
    frame["model"] = np.tile(np.arange(MODELS), SCENARIOS)
    rng = np.random.default_rng(1)

    def one() -> np.ndarray:
        drawn = rng.integers(0, SCENARIOS, SCENARIOS)
        rows = (drawn[:, None] * MODELS + np.arange(MODELS)).ravel()
        means = frame.take(rows).groupby("model").mean()
        return five(means["active"].to_numpy(), means["removed"].to_numpy())

    return best(one, replicates) * REPLICATES


def growth() -> list[tuple[str, float, str]]:
    """Time and memory from 10^2 to 10^5 scenarios, 1,000 replicates of two columns."""
    seconds, peak = {}, 0
    for n in (10**2, 10**3, 10**4, 10**5):
        values = np.random.default_rng(n).random((n, 2))
        draws = iid(n, replicates=1_000, seed=1)
        seconds[n] = best(lambda v=values, d=draws: replicate_means(v, d), 2 if n > 10**4 else 4)
    tracemalloc.start()
    replicate_means(values, draws)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    per = {n: s / n for n, s in seconds.items()}
    sizes = " ".join(f"10^{round(np.log10(n))}: {1e3 * s:.1f} ms;" for n, s in seconds.items())
    return [
        (f"time per scenario, 10^5 against 10^3 ({sizes})", per[10**5] / per[10**3], "at most 2"),
        (f"whole weight matrix / peak memory at 10^5 ({peak / 2**20:.0f} MB)",
         1_000 * 10**5 * 8 / peak, "at least 10"),
    ]  # fmt: skip


def run() -> list[tuple[str, float, str]]:
    """Return what was compared, the ratio and the goal."""
    active, removed = data()
    ours, theirs = with_ours(active, removed), with_scipy(active, removed)
    if np.abs(ours - theirs).max() > 0.01:
        raise RuntimeError("our intervals and scipy's differ by more than Monte Carlo error")
    fast = slow = np.inf
    for _ in range(5):
        slow = min(slow, best(lambda: with_scipy(active, removed), 1))
        fast = min(fast, best(lambda: with_ours(active, removed), 3))
    what = f"10,000 scenario-bootstrap replicates ({1e3 * fast:.1f} ms) against "
    return [
        (f"{what}scipy.stats.bootstrap, one vectorised call", slow / fast, "at least 3"),
        (f"{what}pandas groupby per replicate", pandas_seconds(active, removed) / fast,
         "at least 300"),
        *growth(),
    ]  # fmt: skip


if __name__ == "__main__":
    for line in run():
        print(f"{line[1]:10.1f}  {line[2]:14}  {line[0]}")
