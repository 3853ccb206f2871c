"""How often 95 % intervals hold the truth: measured, and written down in docs/statistics.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stats.fleiss import fleiss_kappa_of_counts
from stats.icc import icc
from stats.paired import paired_metrics
from stats.resample import bootstrap, cluster, iid, mean_of

ROOT = Path(__file__).parents[2]
CLOSE = 0.03

pytestmark = pytest.mark.soak


def written_down():
    """Every line "what: share" of the document, as what and share."""
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    return {what: float(share) for what, share in re.findall(r"^(.+): ([01]\.\d{3})$", text, re.M)}


def check(what, share):
    """Print a line as the document has it, and compare."""
    print(f"{what}: {share:.3f}")
    assert written_down().get(what) == pytest.approx(share, abs=CLOSE)


def holds(estimate, truth):
    return estimate.low - 1e-9 <= truth <= estimate.high + 1e-9


def test_lines_of_the_other_soak_tests_stand_in_the_document():
    """What the coverage tests of the statistics print is what the document says."""
    command = [sys.executable, "-m", "pytest", "-m", "soak", "tests/stats", "-s", "-q"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = re.findall(
        r"^\.?(coverage .+?): ([01]\.\d{3})(?:, same answer always (.+))?$", found, re.M
    )
    assert len(lines) > 20
    for what, share, firm in lines:
        check(what, float(share))
        if firm:
            check(f"{what}, same answer always", float(firm))


@pytest.mark.parametrize("clusters", [5, 7, 10, 20, 50])
def test_few_clusters(clusters):
    """Clusters of ten rows that differ: with few of them the interval is too narrow."""
    rng = np.random.default_rng(clusters)
    ids = np.repeat(np.arange(clusters), 10).tolist()
    covered = 0
    for _ in range(1_000):
        values = np.repeat(rng.normal(size=clusters), 10) + rng.normal(size=10 * clusters)
        draws = cluster(ids, replicates=1_000, seed=1)
        covered += holds(bootstrap(mean_of(values), draws)[0], 0.0)
    check(f"coverage of a mean over {clusters} clusters", covered / 1_000)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("p", [0.01, 0.02, 0.05])
def test_bca_near_zero(p, method):
    """Near 0 BCa covers little better than the percentile interval."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(1_000):
        values = rng.binomial(1, p, 100).astype(float)
        draws = iid(100, replicates=1_000, seed=1)
        covered += holds(bootstrap(mean_of(values), draws, method=method)[0], p)
    check(f"coverage at p = {p}, 100 yes-or-no scenarios, {method}", covered / 1_000)


@pytest.mark.parametrize("scenarios", [10, 20, 50, 100])
def test_selectivity_and_its_p(scenarios):
    """S is covered, and a model without selectivity is called selective in about 5 % of studies."""
    rng = np.random.default_rng(scenarios)
    covered = called = 0
    for _ in range(1_000):
        base = rng.beta(2, 2, scenarios)
        active, removed = (rng.binomial(7, base) / 7 for _ in range(2))
        found = paired_metrics(active, removed, replicates=1_000, seed=1).selectivity
        covered += holds(found, 0.0)
        called += found.p <= 0.05
    check(f"coverage of S = 0, {scenarios} scenarios", covered / 1_000)
    check(f"share of p <= 0.05 where S = 0, {scenarios} scenarios", called / 1_000)


@pytest.mark.parametrize("items", [24, 100])
def test_fleiss_kappa(items):
    """Five raters, items of different difficulty; kappa in the population is 1/3."""
    rng = np.random.default_rng(items)
    covered = 0
    for _ in range(1_000):
        yes = rng.binomial(5, rng.beta(1, 1, items))
        found = fleiss_kappa_of_counts(np.column_stack([yes, 5 - yes]), seed=1, replicates=1_000)
        covered += found.value is not None and holds(found.estimate, 1 / 3)
    check(f"coverage of Fleiss' kappa = 0.33, {items} items x 5 raters", covered / 1_000)


@pytest.mark.parametrize("interval", ["bootstrap", "f"])
@pytest.mark.parametrize("raters", [0.0, 0.5])
@pytest.mark.parametrize("items", [24, 100])
def test_icc(items, raters, interval):
    """ICC(2,k), 5 raters: drawing items leaves out that the raters themselves are a sample."""
    rng = np.random.default_rng(items)
    truth = 1 / (1 + (raters + 1) / 5)
    covered = 0
    for _ in range(1_000):
        table = rng.normal(size=(items, 1)) + rng.normal(size=(items, 5))
        table += raters**0.5 * rng.normal(size=5)
        found = icc(table, "ICC(2,k)", interval=interval, seed=1, replicates=1_000).estimate
        covered += found.low is not None and holds(found, truth)
    name = "bootstrap over items" if interval == "bootstrap" else "limits by F"
    what = f"coverage of ICC(2,k), {items} items x 5 raters, rater variance {raters}, {name}"
    check(what, covered / 1_000)
