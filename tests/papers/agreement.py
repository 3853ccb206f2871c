"""Published agreement that follows from published tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from stats.fleiss import fleiss_kappa_of_counts
from tests.papers.table import Check, count, number, read

ANNOTATORS = ["a1", "a2", "a3", "a4", "a5"]
_KAPPA_KNOWN = "Table 24 allows at most 0.166; 0.54 needs other judgments than the ones tabulated"


def checks() -> Iterator[Check]:
    """Yield WISE's exact-N judgments, Core-100's second judge, Induction's judge panel."""
    yield from _wise()
    yield from _core100()
    yield from _induction()


def _wise() -> Iterator[Check]:
    forms = read("wise", "t24_human_exact_n").set_index("form")
    for form, row in forms.iterrows():
        share = 100 * row[ANNOTATORS].mean()
        yield number(
            "wise", f"Table 24 exact-N share, {form} (%)", row.exact_n_pct, share, decimals=0
        )
    published = read("wise", "t25_agreement").set_index("measure").estimate
    kappas = sorted(set(_possible_kappas(forms[ANNOTATORS].to_numpy())))
    yield number(
        "wise",
        "Table 25 Fleiss' kappa of the exact-N judgments, from Table 24",
        published["Exact-N judgment"],
        kappas[-1],
        decimals=2,
        reach=kappas,
        known=_KAPPA_KNOWN,
    )


def _possible_kappas(rates: np.ndarray) -> Iterator[float]:
    """Yield kappa for every way to lay the annotators' judgments on the four targets.

    The table says how many of four targets each annotator judged otherwise, not which.
    """
    otherwise = np.round(4 * (1 - rates)).astype(int)
    options = [_counts_over_targets(tuple(row)) for row in otherwise]
    for choice in product(*options):
        per_item = np.concatenate(choice)
        kappa = fleiss_kappa_of_counts(np.column_stack([per_item, 5 - per_item]), replicates=0)
        yield round(float(kappa.value), 12)


def _counts_over_targets(per_annotator: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the distinct ways, up to order, in which judgments can fall on four targets."""
    ways = product(*(combinations(range(4), k) for k in per_annotator))
    return sorted({tuple(sorted(sum(t in each for each in way) for t in range(4))) for way in ways})


def _core100() -> Iterator[Check]:
    table = read("core100", "t15_second_judge_agreement").set_index("condition")
    parts = table.drop("Overall")
    for column in table.columns:
        name = f"Table 15 overall {column.replace('_', ' ')}"
        yield count("core100", name, table.loc["Overall", column], parts[column].sum())


def _induction() -> Iterator[Check]:
    table = read("induction", "t13_judge_agreement").set_index("condition")
    rates = table.drop("All conditions").unanimous_rate
    mean = rates.mean()
    yield number(
        "induction",
        "Table 13 unanimous rate, all conditions (mean of eight)",
        table.unanimous_rate["All conditions"],
        mean,
        decimals=2,
        reach=(mean - 0.005, mean + 0.005),
    )
    text = read("induction", "text_numbers").set_index("key").value
    yield number(
        "induction",
        "App. L non-unanimous share (%), from Table 13",
        float(text["non_unanimous_share"]),
        100 * (1 - mean),
        decimals=1,
        reach=(100 * (1 - mean) - 0.5, 100 * (1 - mean) + 0.5),
        known="Table 13 gives 10-10.5%; the text's 11.2% is over 'the entire behavioral dataset'",
    )
    persona = 100 * (1 - rates[["persona_casual_formal", "persona_formal_casual"]])
    known = "Table 13 gives 8% and 11%; the text says 10-15%"
    for end, published, ours in (("low", 10, persona.min()), ("high", 15, persona.max())):
        name = f"App. L non-unanimous persona conditions, {end} end (%)"
        reach = (ours - 0.5, ours + 0.5)
        yield number("induction", name, published, ours, decimals=0, reach=reach, known=known)
