"""Paired metrics of Core-100: whether the decision moves when the constraint goes away.

All inputs are shares of constraint-heavy choices among conforming samples, one per scenario, NaN
where a scenario has no conforming sample; rows in the order of scenario ids (see
:func:`stats.resample.order_by_id`). A scenario that is missing in any condition of a contrast
leaves all of it and is counted. Intervals are percentile intervals over scenarios (10,000
replicates in the paper), and all metrics of one call come from the same draws.

Source: "The Model Says Walk", secs. 2, 5, 6 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from core.estimate import Estimate, undefined
from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError
from stats.resample import bootstrap, estimates, iid, replicate_means

_NONE_LEFT = "no scenario has a conforming sample in every condition"


@dataclass(frozen=True, slots=True)
class PairedMetrics:
    """The paired metrics of one model.

    Attributes
    ----------
    p_a, p_r
        Mean share of constraint-heavy choices in Active and in Removed.
    selectivity
        ``S = p_A - p_R``, with p against 0.
    sba
        Selectivity-balanced accuracy ``(p_A + 1 - p_R) / 2 = (1 + S) / 2``.
    oa, ua
        Over-activation ``p_R`` and under-activation ``1 - p_A``.
    gap
        ``p_A - SBA = (OA - UA) / 2``: by how much active-only accuracy flatters; p against 0.
    n_scenarios, n_dropped
        Scenarios used, and those without a conforming sample in either condition.
    """

    p_a: Estimate
    p_r: Estimate
    selectivity: Estimate
    sba: Estimate
    oa: Estimate
    ua: Estimate
    gap: Estimate
    n_scenarios: int
    n_dropped: int


@dataclass(frozen=True, slots=True)
class InterventionEffects:
    """What a prompt changes, paired by scenario against the same model's baseline.

    Attributes
    ----------
    ag
        Active gain: change of p_A.
    rh
        Removed harm: change of p_R, signed and never clipped; positive is harm.
    sg
        Selectivity gain ``AG - RH``, the change of S. All three with p against 0.
    n_scenarios, n_dropped
        Scenarios used, and those missing in any of the four cells.
    """

    ag: Estimate
    rh: Estimate
    sg: Estimate
    n_scenarios: int
    n_dropped: int


@dataclass(frozen=True, slots=True)
class FamilyDifference:
    """How one constraint family differs from all others, pooled over models.

    `p_a`, `p_r` and `selectivity` are differences "family minus others" with p against 0.
    """

    p_a: Estimate
    p_r: Estimate
    selectivity: Estimate
    n_family: int
    n_others: int


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean difference of two conditions over the scenarios that have both.

    `n_ineligible` scenarios were not asked for, `n_dropped` of the others had a missing value.
    """

    difference: Estimate
    n_scenarios: int
    n_dropped: int
    n_ineligible: int


def shares_of(heavy: ArrayLike, conforming: ArrayLike) -> FloatArray:
    """Return shares from counts: an array whose missing cells (no sample conforms) are NaN.

    The functions of this module take such arrays and count what is missing; no estimate holds NaN.

    Examples
    --------
    >>> shares_of([6, 0, 0], [7, 7, 0]).round(3).tolist()
    [0.857, 0.0, nan]
    """
    top = checks.finite("heavy", heavy, missing=False)
    bottom = checks.finite("conforming", conforming, missing=False)
    checks.same_shape(heavy=top, conforming=bottom)
    if (top < 0).any() or (top > bottom).any():
        raise StatisticsInputError("heavy must lie between 0 and conforming in every cell")
    share = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=share, where=bottom > 0)
    return share


def paired_metrics(
    active: ArrayLike, removed: ArrayLike, *, replicates: int = 10_000, seed: int
) -> PairedMetrics:
    """Return the paired metrics of one model (Core-100, Eqs. 1 and 2).

    Parameters
    ----------
    active, removed
        Shape ``(n_scenarios,)``: shares of constraint-heavy choices among conforming samples.
    replicates, seed
        Scenario bootstrap.

    Returns
    -------
    PairedMetrics
        All undefined, with the reason, when no scenario is complete. One scenario: values without
        intervals.

    Examples
    --------
    Claude Opus 4.6 misses no constraint and applies it in 18 of 100 scenarios where it is absent
    (Table 1: S = .82, SBA = .91, gap = +.09):

    >>> opus = paired_metrics(np.ones(100), np.repeat([1.0, 0.0], [18, 82]), seed=1)
    >>> [round(e.value, 3) for e in (opus.selectivity, opus.sba, opus.oa, opus.ua, opus.gap)]
    [0.82, 0.91, 0.18, 0.0, 0.09]
    >>> opus.gap.low < 0.09 < opus.gap.high, opus.gap.p < 0.001
    (True, True)
    """
    one, two = (checks.shares(n, v, ndim=1) for n, v in (("active", active), ("removed", removed)))
    checks.same_shape(active=one, removed=two)
    return paired_metrics_of_models(one[:, None], two[:, None], replicates=replicates, seed=seed)[0]


