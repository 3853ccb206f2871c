"""Agreement under the item bootstrap against loops over pingouin and statsmodels."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pingouin
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from benchmarks._timing import paired
from stats.fleiss import fleiss_kappa_of_counts
from stats.icc import icc

ITEMS, RATERS, REPLICATES, CATEGORIES = 24, 5, 2_000, 5


def pingouin_loop(table: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """ICC(2,k) of every resample; only the scores of the long frame change."""
    item, rater = np.indices(table.shape)
    frame = pd.DataFrame({"item": item.ravel(), "rater": rater.ravel()})
    out = np.empty(len(drawn))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for b, rows in enumerate(drawn):
            frame["score"] = table[rows].ravel()
            found = pingouin.intraclass_corr(frame, "item", "rater", "score")
            out[b] = found.set_index("Type").loc["ICC(A,k)", "ICC"]
    return out


def statsmodels_loop(counts: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Fleiss' kappa of every resample."""
    return np.array([statsmodels_fleiss(counts[rows]) for rows in drawn])


def of_icc(rng: np.random.Generator, *, tiny: bool) -> tuple[str, float, str]:
    """ICC(2,k): the library's loop is measured on a few dozen replicates and scaled up."""
    table = rng.normal(size=(ITEMS, RATERS)) + rng.normal(size=(ITEMS, 1)) + rng.normal(size=RATERS)
    drawn = rng.integers(0, ITEMS, (2 if tiny else 40, ITEMS))
    theirs = pingouin_loop(table, drawn)
    ours = [icc(table[rows], "ICC(2,k)", replicates=0).value for rows in drawn]
    _agree("ICC(2,k)", ours, theirs)
    replicates = 100 if tiny else REPLICATES
    found = paired(
        lambda: icc(table, "ICC(2,k)", seed=1, replicates=replicates),
        lambda: pingouin_loop(table, drawn),
        pairs=1 if tiny else 7,
        inner=1 if tiny else 15,
        scale=replicates / len(drawn),
    )
    what = (
        f"{replicates:,} bootstrap replicates of ICC(2,k), {ITEMS} items x {RATERS} raters, "
        f"against a pingouin loop (extrapolated from {len(drawn)} replicates; {found.figures})"
    )
    return what, found.ratio, "at least 2000"


def of_fleiss(rng: np.random.Generator, *, tiny: bool) -> tuple[str, float, str]:
    """Fleiss' kappa; statsmodels is fast on counts, so the ratio is small."""
    counts = rng.multinomial(RATERS, rng.dirichlet(np.ones(CATEGORIES), ITEMS))
    replicates = 100 if tiny else REPLICATES
    drawn = rng.integers(0, ITEMS, (replicates, ITEMS))
    theirs = statsmodels_loop(counts, drawn[:20])
    ours = [fleiss_kappa_of_counts(counts[rows], replicates=0).value for rows in drawn[:20]]
    _agree("Fleiss' kappa", ours, theirs)
    found = paired(
        lambda: fleiss_kappa_of_counts(counts, seed=1, replicates=replicates),
        lambda: statsmodels_loop(counts, drawn),
        pairs=1 if tiny else 7,
        inner=1 if tiny else 15,
    )
    what = (
        f"{replicates:,} bootstrap replicates of Fleiss' kappa, {ITEMS} items x {RATERS} raters, "
        f"against a statsmodels loop on counts ({found.figures})"
    )
    return what, found.ratio, "none"


def _agree(name: str, ours: list[float | None], theirs: np.ndarray) -> None:
    if not np.allclose(np.array(ours, float), theirs, atol=1e-9):
        raise RuntimeError(f"our {name} and the library's differ on the same resamples")


def run(*, tiny: bool = False) -> list[tuple[str, float, str]]:
    """Return what was compared, the ratio and the goal."""
    rng = np.random.default_rng(20260710)
    return [of_icc(rng, tiny=tiny), of_fleiss(rng, tiny=tiny)]
