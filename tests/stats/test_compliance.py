"""Matched wording: pooled compliance, contrasts, count profiles, floor regime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.compliance import count_profiles, panel_compliance
from stats.errors import StatisticsInputError
from stats.floor import floor_regime
from stats.means import nan_mean
from stats.pooled import pool

SCHEMES = ("provider>model>item", "model>item", "equal-model item", "item cluster")
FORMS = ["POS", "NEG", "AVOID1"]
PROVIDERS = ["x", "x", "y", "z"]
NAN = float("nan")


def panel(seed=0, models=4, tasks=12):
    rng = np.random.default_rng(seed)
    level = rng.random((models, 1, 3))
    return rng.binomial(3, level, (models, tasks, 3)) / 3


def summary(scores, scheme="provider>model>item", providers=PROVIDERS, forms=FORMS, **how):
    how = {"replicates": 300, "seed": 5} | how
    return panel_compliance(
        scores, forms, reference="POS", providers=providers, scheme=scheme, **how
    )


def test_pooled_compliance_is_the_plain_mean_over_models():
    """Model means .9 and .1 pool to .5, whatever the number of tasks that each has complete."""
    scores = np.array([[[0.9, 0.9], [NAN, 0.5], [NAN, 0.1]], [[0.1, 0.0], [0.1, 0.0], [0.1, 0.0]]])
    found = panel_compliance(scores, ["POS", "NEG"], reference="POS", scheme="model>item", seed=1)
    assert found.forms[0].compliance.value == pytest.approx(0.5)
    assert found.forms[1].compliance.value == pytest.approx(0.45)
    assert found.n_dropped == 2
    assert found.by_model[1] == pytest.approx((0.1, 0.0))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_schemes_share_the_values_and_differ_in_width(scheme):
    """The value does not depend on the scheme; contrasts are differences of pooled values."""
    found = summary(panel(), scheme)
    pos, neg, avoid = found.forms
    assert pos.difference is None
    for form in (neg, avoid):
        expected = form.compliance.value - pos.compliance.value
        assert form.difference.value == pytest.approx(expected, abs=1e-12)
        assert form.difference.low <= form.difference.value <= form.difference.high
        assert form.difference.scheme.startswith(scheme)
    values = [f.compliance.value for f in found.forms]
    assert found.c_mean.value == pytest.approx(np.mean(values))
    assert found.c_worst.value == pytest.approx(min(values))
    assert found.g_wording.value == pytest.approx(max(values) - min(values))


def test_models_as_the_highest_level_widen_the_interval():
    """Resampling models as well as items is wider than items alone (App. P)."""
    wide = summary(panel(3, tasks=40), "model>item").forms[2].difference
    narrow = summary(panel(3, tasks=40), "equal-model item").forms[2].difference
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


@given(st.permutations(range(4)), st.permutations("pqr"), st.sampled_from(SCHEMES))
@settings(max_examples=30, deadline=None)
def test_order_and_names_of_models_and_providers_change_nothing(order, names, scheme):
    """Permuted models under renamed providers give the same estimates, bit for bit."""
    scores = panel(1)
    renamed = dict(zip("xyz", names, strict=True))
    whole = summary(scores, scheme)
    other = summary(scores[list(order)], scheme, [renamed[PROVIDERS[k]] for k in order])
    assert other.forms == whole.forms
    assert other.g_wording == whole.g_wording
    assert other.by_model == tuple(whole.by_model[k] for k in order)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_order_of_forms_changes_no_estimate(scheme):
    """Forms in another order: each keeps its estimates."""
    scores = panel(2)
    whole = summary(scores, scheme)
    turned = summary(scores[:, :, ::-1], scheme, forms=FORMS[::-1])
    for ours, theirs in zip(whole.forms, turned.forms[::-1], strict=True):
        assert ours.form == theirs.form
        assert ours.compliance.value == pytest.approx(theirs.compliance.value, abs=1e-12)
        assert ours.compliance.low == pytest.approx(theirs.compliance.low, abs=1e-12)
        assert ours.compliance.high == pytest.approx(theirs.compliance.high, abs=1e-12)


def test_hierarchical_replicates_agree_with_a_loop():
    """Provider > model > item: mean and spread of replicates agree with the textbook loop."""
    scores = panel(4)
    drawn = pool(scores, PROVIDERS, scheme="provider>model>item", replicates=6_000, seed=1)
    of = {"x": [0, 1], "y": [2], "z": [3]}
    rng = np.random.default_rng(2)
    loop = []
    for _ in range(3_000):
        slots = [m for p in rng.choice(list(of), 3) for m in rng.choice(of[p], len(of[p]))]
        loop.append(np.mean([scores[m, rng.integers(0, 12, 12)].mean(axis=0) for m in slots], 0))
    assert drawn.replicates.mean(axis=1) == pytest.approx(np.mean(loop, axis=0), abs=0.02)
    assert drawn.replicates.std(axis=1) == pytest.approx(np.std(loop, axis=0), rel=0.08)


def test_the_worst_form_is_named_and_ties_are_both_named():
    """C_worst comes with the forms that reach it."""
    scores = np.tile(np.array([[[0.9, 0.4, 0.4]]]), (4, 3, 1))
    found = summary(scores)
    assert found.worst_forms == ("NEG", "AVOID1")
    assert (found.g_wording.low, found.g_wording.high) == pytest.approx((0.5, 0.5))


def test_a_model_without_a_complete_task_makes_the_pool_undefined():
    """A model that has no task under every form has no mean, so the pool has none; it says so."""
    scores = panel()
    scores[2, :, 1] = NAN
    for scheme in SCHEMES:
        found = summary(scores, scheme)
        assert "no task that is scored under every form" in found.c_mean.why_undefined
        assert found.forms[1].difference.value is None
        assert found.by_model[2] == (None, None, None)
        assert found.worst_forms == ()


def test_one_provider_one_task_or_one_model_has_no_interval():
    """Nothing to resample at the top level: a value and the reason."""
    one_provider = summary(panel(), providers=["x"] * 4).forms[0].compliance
    assert one_provider.why_no_interval == "only one provider: nothing to resample"
    one_task = summary(panel(tasks=1), "item cluster").forms[0].compliance
    assert one_task.why_no_interval == "only one task: nothing to resample"
    alone = summary(panel(models=1), "model>item", providers=None).forms[0].compliance
    assert alone.why_no_interval == "only one model: nothing to resample"


def test_item_cluster_with_missing_rows_keeps_models_equal():
    """Item cluster with an incomplete task: still the plain mean over models."""
    scores = panel()
    scores[0, 3, 0] = NAN
    found = summary(scores, "item cluster")
    kept = np.delete(scores[0], 3, axis=0).mean(axis=0)
    expected = np.mean([kept, *scores[1:].mean(axis=1)], axis=0)
    assert [f.compliance.value for f in found.forms] == pytest.approx(expected.tolist())
    assert found.n_dropped == 1


def test_count_profiles_by_hand():
    """Exact 5: counts 5, 6, 1 miss by 0, 1, 4; one over, one under, one short; NaN is no output."""
    counts = np.array([[[[5.0, 6.0, 1.0, NAN]], [[0.0, 8.0, 8.0, 8.0]]]])
    (found,) = count_profiles(counts, ["POS"], lowest=[5, 8], scheme="item cluster", seed=1)
    assert found.absolute_error.value == pytest.approx((5 / 3 + 2) / 2)
    assert found.under.value == pytest.approx((1 / 3 + 1 / 4) / 2)
    assert found.over.value == pytest.approx((1 / 3 + 0) / 2)
    assert found.short.value == pytest.approx((1 / 3 + 1 / 4) / 2)


def test_range_and_keyword_profiles():
    """A range has no error inside; for a keyword under is zero and over is multiple."""
    words = np.array([[[[7.0, 8.0, 12.0, 15.0]]]])
    (in_range,) = count_profiles(
        words, ["POS"], lowest=[8], highest=[12], scheme="item cluster", seed=1
    )
    assert in_range.absolute_error.value == (1 + 3) / 4
    assert (in_range.under.value, in_range.over.value) == (0.25, 0.25)
    (keyword,) = count_profiles(
        np.array([[[[0.0, 1.0, 3.0]]]]), ["POS"], lowest=[1], scheme="item cluster", seed=1
    )
    assert (keyword.under.value, keyword.over.value) == pytest.approx((1 / 3, 1 / 3))


def test_floor_regime_needs_both_parts_of_the_rule():
    """Flat and wrong is the floor; flat but right above the least target, or rising, is not."""
    targets = np.repeat([5, 8, 10, 12], 200)
    flat = floor_regime(np.full(800, 3), targets)
    assert flat.at_floor is True
    assert [row.exact for row in flat.targets] == [0, 0, 0, 0]
    rising = floor_regime(np.repeat([3.0, 3.2, 3.5, 4.5], 200), targets)
    assert rising.at_floor is False
    sometimes = np.full(800, 3.0)
    sometimes[200:203] = 8
    assert floor_regime(sometimes, targets).at_floor is False
    assert floor_regime([3, 3], [5, 5]).why_undefined.startswith("the floor rule needs")


def test_repetition_means_leave_missing_ones_out():
    """Two of three repetitions scored: the mean of two; none scored: NaN."""
    assert nan_mean([[1.0, 0.0, NAN]]).tolist() == [0.5]
    assert np.isnan(nan_mean([[NAN]])[0])


def test_few_providers_carry_a_caveat():
    """Three providers: the panel says how few they are."""
    found = summary(panel())
    assert found.n_resampled == 3
    assert found.caveat.startswith("3 providers: with fewer than 20")


@pytest.mark.soak
@pytest.mark.parametrize("scheme", SCHEMES)
def test_coverage_of_the_schemes_is_printed(scheme):
    """500 panels of 13 models from 7 providers: how often each scheme holds the truth."""
    rng = np.random.default_rng(1)
    provider = np.repeat(range(7), [3, 3, 2, 2, 1, 1, 1])
    covered = 0
    for _ in range(500):
        effect = -0.2 + 0.08 * rng.normal(size=7)[provider] + 0.08 * rng.normal(size=13)
        level = np.stack([np.full(13, 0.5), np.clip(0.5 + effect, 0, 1)], axis=-1)
        scores = rng.binomial(3, level[:, None, :], (13, 100, 2)) / 3
        found = panel_compliance(
            scores, ["POS", "AVOID1"], reference="POS", providers=provider.tolist(),
            scheme=scheme, replicates=400, seed=1,
        )  # fmt: skip
        difference = found.forms[1].difference
        covered += difference.low <= -0.2 <= difference.high
    print(f"coverage of {scheme}, 7 providers, 13 models: {covered / 500:.3f}")
    assert covered > 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: summary(panel() * 100), "scores must hold shares"),
        (lambda: summary(panel()[0]), "scores must be 3-dimensional"),
        (lambda: summary(panel(), providers=None), "providers is missing"),
        (lambda: summary(panel(), providers=["x"]), "providers has 1 names for 4 models"),
        (lambda: summary(panel(), "anything"), "scheme must be one of"),
        (lambda: summary(panel(), forms=["POS", "POS", "NEG"]), "forms must name each"),
        (lambda: summary(panel(), forms=["A", "B", "C"]), "reference 'POS' is none"),
        (lambda: summary(np.zeros((4, 0, 3))), "the table is empty"),
        (
            lambda: count_profiles(np.full((1, 1, 1, 1), -1), ["POS"], lowest=[5], seed=1),
            "counts must not be negative",
        ),
        (
            lambda: count_profiles(np.ones((1, 2, 1, 1)), ["POS"], lowest=[5], seed=1),
            "one value for each of 2 tasks",
        ),
        (lambda: floor_regime([1, 2], [5]), "targets must give one target"),
    ],
)
def test_bad_input_names_the_argument(call, words):
    """Bad input is refused in one sentence."""
    with pytest.raises(StatisticsInputError, match=words):
        call()
