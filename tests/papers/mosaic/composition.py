"""MOSAIC: category means (Table 6) and what sec. 4.1 quotes, from the rates of Table 5."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.composition import SingleCompliance, single_compliance
from tests.papers.build import QUICK, around
from tests.papers.table import Check, Through, read

VIA = Through("mosaic", single_compliance)

RESPONSES = 10_000  # rates have four decimals
HALF = 0.00005
LLAMAS = ("llama_3_1_8b", "llama_3_3_70b")
CUT = "0.8053 is printed as 0.80 in the text (cut, not rounded)"


def checks() -> Iterator[Check]:
    """Yield all cells of Table 6 and the rates that the text names."""
    rates = read("mosaic", "t05_scc").set_index("constraint")
    found = {model: _compliance(rates[model]) for model in rates.columns}
    yield VIA.count("sec. 4 models evaluated", 7, len(found))
    count = len(found[LLAMAS[0]].constraints)
    yield VIA.count("Table 1 constraint types", 21, count)
    categories = {model: dict(one.categories) for model, one in found.items()}
    yield VIA.count("Table 1 constraint groups", 5, len(categories[LLAMAS[0]]))
    published = read("mosaic", "t06_scc_category").set_index("category")
    for category, row in published.iterrows():
        for model, rate in row.items():
            ours = categories[model][category].value
            name, reach = f"Table 6 {category}, {model}", around(ours, HALF)
            yield VIA.number(name, rate, ours, decimals=4, reach=reach)
    for model, quoted in (("qwen3_8b", 0.8168), ("deepseek_r1_8b", 0.7720)):
        ours = categories[model]["Formatting"].value
        name, reach = f"sec. 4.1 Formatting, {model}", around(ours, HALF)
        yield VIA.number(name, quoted, ours, decimals=4, reach=reach)
    yield from _quoted(found)
    yield _list_size()


def _compliance(rates: pd.Series) -> SingleCompliance:
    """Return one model's compliance over responses that all hold every constraint."""
    followed = np.arange(RESPONSES)[:, None] < np.round(RESPONSES * rates.to_numpy())
    position = np.broadcast_to(np.arange(1, len(rates) + 1), followed.shape)
    category = read("mosaic", "t04_constraints").set_index("name_in_table_5").category
    names = list(rates.index)
    return single_compliance(followed, position, names, categories=category.to_dict(), **QUICK)


def _quoted(found: dict[str, SingleCompliance]) -> Iterator[Check]:
    """Yield the rates of two constraints that sec. 4.1 rounds to two decimals."""
    rate = {
        model: {each.name: each.rate.value or 0.0 for each in one.constraints}
        for model, one in found.items()
    }
    flesch = [rates["Flesch reading ease 70-80"] for rates in rate.values()]
    lists = {model: rates["Structure body into lists"] for model, rates in rate.items()}
    llamas = [lists[model] for model in LLAMAS]
    for what, published, ours, known in (
        ("Flesch, lowest", 0.42, min(flesch), ""),
        ("Flesch, highest", 0.80, max(flesch), CUT),
        ("lists, Qwen3", 0.34, lists["qwen3_8b"], ""),
        ("lists, Deepseek-R1", 0.07, lists["deepseek_r1_8b"], ""),
        ("lists, lower Llama", 0.97, min(llamas), ""),
        ("lists, higher Llama", 0.99, max(llamas), ""),
    ):
        yield VIA.number(f"sec. 4.1 SCC of {what}", published, ours, decimals=2, known=known)


def _list_size() -> Check:
    """Return the mean number of constraints per prompt when sizes 1 to 20 are equally frequent."""
    sizes, constraints = np.arange(1, 21), np.arange(1, 22)
    position = np.where(constraints <= sizes[:, None], constraints, 0)
    followed = np.where(position > 0, 1.0, np.nan)
    found = single_compliance(followed, position, [f"c{k}" for k in constraints], **QUICK)
    held = sum(each.n_held for each in found.constraints)
    return VIA.number("Table 1 constraints per prompt", 10.50, held / len(sizes), decimals=2)