def paired_metrics_of_models(
    active: ArrayLike, removed: ArrayLike, *, replicates: int = 10_000, seed: int
) -> tuple[PairedMetrics, ...]:
    """Return the paired metrics of many models, as if each were asked for alone.

    Parameters
    ----------
    active, removed
        Shape ``(n_scenarios, n_models)``. Models with the same missing scenarios share one matrix
        product; models without missing ones therefore share their draws.
    """
    one = checks.shares("active", active, ndim=2)
    two = checks.shares("removed", removed, ndim=2)
    checks.same_shape(active=one, removed=two)
    complete = ~(np.isnan(one) | np.isnan(two))
    found: dict[int, PairedMetrics] = {}
    for pattern in np.unique(complete, axis=1).T:
        models = np.flatnonzero((complete == pattern[:, None]).all(axis=0))
        rows = np.flatnonzero(pattern)
        cells = one[np.ix_(rows, models)], two[np.ix_(rows, models)]
        metrics = _complete_metrics(*cells, len(one) - len(rows), replicates, seed)
        found.update(zip(models.tolist(), metrics, strict=True))
    return tuple(found[k] for k in range(one.shape[1]))


def _complete_metrics(
    active: FloatArray, removed: FloatArray, dropped: int, replicates: int, seed: int
) -> list[PairedMetrics]:
    n, models = active.shape
    if n == 0:
        none = undefined(_NONE_LEFT)
        empty = PairedMetrics(none, none, none, none, none, none, none, 0, dropped)
        return [empty] * models
    draws = iid(n, replicates=replicates, seed=seed)
    drawn = replicate_means(np.hstack([active, removed]), draws) if n > 1 else None
    p_a, p_r = active.mean(axis=0), removed.mean(axis=0)
    of_a, of_r = (None, None) if drawn is None else (drawn[:models], drawn[models:])
    selectivity = None if of_a is None or of_r is None else of_a - of_r
    gap = None if of_a is None or of_r is None else (of_a + of_r - 1.0) / 2.0
    found = zip(
        estimates(p_a, of_a, draws),
        estimates(p_r, of_r, draws),
        estimates(p_a - p_r, selectivity, draws, null=0.0),
        estimates((p_a + p_r - 1.0) / 2.0, gap, draws, null=0.0),
        strict=True,
    )
    return [_metrics(*each, counts=(n, dropped)) for each in found]


def _metrics(
    p_a: Estimate, p_r: Estimate, selectivity: Estimate, gap: Estimate, *, counts: tuple[int, int]
) -> PairedMetrics:
    """Add what is the same number on another scale: SBA is S, OA is p_R, UA is p_A."""
    sba = _rescaled(selectivity, 0.5, 0.5)
    under = _rescaled(p_a, -1.0, 1.0)
    return PairedMetrics(p_a, p_r, selectivity, sba, p_r, under, gap, *counts)


def _rescaled(estimate: Estimate, factor: float, plus: float) -> Estimate:
    """Return an estimate times a factor plus a constant: quantiles move along; no p."""
    if estimate.value is None:
        return estimate
    value = factor * estimate.value + plus
    if estimate.low is None or estimate.high is None:
        return replace(estimate, value=value, p=None)
    low, high = sorted((factor * estimate.low + plus, factor * estimate.high + plus))
    return replace(estimate, value=value, low=low, high=high, p=None)


def intervention_effects(
    base_active: ArrayLike,
    base_removed: ArrayLike,
    prompted_active: ArrayLike,
    prompted_removed: ArrayLike,
    *,
    replicates: int = 10_000,
    seed: int,
) -> InterventionEffects:
    """Return AG, RH and SG of a prompt against the same model's baseline (Core-100, sec. 7).

    Parameters
    ----------
    base_active, base_removed, prompted_active, prompted_removed
        Shape ``(n_scenarios,)``: shares of constraint-heavy choices without and with the prompt.

    Examples
    --------
    Active goes from .5 to 1 in one of two scenarios, Removed from 0 to .5 in both:

    >>> effects = intervention_effects([0.5, 1], [0, 0], [1, 1], [0.5, 0.5], seed=1)
    >>> effects.ag.value, effects.rh.value, effects.sg.value
    (0.25, 0.5, -0.25)
    """
    cells = {
        "base_active": checks.shares("base_active", base_active, ndim=1),
        "base_removed": checks.shares("base_removed", base_removed, ndim=1),
        "prompted_active": checks.shares("prompted_active", prompted_active, ndim=1),
        "prompted_removed": checks.shares("prompted_removed", prompted_removed, ndim=1),
    }
    checks.same_shape(**cells)
    table = np.column_stack(list(cells.values()))
    complete = table[~np.isnan(table).any(axis=1)]
    gain, harm = complete[:, 2] - complete[:, 0], complete[:, 3] - complete[:, 1]
    changes = np.column_stack([gain, harm, gain - harm])
    ag, rh, sg = _differences(changes, replicates, seed)
    return InterventionEffects(ag, rh, sg, len(complete), len(table) - len(complete))


