"""The scenario bootstrap of the paired metrics against scipy's vectorised call and pandas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats

from benchmarks._timing import paired, peak_bytes
from stats.paired import paired_metrics_of_models

SCENARIOS, MODELS, REPLICATES = 100, 10, 10_000
Other = Callable[[np.ndarray, np.ndarray, int], np.ndarray]
METRICS = ("p_a", "p_r", "selectivity", "sba", "gap")


def data() -> tuple[np.ndarray, np.ndarray]:
    """Shares of seven samples, Active and Removed, scenarios x models."""
    rng = np.random.default_rng(20260710)
    p_a, p_r = rng.uniform(0.8, 1.0, MODELS), rng.uniform(0.1, 0.4, MODELS)
    draw = [rng.binomial(7, rng.beta(2 * p, 2 * (1 - p), (SCENARIOS, MODELS))) for p in (p_a, p_r)]
    return draw[0] / 7, draw[1] / 7


def five(p_a: np.ndarray, p_r: np.ndarray) -> np.ndarray:
    """p_A, p_R, S, SBA and gap."""
    s = p_a - p_r
    return np.stack([p_a, p_r, s, (1 + s) / 2, (p_a + p_r - 1) / 2])


def with_scipy(active: np.ndarray, removed: np.ndarray, replicates: int) -> np.ndarray:
    """All five metrics of all models in one vectorised call: ends, shape (2, 5, models)."""

    def metrics(sample: np.ndarray, axis: int) -> np.ndarray:
        return five(*sample.mean(axis=axis))

    result = scipy_stats.bootstrap(
        (np.stack([active.T, removed.T]),), metrics, axis=-1, n_resamples=replicates,
        method="percentile", vectorized=True, rng=np.random.default_rng(1),
    )  # fmt: skip
    return np.stack([result.confidence_interval.low, result.confidence_interval.high])


def with_ours(active: np.ndarray, removed: np.ndarray, replicates: int) -> np.ndarray:
    """The same ends by the function that ships."""
    found = paired_metrics_of_models(active, removed, replicates=replicates, seed=1)
    ends = [[[getattr(m, k).low, getattr(m, k).high] for m in found] for k in METRICS]
    return np.array(ends).transpose(2, 0, 1)


def with_pandas(active: np.ndarray, removed: np.ndarray, replicates: int) -> np.ndarray:
    """A data frame groupby per replicate."""
    frame = pd.DataFrame({"active": active.ravel(), "removed": removed.ravel()})
    frame["model"] = np.tile(np.arange(MODELS), SCENARIOS)
    rng = np.random.default_rng(1)
    out = []
    for _ in range(replicates):
        drawn = rng.integers(0, SCENARIOS, SCENARIOS)
        rows = (drawn[:, None] * MODELS + np.arange(MODELS)).ravel()
        means = frame.take(rows).groupby("model").mean()
        out.append(five(means["active"].to_numpy(), means["removed"].to_numpy()))
    return np.asarray(np.quantile(out, [0.025, 0.975], axis=0))


def run(*, tiny: bool = False) -> list[tuple[str, float, str]]:
    """Return what was compared, the ratio and the goal."""
    active, removed = data()
    replicates, few = (400, 2) if tiny else (REPLICATES, 40)
    _agree("scipy", active, removed, with_scipy, replicates)
    _agree("pandas", active, removed, with_pandas, min(replicates, 400))
    how = {"pairs": 1 if tiny else 9, "inner": 1 if tiny else 5}
    scipy = paired(
        lambda: with_ours(active, removed, replicates),
        lambda: with_scipy(active, removed, replicates),
        **how,
    )
    pandas = paired(
        lambda: with_ours(active, removed, replicates),
        lambda: with_pandas(active, removed, few),
        scale=replicates / few,
        **how,
    )
    own = peak_bytes(lambda: with_ours(active, removed, replicates))
    other = peak_bytes(lambda: with_scipy(active, removed, replicates))
    work = (
        f"{replicates:,} scenario-bootstrap replicates, {SCENARIOS} scenarios x {MODELS} models x "
        "2 conditions, five metrics,"
    )
    return [
        (f"{work} against scipy.stats.bootstrap, one vectorised call ({scipy.figures})",
         scipy.ratio, "at least 3"),
        (f"{work} against a pandas groupby per replicate (extrapolated from {few} replicates; "
         f"{pandas.figures})", pandas.ratio, "at least 300"),
        (f"peak memory of the same work: scipy's {other / 2**20:,.0f} MB over our "
         f"{own / 2**20:,.0f} MB", other / own, "none"),
    ]  # fmt: skip


def _agree(name: str, active: np.ndarray, removed: np.ndarray, other: Other, count: int) -> None:
    """Stop when intervals differ by more than Monte Carlo error."""
    apart = np.abs(with_ours(active, removed, count) - other(active, removed, count)).max()
    if apart > 0.5 / np.sqrt(count):
        raise RuntimeError(f"our intervals and those with {name} differ by {apart:.3f}")
