"""Time and memory of the scenario bootstrap from 10^2 to 10^5 scenarios, against itself."""

from __future__ import annotations

from statistics import median

import numpy as np

from benchmarks._timing import Work, peak_bytes, seconds, written
from stats.paired import paired_metrics_of_models
from stats.resample import iid, replicate_means

MODELS, REPLICATES = 10, 1_000
MB = 2**20


def metrics(scenarios: int, replicates: int = REPLICATES) -> Work:
    """All paired metrics of ten models."""
    shares = np.random.default_rng(scenarios).random((2, scenarios, MODELS))
    return lambda: paired_metrics_of_models(*shares, replicates=replicates, seed=1)


def engine(scenarios: int) -> Work:
    """Replicates of two means, nothing else."""
    values = np.random.default_rng(scenarios).random((scenarios, 2))
    draws = iid(scenarios, replicates=REPLICATES, seed=1)
    return lambda: replicate_means(values, draws)


def time_rows(sizes: list[int], *, tiny: bool) -> list[tuple[str, float, str]]:
    """Time per scenario at the largest size over that at the others."""
    took = {}
    for n in sizes:
        work = metrics(n)
        work()
        took[n] = median(seconds(work) for _ in range(1 if tiny else 3 if n > 10**4 else 7))
    times = ", ".join(f"{n:,}: {written(t)}" for n, t in took.items())
    most = sizes[-1]
    return [
        (
            f"growth of time: per scenario, {most:,} over {n:,} scenarios; {MODELS} models, "
            f"{REPLICATES:,} replicates ({times})",
            took[most] / took[n] / (most / n),
            "at most 2",
        )
        for n in sizes[:2]
    ]


def memory_rows(sizes: list[int]) -> list[tuple[str, float, str]]:
    """Peak memory of the engine, with more replicates, and with more scenarios."""
    most, middle = sizes[-1], sizes[-2]
    whole, own = REPLICATES * most * 8, peak_bytes(engine(most))
    few, many = (peak_bytes(metrics(middle, r)) for r in (REPLICATES, 4 * REPLICATES))
    held = {n: peak_bytes(metrics(n)) for n in sizes}
    peaks = ", ".join(f"{n:,}: {b / MB:,.1f} MB" for n, b in held.items())
    given = 2 * most * MODELS * 8
    return [
        (
            f"peak memory of the engine, two means of {most:,} scenarios: a whole weight matrix "
            f"({whole / MB:,.0f} MB) over ours ({own / MB:,.1f} MB)",
            whole / own,
            "at least 10",
        ),
        (
            f"growth of peak memory: four times the replicates ({many / MB:,.1f} MB) over "
            f"{REPLICATES:,} ({few / MB:,.1f} MB), {middle:,} scenarios",
            many / few,
            "at most 2",
        ),
        (
            f"peak memory of all metrics of {MODELS} models over the data themselves, {most:,} "
            f"scenarios ({peaks})",
            held[most] / given,
            "none",
        ),
    ]


def run(*, tiny: bool = False) -> list[tuple[str, float, str]]:
    """Return what grows how, the ratio and the goal."""
    sizes = [10**2, 10**3] if tiny else [10**2, 10**3, 10**4, 10**5]
    return [*time_rows(sizes, tiny=tiny), *memory_rows(sizes)]
