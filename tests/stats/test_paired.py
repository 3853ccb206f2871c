"""Paired metrics: the numbers on which Core-100's claims rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.errors import StatisticsInputError
from stats.paired import (
    cue_gain,
    family_difference,
    intervention_effects,
    paired_difference,
    paired_metrics,
    paired_metrics_of_models,
    shares_of,
)

METRICS = ("p_a", "p_r", "selectivity", "sba", "oa", "ua", "gap")
SEVENTHS = st.integers(0, 7).map(lambda k: k / 7)
CELLS = st.one_of(SEVENTHS, st.just(float("nan")))
PAIRS = st.lists(st.tuples(CELLS, CELLS), min_size=3, max_size=30)


def rows(pairs):
    return np.array(pairs).T


def test_hand_arithmetic():
    """Four scenarios by hand: p_A = .75, p_R = .25, S = .5, SBA = .75, gap = 0."""
    m = paired_metrics([1, 1, 1, 0], [0, 0, 1, 0], seed=1)
    assert [getattr(m, k).value for k in METRICS] == [0.75, 0.25, 0.5, 0.75, 0.25, 0.25, 0.0]
    assert (m.n_scenarios, m.n_dropped, m.selectivity.n) == (4, 0, 4)
    assert m.gap.p == 1.0


def test_a_scenario_without_a_conforming_sample_leaves_all_metrics():
    """NaN in either condition drops the scenario from p_A and p_R alike, and is counted."""
    active, removed = [1.0, np.nan, 0.5, 1.0], [0.0, 0.0, np.nan, 0.5]
    m = paired_metrics(active, removed, seed=1)
    assert (m.p_a.value, m.p_r.value) == (1.0, 0.25)
    assert (m.n_scenarios, m.n_dropped) == (2, 2)
    alone = paired_metrics([1.0, 1.0], [0.0, 0.5], seed=1)
    assert m.selectivity == alone.selectivity


def test_no_conforming_sample_is_undefined_with_its_reason():
    """A model that never conforms has no number at all, and the reason says why."""
    m = paired_metrics([np.nan, 1.0], [0.5, np.nan], seed=1)
    for name in METRICS:
        assert getattr(m, name).value is None
        assert "conforming sample" in getattr(m, name).why_undefined
    assert (m.n_scenarios, m.n_dropped) == (0, 2)


def test_one_scenario_has_values_without_intervals():
    """One scenario: values, no interval, no p, and the reason."""
    m = paired_metrics([1.0], [0.0], seed=1)
    for name in METRICS:
        estimate = getattr(m, name)
        assert estimate.value is not None
        assert (estimate.low, estimate.p) == (None, None)
        assert estimate.why_no_interval == "only one scenario: nothing to resample"


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_identities_hold(pairs):
    """p_A - SBA = (OA - UA) / 2, S = 2 SBA - 1, and the interval ends obey them too."""
    m = paired_metrics(*rows(pairs), replicates=200, seed=3)
    if m.n_scenarios == 0:
        return
    v = {name: getattr(m, name).value for name in METRICS}
    assert v["gap"] == pytest.approx(v["p_a"] - v["sba"], abs=1e-12)
    assert v["gap"] == pytest.approx((v["oa"] - v["ua"]) / 2, abs=1e-12)
    assert v["selectivity"] == pytest.approx(2 * v["sba"] - 1, abs=1e-12)
    if m.n_scenarios > 1:
        assert m.ua.low == pytest.approx(1 - m.p_a.high, abs=1e-12)
        assert m.sba.high == pytest.approx((1 + m.selectivity.high) / 2, abs=1e-12)
        assert all(getattr(m, k).low <= getattr(m, k).high for k in METRICS)


@given(PAIRS, st.data())
@settings(max_examples=30, deadline=None)
def test_many_models_at_once_are_the_models_one_by_one(pairs, data):
    """A model's metrics do not depend on which other models are asked for."""
    active, removed = rows(pairs)
    other = np.array(data.draw(st.lists(SEVENTHS, min_size=len(pairs), max_size=len(pairs))))
    both = paired_metrics_of_models(
        np.column_stack([active, other]),
        np.column_stack([removed, other[::-1]]),
        replicates=100,
        seed=5,
    )
    alone = paired_metrics(active, removed, replicates=100, seed=5)
    assert both[0].n_dropped == alone.n_dropped
    for name in METRICS:
        ours, theirs = getattr(both[0], name), getattr(alone, name)
        if theirs.value is None:
            assert ours == theirs
            continue
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        assert ours.p == theirs.p
        if theirs.low is not None:
            assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_same_seed_same_bytes():
    """Two calls with one seed give equal results in every field; another seed does not."""
    rng = np.random.default_rng(1)
    active, removed = rng.integers(0, 8, (2, 100)) / 7
    assert paired_metrics(active, removed, seed=7) == paired_metrics(active, removed, seed=7)
    assert paired_metrics(active, removed, seed=7) != paired_metrics(active, removed, seed=8)


