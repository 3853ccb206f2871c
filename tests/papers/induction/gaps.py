"""Induction: alignment gaps (Table 3), aligned minus misaligned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from stats.induction import if_contrast
from tests.papers.build import QUICK, around, percents
from tests.papers.induction.rates import models_of
from tests.papers.table import Check, Through, read

VIA = Through("induction", if_contrast)


def checks() -> Iterator[Check]:
    """Yield the grand means of Table 3 and the gaps that sec. 3.3 gives both ends of."""
    models = models_of("t03_alignment_gap", "Grand mean")
    total = read("induction", "t03_alignment_gap").set_index("model").loc["Grand mean"]
    yield VIA.count("sec. 2.3 models", 13, _gap(models.fixed_gap_pp, 0 * models.fixed_gap_pp)[1])
    for kind in ("fixed", "task"):
        gaps = models[f"{kind}_gap_pp"]
        ours, _ = _gap(gaps.clip(lower=0), -gaps.clip(upper=0))
        name, reach = f"Table 3 grand mean gap, {kind} (points)", around(ours, 0.5)
        yield VIA.number(name, total[f"{kind}_gap_pp"], ours, decimals=0, reach=reach)
    yield from _text(models.fixed_gap_pp, total.fixed_gap_pp)


def _text(gaps: pd.Series, mean: float) -> Iterator[Check]:
    text = read("induction", "text_numbers").set_index("key").value
    value, factual = (
        [float(text[f"{kind}_{way}_mean_if"]) for way in ("aligned", "misaligned")]
        for kind in ("value", "factual")
    )
    opus = [float(text[f"opus_{way}_if"]) for way in ("aligned", "misaligned")]
    for what, published, pairs in (
        ("sec. 3.3 value gap", 14, [value]),
        ("Table 3 grand mean gap, fixed, from sec. 3.3's means", mean, [value, factual]),
        ("Table 3 gap of Claude Opus 4.6, fixed, from sec. 3.3", gaps["Claude Opus 4.6"], [opus]),
    ):
        ours, _ = _gap(*zip(*pairs, strict=True))
        name, reach = f"{what} (points)", around(ours, 1.0)
        yield VIA.number(name, published, ours, decimals=0, reach=reach)


def _gap(aligned: Any, misaligned: Any) -> tuple[float, int]:
    """Return the mean gap in points, and over how many cells, each of 100 trials."""
    one, other = (percents(abs(pd.Series(each)))[:, None, :] for each in (aligned, misaligned))
    found = if_contrast(one, other, **QUICK)
    return 100 * (found.difference.value or 0.0), found.n_cells
