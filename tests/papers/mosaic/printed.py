"""MOSAIC: the design's counts and the correlations that the text quotes from the tables."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, factorial, perm

import numpy as np

from tests.papers.mosaic import correlation
from tests.papers.table import Check, Through, read

VIA = Through("mosaic", None)

POOL = 21  # constraints to draw from; lists hold 1 to 20
SMALL, LARGE = range(1, 4), range(4, 21)
UNEVEN = (
    "23,921 per pairing = 8,421 exhaustive orders (sizes 1-3) + 15,500, and 15,500 is not 17 equal "
    "shares; no M combinations with s shuffles each give it either"
)


def checks() -> Iterator[Check]:
    """Yield the design's counts and the quoted correlations."""
    text = read("mosaic", "text_numbers").set_index("key").value
    prompts, sampled = int(text["prompts_comprehensive"]), int(text["prompts_sampled"])
    pairings = int(text["n_tasks"]) * int(text["n_products"])
    models = read("mosaic", "t05_scc").shape[1] - 1
    known = "abstract says five LLMs; Tables 5-13 have seven models of six families"
    yield VIA.count("abstract, models evaluated", 5, models, known=known)
    yield VIA.count("sec. 3.1 prompts left over by 32 pairings", 0, prompts % pairings)
    name = "sec. 3.1 prompts of the full set, nearest under a uniform rule"
    yield VIA.count(name, prompts, _nearest_uniform(prompts, pairings), known=UNEVEN)
    strata = pairings * (SMALL.stop - SMALL.start + len(LARGE))
    known = "4000 / (4 x 8 x 20) = 6.25, so strata cannot be equal"
    ours = strata * round(sampled / strata)
    yield VIA.count("sec. 3.1 prompts sampled, equal strata", sampled, ours, known=known)
    yield from correlation.printed()


def _nearest_uniform(total: int, pairings: int) -> int:
    """Return the number of prompts nearest to `total` that a uniform rule can give.

    Lists of up to three constraints come in all orders. For longer ones every size has as many
    prompts, or as many combinations (all, where there are fewer) with as many shuffles each; the
    cap on combinations may hold for short lists as well.
    """
    per, orders = total // pairings, sum(perm(POOL, k) for k in SMALL)
    heads = np.full(per, orders)
    found = [orders + len(LARGE) * round((per - orders) / len(LARGE))]
    caps = np.arange(1, per + 1)
    capped = sum(np.minimum(comb(POOL, k), caps) * factorial(k) for k in SMALL)
    tails = sum(np.minimum(comb(POOL, k), caps) for k in LARGE)
    for head in (heads, capped):
        possible = head < per
        shuffles = np.maximum(1, np.round((per - head[possible]) / tails[possible]))
        found += (head[possible] + shuffles * tails[possible]).tolist()
    return pairings * int(min(found, key=lambda each: abs(each - per)))