def test_duplicated_scenarios_keep_the_values_and_narrow_the_interval():
    """Every scenario four times: the same values, about half the width."""
    rng = np.random.default_rng(2)
    active, removed = rng.integers(0, 8, (2, 50)) / 7
    once = paired_metrics(active, removed, seed=1).selectivity
    often = paired_metrics(np.tile(active, 4), np.tile(removed, 4), seed=1).selectivity
    assert often.value == pytest.approx(once.value)
    width = (often.high - often.low) / (once.high - once.low)
    assert width == pytest.approx(0.5, abs=0.05)


def test_a_ceiling_model_has_no_width_in_p_a():
    """Perfect Active accuracy: p_A = 1 [1, 1], and the interval of S comes from Removed alone."""
    removed = np.repeat([1.0, 0.0], [18, 82])
    m = paired_metrics(np.ones(100), removed, seed=1)
    assert (m.p_a.low, m.p_a.high, m.ua.value) == (1.0, 1.0, 0.0)
    assert m.selectivity.high - m.selectivity.low == pytest.approx(m.oa.high - m.oa.low)


def test_p_reaches_its_floor_and_no_further():
    """10,000 replicates on one side of zero: p = 2 / 10,001, which fits the raw p of Table 22."""
    m = paired_metrics(np.full(100, 1.0), np.repeat([1.0, 0.0], [50, 50]), seed=1)
    assert m.gap.p == pytest.approx(2 / 10_001)


def test_interventions_are_paired_by_scenario():
    """AG, RH and SG = AG - RH by hand; a prompt that changes nothing has p = 1 and width 0."""
    base_a, base_r = np.array([0.5, 1.0, 1.0]), np.array([0.0, 0.2, np.nan])
    new_a, new_r = np.array([1.0, 1.0, 1.0]), np.array([0.4, 0.2, 1.0])
    found = intervention_effects(base_a, base_r, new_a, new_r, seed=1)
    assert found.ag.value == pytest.approx(0.25)
    assert found.rh.value == pytest.approx(0.2)
    assert found.sg.value == pytest.approx(0.05)
    assert (found.n_scenarios, found.n_dropped) == (2, 1)
    still = intervention_effects(base_a, new_r, base_a, new_r, seed=1)
    assert (still.sg.value, still.sg.low, still.sg.high, still.sg.p) == (0.0, 0.0, 0.0, 1.0)


def test_removed_harm_is_never_clipped():
    """A prompt that lowers over-activation has negative harm."""
    found = intervention_effects([1, 1], [1, 0.5], [1, 1], [0.5, 0.5], seed=1)
    assert (found.rh.value, found.sg.value) == (-0.25, 0.25)


def test_cue_gain_rests_on_eligible_scenarios_only():
    """Three of five eligible, one of them missing: two are used, all are counted."""
    eligible = np.array([True, True, True, False, False])
    found = cue_gain([1, 1, np.nan, 0, 0], [0.5, 1, 0.5, 1, 1], eligible, seed=1)
    assert found.difference.value == 0.25
    assert (found.n_scenarios, found.n_dropped, found.n_ineligible) == (2, 1, 2)
    nobody = cue_gain([1.0], [0.5], np.array([False]), seed=1)
    assert nobody.difference.value is None
    assert paired_difference([1.0, 0.0], [0.5, 0.5], seed=1).difference.value == 0.0


