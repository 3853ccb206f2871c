"""Core-100: the Holm family F2 (Table 22), and the decisions that Tables 2 and 21 mark."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stats.intervals import two_sided_p
from stats.multiplicity import correct_family
from tests.papers.table import Check, Through, read

VIA = Through("core100", correct_family)
RAW = Through("core100", two_sided_p)


def checks() -> Iterator[Check]:
    """Yield corrected p and decisions of F2."""
    table = read("core100", "t22_holm_f2")
    names = table.model + ", " + table.intervention
    family = correct_family("F2", dict(zip(names, table.p_raw, strict=True)))
    for row, test in zip(table.itertuples(), family.tests, strict=True):
        decimals = 4 if row.p_holm < 1 else 3
        label = f"Table 22 Holm p, {test.name}"
        yield VIA.number(label, row.p_holm, test.corrected, decimals=decimals)
        yield VIA.count(f"Table 22 decision, {test.name}", row.reject, test.rejected)
    fits = sum(_is_bootstrap_p(p) for p in table.p_raw)
    yield RAW.count("Table 22 raw p that are add-one bootstrap p of B = 10,000", 12, fits)
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
        yield VIA.count(f"{table} daggers that are F2's decisions", len(rows), same)
