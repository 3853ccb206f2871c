"""What docs/statistics.md calls reproducible, tried with another kernel of the matrix library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Run in a process of its own: a kernel is chosen when numpy is loaded.
PROGRAM = """
import json
from dataclasses import fields, is_dataclass
import numpy as np
from core.estimate import Estimate
from stats.compliance import panel_compliance
from stats.composition import pair_compliance
from stats.correlation import correlation
from stats.curves import sweep_contrast
from stats.fleiss import fleiss_kappa_of_counts
from stats.icc import icc
from stats.induction import if_contrast, if_curve
from stats.krippendorff_alpha import krippendorff_alpha
from stats.paired import paired_metrics
from stats.ranking import ranking_stability

def estimates(found):
    if isinstance(found, Estimate):
        yield [found.value, found.low, found.high, found.p, found.replicates]
    elif is_dataclass(found):
        for field in fields(found):
            yield from estimates(getattr(found, field.name))
    elif isinstance(found, tuple):
        for each in found:
            yield from estimates(each)

rng = np.random.default_rng(20260710)
forms = ["POS", "NEG", "NEVER", "AVOID1", "AVOID2", "CNEG"]
providers = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6]
scores = rng.binomial(3, rng.random((13, 1, 6)), (13, 100, 6)) / 3
table = rng.normal(size=(24, 5)) + rng.normal(size=(24, 1))
votes = rng.integers(1, 4, (24, 5))
counts = np.stack([(votes == k).sum(axis=1) for k in (1, 2, 3)], axis=1)
followed = rng.integers(0, 2, (60, 4)).astype(float)
trials = rng.integers(0, 2, (2, 5, 6, 20)).astype(float)
x, y = rng.normal(size=(2, 20))
found = (
    paired_metrics(*rng.binomial(7, 0.8, (2, 100)) / 7, seed=1),
    panel_compliance(scores, forms, reference="POS", providers=providers, seed=1),
    ranking_stability(scores, forms, reference="POS", seed=1),
    *(icc(table, form, seed=1) for form in ("ICC(1,1)", "ICC(2,k)", "ICC(3,1)")),
    fleiss_kappa_of_counts(counts, seed=1),
    *(krippendorff_alpha(votes.tolist(), m, seed=1) for m in ("nominal", "ordinal", "interval")),
    pair_compliance(followed, np.tile([1, 2, 3, 4], (60, 1)), ["w", "x", "y", "z"], seed=1),
    if_contrast(*trials, seed=1),
    if_curve(trials[0], range(1, 7), seed=1),
    sweep_contrast(np.arange(9.0), rng.normal(size=(6, 9)), rng.normal(size=(7, 9)), seed=1),
    *(correlation(x, y, k, seed=1, replicates=2_000) for k in ("pearson", "spearman", "kendall")),
)
print(json.dumps(list(estimates(found))))
"""


def run(**environment):
    """The estimates of the program, in a process with these variables and none of their kin."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith("OPENBLAS_")}
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=kept | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(found.stdout)


def test_another_kernel_changes_last_digits_only():
    """The oldest kernel and the processor's own: the same p, values and ends within 1e-12."""
    own, oldest = run(), run(OPENBLAS_CORETYPE="Prescott")
    assert len(own) > 70
    for one, other in zip(own, oldest, strict=True):
        assert one[3:] == other[3:]
        assert one[:3] == pytest.approx(other[:3], abs=1e-12)


def test_two_processes_give_the_same_bytes():
    """The same program twice on one machine: equal in every bit."""
    assert run() == run()