def test_family_difference_pools_models_by_their_plain_mean():
    """Two models, family of two scenarios: -0.25 by hand, unmoved by a scenario that one lacks."""
    active = np.array([[0.5, 0.0], [0.5, 1.0], [1.0, 1.0], [1.0, np.nan]])
    removed = np.zeros((4, 2))
    found = family_difference(active, removed, np.array([1, 1, 0, 0], bool), seed=1)
    assert found.p_a.value == pytest.approx(0.5 - 1.0)
    assert found.p_r.value == 0.0
    assert found.selectivity.value == found.p_a.value
    assert (found.n_family, found.n_others) == (2, 2)
    empty = family_difference(active, removed, np.zeros(4, bool), seed=1)
    assert "outside the family" in empty.p_a.why_undefined


def test_shares_of_counts():
    """Counts become shares, and no conforming sample becomes NaN, not 0."""
    assert shares_of([[7, 0]], [[7, 0]]).tolist()[0][0] == 1.0
    assert np.isnan(shares_of([0], [0]))[0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paired_metrics([1.0, 2.0], [0.0, 1.0], seed=1), "active must hold shares"),
        (lambda: paired_metrics([1.0], [0.0, 1.0], seed=1), "removed has shape"),
        (lambda: paired_metrics([[1.0]], [[0.0]], seed=1), "active must be 1-dimensional"),
        (lambda: paired_metrics(["x"], [0.0], seed=1), "active must be numbers"),
        (lambda: paired_metrics([np.inf], [0.0], seed=1), "active holds an infinite value"),
        (lambda: shares_of([8], [7]), "heavy must lie between 0 and conforming"),
        (lambda: cue_gain([1.0], [1.0], [1], seed=1), "eligible must be 1 truth values"),
    ],
)
def test_bad_input_names_the_argument(call, words):
    """Wrong shapes and values out of range are refused in one sentence."""
    with pytest.raises(StatisticsInputError, match=words):
        call()


def simulated_coverage(p, *, n=100, studies=1_000, seed=0, firm=False):
    """Share of 95 % intervals of p_A that hold the truth, over simulated studies.

    Scenarios differ in difficulty and are sampled 7 times; `firm` models always repeat themselves.
    """
    rng = np.random.default_rng(seed)
    if firm:
        shares = rng.binomial(1, p, (n, studies)).astype(float)
    else:
        shares = rng.binomial(7, rng.beta(8 * p, 8 * (1 - p), (n, studies))) / 7
    found = paired_metrics_of_models(shares, shares[::-1], replicates=1_000, seed=seed)
    return float(np.mean([m.p_a.low <= p <= m.p_a.high for m in found]))


@pytest.mark.soak
@pytest.mark.parametrize("firm", [False, True])
@pytest.mark.parametrize("p", [0.2, 0.35, 0.5, 0.65, 0.8])
def test_intervals_cover(p, firm):
    """1,000 studies of 100 scenarios: 95 % intervals cover in 93 to 97 %."""
    covered = simulated_coverage(p, seed=int(100 * p), firm=firm)
    print(f"coverage at p = {p}, {'same answer always' if firm else '7 samples'}: {covered:.3f}")
    assert 0.93 <= covered <= 0.97


@pytest.mark.soak
def test_coverage_where_it_is_poor_is_printed():
    """Near 0 and 1 and with few scenarios percentile intervals cover less: printed, not hidden."""
    for p in (0.01, 0.05, 0.95, 0.99):
        soft, firm = (simulated_coverage(p, seed=1, firm=f) for f in (False, True))
        print(f"coverage at p = {p}, 100 scenarios: {soft:.3f}, same answer always {firm:.3f}")
    for n in (5, 7, 10, 20, 50):
        print(f"coverage at p = 0.5, {n} scenarios: {simulated_coverage(0.5, n=n, seed=2):.3f}")
    assert simulated_coverage(0.5, n=50, seed=3) > 0.9
