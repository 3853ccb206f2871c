"""How far auditors agree on pairs: Cohen's kappa of every two of them, joined by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.estimate import undefined
from core.evidence import GivenAudit
from stats.agreement import Agreement
from stats.cohen import cohen_kappa_pairs
from stats.fleiss import fleiss_kappa
from stats.ratings import matrix_from_rows

VERDICTS = (True, False)
NO_VERDICT = "no audits yet"
NO_SHARED_PAIR = "not computable: no pair has the verdicts of two auditors"


def kappa_of_auditors(
    audits: Sequence[GivenAudit], *, seed: int, replicates: int
) -> tuple[tuple[str, Agreement], ...]:
    """Cohen's kappa of every two auditors who share a pair, under their numbers.

    Auditors are numbered by seat, so that nothing depends on pseudonyms. From three auditors on,
    Fleiss' kappa of all of them comes first. Where nobody shares a pair with anybody there is one
    entry, undefined.
    """
    pairs = [audit.pair for audit in audits]
    if max(Counter(pairs).values(), default=0) < 2:
        return (("auditors", _nothing(len(set(pairs)), len(pairs))),)
    came = sorted(audits, key=lambda audit: (audit.seat, audit.created_at))
    number = {each: n for n, each in enumerate(dict.fromkeys(a.person for a in came), start=1)}
    rows = sorted(audits, key=lambda audit: (audit.scenario, number[audit.person]))
    matrix, _, found = matrix_from_rows(
        [audit.pair for audit in rows],
        [number[audit.person] for audit in rows],
        [audit.only_intended for audit in rows],
    )
    kappas = cohen_kappa_pairs(matrix, VERDICTS, raters=found, seed=seed, replicates=replicates)
    entries = [
        (f"auditors {each.first}, {each.second}", each.agreement)
        for each in kappas
        if each.agreement.n_items
    ]
    if len(number) > 2:
        everybody = fleiss_kappa(matrix, VERDICTS, variant="gwet", seed=seed, replicates=replicates)
        entries.insert(0, ("auditors", everybody))
    return tuple(entries)


def _nothing(pairs: int, verdicts: int) -> Agreement:
    return Agreement(
        estimate=undefined(NO_SHARED_PAIR if verdicts else NO_VERDICT),
        estimator="Cohen's kappa, unweighted",
        raw_agreement=None,
        n_items=0,
        n_ratings=0,
        n_items_dropped=pairs,
        n_ratings_dropped=verdicts,
    )
