"""Published Holm corrections, recomputed from the published raw p-values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.intervals import two_sided_p
from stats.multiplicity import correct_family, corrected_p
from tests.papers.table import Check, count, number, read


def checks() -> Iterator[Check]:
    """Yield WISE's Table 10 and Core-100's family F2."""
    for name, family in read("wise", "t10_multiplicity").groupby("family", sort=False):
        yield from _wise(str(name), family)
    yield _floor()
    yield from _core100()


def _wise(name: str, family: pd.DataFrame) -> Iterator[Check]:
    """Yield a family's corrected p; a raw p printed "<.001" is anything from 0 to .001."""
    bounded = family.p_raw_is_upper_bound == 1
    lowest = np.where(bounded, 0.0, family.p_raw - 0.0005).clip(0)
    highest = np.where(bounded, family.p_raw, family.p_raw + 0.0005).clip(max=1)
    ours, low, high = (corrected_p(list(p)) for p in (family.p_raw, lowest, highest))
    for row, at, least, most in zip(family.itertuples(), ours, low, high, strict=True):
        below = row.p_holm_is_upper_bound == 1
        label = f"Table 10 Holm p, {name}, {row.form_vs_pos}" + (" (<.001)" if below else "")
        if below:  # any p up to .001 will do
            yield Check("wise", label, row.p_holm, row.p_holm, least, least, most)
        else:
            yield number("wise", label, row.p_holm, at, decimals=3, reach=(least, most))


def _floor() -> Check:
    """Return the least Holm p that 2,000 replicates can give in a family of five."""
    least = float(two_sided_p(np.ones((1, 2_000)))[0])
    ours = corrected_p([least] * 5)[0]
    known = "printed p are without the add-one correction; with it 2 / 2,001 times five is .005"
    name = "Table 10 Holm p < .001 with B = 2,000 in a family of five"
    return number("wise", name, 0.001, ours, decimals=3, known=known)


def _core100() -> Iterator[Check]:
    table = read("core100", "t22_holm_f2")
    names = table.model + ", " + table.intervention
    family = correct_family("F2", dict(zip(names, table.p_raw, strict=True)))
    for row, test in zip(table.itertuples(), family.tests, strict=True):
        decimals = 4 if row.p_holm < 1 else 3
        label = f"Table 22 Holm p, {test.name}"
        yield number("core100", label, row.p_holm, test.corrected, decimals=decimals)
        yield count("core100", f"Table 22 decision, {test.name}", row.reject, test.rejected)
    fits = sum(_is_bootstrap_p(p) for p in table.p_raw)
    yield count("core100", "Table 22 raw p that are add-one bootstrap p of B = 10,000", 12, fits)
    yield from _flags(dict(zip(names, (test.rejected for test in family.tests), strict=True)))


def _is_bootstrap_p(p: float) -> bool:
    """Tell whether a printed p is one that 10,000 replicates and the add-one rule can give."""
    beyond = max(0, round(p * 10_001 / 2) - 1)
    replicates = np.where(np.arange(10_000) < beyond, -1.0, 1.0)
    return bool(abs(two_sided_p(replicates[None, :])[0] - p) <= 0.00005 + 1e-9)


def _flags(rejected: dict[str, bool]) -> Iterator[Check]:
    """Yield how many daggers of the two tables are the corrected tests' decisions."""
    for table, file in (("Table 2", "t02_selectivity_gain"), ("Table 21", "t21_intervention_arms")):
        rows = read("core100", file)
        rows = rows[rows.family == "F2"]
        named = zip(rows.model + ", " + rows.intervention, rows.holm_f2_significant, strict=True)
        same = sum(rejected[name] == bool(flag) for name, flag in named)
        yield count("core100", f"{table} daggers that are F2's decisions", len(rows), same)
