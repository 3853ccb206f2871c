"""Induction: numbers that are printed twice, where no statistic of ours is involved."""

from __future__ import annotations

from collections.abc import Iterator

from tests.papers.induction.rates import models_of
from tests.papers.table import Check, Through, read

VIA = Through("induction", None)

TWO_RUNS = {
    ("GPT-5.2", "task", "low"): "51-62 against 52-63: two bootstrap runs",
    ("GPT-5.2", "task", "high"): "51-62 against 52-63: two bootstrap runs",
    ("Hermes-4 70B", "task", "low"): "2-7 against 1-7: two bootstrap runs",
}


def checks() -> Iterator[Check]:
    """Yield Table 5's baselines against Table 2, and columns that two tables share."""
    table = models_of("t02_per_model", "Grand mean")
    reasoning = read("induction", "t05_reasoning")
    plain = reasoning[reasoning.variant == "no reasoning"].set_index("model")
    for model, row in plain.iterrows():
        for kind in ("fixed", "task"):
            for what, column in (("average", "avg_if_pct"), ("N50", "n50")):
                name = f"Table 5 {what} is Table 2's, {model}, {kind}"
                at = f"{kind}_{column}"
                yield VIA.count(name, row[at], table.loc[model, at])
            for end in ("low", "high"):
                name = f"Table 5 interval is Table 2's, {model}, {kind}, {end} end (%)"
                at, known = f"{kind}_ci_{end}_pct", TWO_RUNS.get((model, kind, end), "")
                yield VIA.count(name, row[at], table.loc[model, at], known=known)
    medium = reasoning[reasoning.variant == "medium, reasoning"].fixed_avg_if_pct.item()
    heat, follow = models_of("t12_temperature"), models_of("t10_followup_by_model")
    yield VIA.count(
        "Table 12 GPT-5.2 at T=0 is Table 5's medium", heat.t0_if_pct["GPT-5.2"], medium
    )
    same = (follow.task_based_if_pct == table.task_avg_if_pct[follow.index]).sum()
    yield VIA.count("Table 10 task-based rates that are Table 2's", 13, same)
    hint = models_of("t11_hint")
    for kind in ("fixed", "task"):
        for what, one, other in (
            ("rates", f"{kind}_no_hint_pct", f"{kind}_avg_if_pct"),
            ("deltas", f"{kind}_delta_pp", f"{kind}_hint_delta_pp"),
        ):
            same = (hint[one] == table.loc[hint.index, other]).sum()
            yield VIA.count(f"Table 11 {what} that are Table 2's, {kind}", 13, same)
