"""Core-100: mean naturalness by round (Table 13) from the means by condition."""

from __future__ import annotations

from collections.abc import Iterator

from stats.means import nan_mean
from tests.papers.build import around
from tests.papers.table import Check, Through, read

VIA = Through("core100", nan_mean)


def checks() -> Iterator[Check]:
    """Yield the mean of the four conditions of each round."""
    rounds = read("core100", "t13_validation_rounds").set_index("round").mean_naturalness_1_5
    table = read("core100", "naturalness_by_condition_round")
    for place, conditions in table.groupby("round"):
        ours = float(nan_mean(conditions.mean_naturalness_1_5.to_numpy()))
        name = f"Table 13 mean naturalness, round {place}"
        reach = around(ours, 0.005)
        yield VIA.number(name, rounds[str(place)], ours, decimals=2, reach=reach)
