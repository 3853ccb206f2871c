"""Induction: unanimous rates of the judge panel (Table 13)."""

from __future__ import annotations

from collections.abc import Iterator

from stats.means import nan_mean
from tests.papers.build import around
from tests.papers.table import Check, Through, read

VIA = Through("induction", nan_mean)
OTHER_DATA = "Table 13 gives 10-10.5%; the text's 11.2% is over 'the entire behavioral dataset'"
PERSONA = "Table 13 gives 8% and 11%; the text says 10-15%"


def checks() -> Iterator[Check]:
    """Yield the mean over conditions and the shares that App. L names."""
    table = read("induction", "t13_judge_agreement").set_index("condition")
    rates = table.drop("All conditions").unanimous_rate
    mean = float(nan_mean(rates.to_numpy()))
    name = "Table 13 unanimous rate, all conditions (mean of eight)"
    published = table.unanimous_rate["All conditions"]
    yield VIA.number(name, published, mean, decimals=2, reach=around(mean, 0.005))
    ours, name = 100 * (1 - mean), "App. L non-unanimous share (%), from Table 13"
    yield VIA.number(name, 11.2, ours, decimals=1, reach=around(ours, 0.5), known=OTHER_DATA)
    ours = 100 * (1 - float(nan_mean(rates[["preference_aligned_helpful"]].to_numpy())))
    name = "App. L non-unanimous share, preference_aligned_helpful (%)"
    yield VIA.number(name, 50, ours, decimals=0, reach=around(ours, 0.5))
    persona = [
        100 * (1 - float(nan_mean(rates[[condition]].to_numpy())))
        for condition in ("persona_casual_formal", "persona_formal_casual")
    ]
    for end, printed, ours in (("low", 10, min(persona)), ("high", 15, max(persona))):
        name = f"App. L non-unanimous persona conditions, {end} end (%)"
        yield VIA.number(name, printed, ours, decimals=0, reach=around(ours, 0.5), known=PERSONA)
