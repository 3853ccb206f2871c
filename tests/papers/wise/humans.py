"""WISE: what the annotators' exact-N judgments (Table 24) say, and what they cannot say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from stats.agreement import Agreement
from stats.compliance import panel_compliance
from stats.fleiss import fleiss_kappa_of_counts
from tests.papers.build import QUICK, on_tasks
from tests.papers.table import Check, Through, read

SHARES = Through("wise", panel_compliance)
KAPPA = Through("wise", fleiss_kappa_of_counts)
ANNOTATORS = ["a1", "a2", "a3", "a4", "a5"]
TARGETS = 4
KAPPA_KNOWN = "Table 24 allows at most 0.166; 0.54 needs other judgments than the ones tabulated"


def checks() -> Iterator[Check]:
    """Yield the shares of exact-N judgments and their Fleiss' kappa."""
    table = read("wise", "t24_human_exact_n").set_index("form")
    rates = table[ANNOTATORS].to_numpy()
    exact = np.round(TARGETS * rates).astype(int)
    scores = np.array([[on_tasks(k, TARGETS, 1) for k in form] for form in exact])
    found = panel_compliance(
        scores.transpose(1, 2, 0), list(table.index), reference="POS", scheme="item cluster",
        **QUICK,
    )  # fmt: skip
    shares = {form.form: 100 * (form.compliance.value or 0.0) for form in found.forms}
    for form, ours in shares.items():
        name = f"Table 24 exact-N share, {form} (%)"
        yield SHARES.number(name, table.exact_n_pct[form], ours, decimals=0)
    name = "sec. 5.7 lowest exact-N share (%)"
    yield SHARES.number(name, 90, min(shares.values()), decimals=0)
    yield from _kappa(TARGETS - exact)


def _kappa(otherwise: np.ndarray) -> Iterator[Check]:
    """Yield kappa for every way to lay the annotators' judgments on the four targets.

    The table says how many of four targets each annotator judged otherwise, not which.
    """
    options = [_counts_over_targets(tuple(row)) for row in otherwise]
    tables = {tuple(sorted(np.concatenate(choice))) for choice in product(*options)}
    found = [_of_counts(np.array(items)) for items in sorted(tables)]
    kappas = sorted({round(float(each.value or 0.0), 12) for each in found})
    published = read("wise", "t25_agreement").set_index("measure").estimate
    yield KAPPA.count("App. Q items", 24, found[0].n_items)
    yield KAPPA.count("App. Q judgments", 120, found[0].n_ratings)
    yield KAPPA.number(
        "Table 25 Fleiss' kappa of the exact-N judgments, from Table 24",
        published["Exact-N judgment"],
        kappas[-1],
        decimals=2,
        reach=kappas,
        known=KAPPA_KNOWN,
    )


def _of_counts(otherwise: np.ndarray) -> Agreement:
    five = len(ANNOTATORS)
    return fleiss_kappa_of_counts(np.column_stack([otherwise, five - otherwise]), replicates=0)


def _counts_over_targets(per_annotator: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the distinct ways, up to order, in which judgments can fall on four targets."""
    ways = product(*(combinations(range(TARGETS), k) for k in per_annotator))
    laid = (tuple(sorted(sum(t in each for each in way) for t in range(TARGETS))) for way in ways)
    return sorted(set(laid))
