"""Induction: correlations over models and their p-values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stats.correlation import correlation, p_of_pearson
from tests.papers.induction.rates import models_of
from tests.papers.table import Check, Through

CORRELATION = Through("induction", correlation)
P_VALUE = Through("induction", p_of_pearson)


def checks() -> Iterator[Check]:
    """Yield T = 0 against T = 1 over six models, and the p of the benchmark correlations."""
    heat = models_of("t12_temperature")
    x, y = heat.t0_if_pct.to_numpy(float), heat.t1_if_pct.to_numpy(float)
    found = correlation(x, y, "pearson")
    shifts = np.random.default_rng(1).uniform(-0.5, 0.5, (2_000, 2, len(x)))
    reach = [correlation(x + a, y + b, "pearson").value for a, b in shifts]
    name = "T=0 against T=1 over six models"
    yield CORRELATION.number(f"App. K r, {name}", 0.99, found.value, decimals=2, reach=reach)
    yield CORRELATION.below(f"App. K p of r < .001, {name}", 0.001, found.estimate.p or 0.0)
    known = "0.84 in the label; Table 12 and App. K give 0.99"
    label = f"Fig. 17(b) label r, {name}"
    yield CORRELATION.number(label, 0.84, found.value, decimals=2, reach=reach, known=known)
    for benchmark, r, p, decimals in (("GPQA", 0.35, 0.24, 2), ("IFBench", 0.55, 0.052, 3)):
        reach = [p_of_pearson(r + shift, 13) for shift in (-0.005, 0.005)]
        name = f"sec. 3.2 p of r = {r} with {benchmark}, 13 models"
        ours = p_of_pearson(r, 13)
        yield P_VALUE.number(name, p, ours, decimals=decimals, reach=reach)