def paired_difference(
    minuend: ArrayLike,
    subtrahend: ArrayLike,
    *,
    eligible: ArrayLike | None = None,
    replicates: int = 10_000,
    seed: int,
) -> PairedDifference:
    """Return the mean of ``minuend - subtrahend`` over scenarios, with p against 0.

    Parameters
    ----------
    minuend, subtrahend
        Shape ``(n_scenarios,)``.
    eligible
        One truth value per scenario; left out: all. Scenarios whose added clause missed a
        threshold are not eligible for cue contrasts.
    """
    one = checks.shares("minuend", minuend, ndim=1)
    two = checks.shares("subtrahend", subtrahend, ndim=1)
    checks.same_shape(minuend=one, subtrahend=two)
    wanted = np.ones(len(one), bool) if eligible is None else eligible
    asked = (one - two)[checks.flags("eligible", wanted, len(one))]
    there = asked[~np.isnan(asked)]
    (difference,) = _differences(there[:, None], replicates, seed)
    return PairedDifference(difference, len(there), len(asked) - len(there), len(one) - len(asked))


def cue_gain(
    explicit: ArrayLike,
    salience_control: ArrayLike,
    eligible: ArrayLike,
    *,
    replicates: int = 10_000,
    seed: int,
) -> PairedDifference:
    """Return the cue-specific gain Explicit - SalienceControl (Core-100, secs. 5 and 6).

    It isolates what the cue says from the act of adding a clause, and rests on the scenarios whose
    two added clauses passed validation only.

    Examples
    --------
    >>> found = cue_gain([1, 1, 1], [0.5, 1, 0], np.array([True, True, False]), seed=1)
    >>> found.difference.value, found.n_scenarios, found.n_ineligible
    (0.25, 2, 1)
    """
    return paired_difference(
        explicit, salience_control, eligible=eligible, replicates=replicates, seed=seed
    )


def family_difference(
    active: ArrayLike,
    removed: ArrayLike,
    in_family: ArrayLike,
    *,
    replicates: int = 10_000,
    seed: int,
) -> FamilyDifference:
    """Return "family minus all others" in p_A, p_R and S, pooled over models (Core-100, sec. 6).

    A pooled p is the plain mean over models of the models' means over scenarios. Scenarios are
    drawn as in all other metrics, so the number of scenarios of the family varies.

    Parameters
    ----------
    active, removed
        Shape ``(n_scenarios, n_models)``. A model's scenario that is missing in either condition
        is left out for that model.
    in_family
        One truth value per scenario.

    Examples
    --------
    >>> active = np.array([[0.5], [0.7], [1.0], [1.0]])
    >>> presence = np.array([True, True, False, False])
    >>> found = family_difference(active, np.zeros((4, 1)), presence, seed=1)
    >>> round(found.p_a.value, 3), found.p_r.value, found.n_family
    (-0.4, 0.0, 2)
    """
    one = checks.shares("active", active, ndim=2)
    two = checks.shares("removed", removed, ndim=2)
    checks.same_shape(active=one, removed=two)
    inside = checks.flags("in_family", in_family, len(one))
    there = ~(np.isnan(one) | np.isnan(two))
    held = there.astype(np.float64)
    sums = np.where(there, one, 0.0), np.where(there, two, 0.0)

    def pooled(weights: FloatArray) -> list[FloatArray]:
        """Return pooled p_A and p_R; NaN when a model has none of these scenarios."""
        return [((weights @ total) / (weights @ held)).mean(axis=1) for total in sums]

    def differences(weights: FloatArray) -> FloatArray:
        within, without = pooled(weights * inside), pooled(weights * ~inside)
        p_a, p_r = within[0] - without[0], within[1] - without[1]
        return np.column_stack([p_a, p_r, p_a - p_r])

    draws = iid(len(one), replicates=replicates, seed=seed)
    why = "a model has no complete scenario inside or outside the family"
    p_a, p_r, selectivity = bootstrap(differences, draws, null=0.0, why=why)
    return FamilyDifference(p_a, p_r, selectivity, int(inside.sum()), int((~inside).sum()))


def _differences(changes: FloatArray, replicates: int, seed: int) -> tuple[Estimate, ...]:
    """Return the means of paired changes, shape ``(n_scenarios, contrasts)``, against 0."""
    n, contrasts = changes.shape
    if n == 0:
        return tuple(undefined(_NONE_LEFT) for _ in range(contrasts))
    draws = iid(n, replicates=replicates, seed=seed)
    drawn = replicate_means(changes, draws) if n > 1 else None
    return estimates(changes.mean(axis=0), drawn, draws, null=0.0)
