"""WISE: Holm corrections of Table 10, recomputed from the published raw p-values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.intervals import two_sided_p
from stats.multiplicity import corrected_p
from tests.papers.table import Check, Through, read

VIA = Through("wise", corrected_p)


def checks() -> Iterator[Check]:
    """Yield Table 10's corrected p, and what its replicates allow."""
    for name, family in read("wise", "t10_multiplicity").groupby("family", sort=False):
        yield from _corrected(str(name), family)
    yield _floor()


def _corrected(name: str, family: pd.DataFrame) -> Iterator[Check]:
    """Yield a family's corrected p; a raw p printed "<.001" is anything from 0 to .001."""
    bounded = family.p_raw_is_upper_bound == 1
    lowest = np.where(bounded, 0.0, family.p_raw - 0.0005).clip(0)
    highest = np.where(bounded, family.p_raw, family.p_raw + 0.0005).clip(max=1)
    ours, low, high = (corrected_p(list(p)) for p in (family.p_raw, lowest, highest))
    for row, at, least, most in zip(family.itertuples(), ours, low, high, strict=True):
        below = row.p_holm_is_upper_bound == 1
        label = f"Table 10 Holm p, {name}, {row.form_vs_pos}" + (" (<.001)" if below else "")
        if below:
            yield VIA.below(label, row.p_holm, least)
        else:
            yield VIA.number(label, row.p_holm, at, decimals=3, reach=(least, most))


def _floor() -> Check:
    """Return the least Holm p that 2,000 replicates can give in a family of five."""
    least = float(two_sided_p(np.ones((1, 2_000)))[0])
    ours = corrected_p([least] * 5)[0]
    known = "printed p are without the add-one correction; with it 2 / 2,001 times five is .005"
    name = "Table 10 Holm p < .001 with B = 2,000 in a family of five"
    return VIA.number(name, 0.001, ours, decimals=3, known=known)
