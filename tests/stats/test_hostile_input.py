"""Hostile numbers into every public statistic: a sentence, or a result that is one.

Infinite, missing, huge and tiny numbers, texts among numbers, nothing at all, too many or too few
dimensions: each statistic refuses them with a StatisticsInputError, or returns numbers that are
finite, or ``None`` with a reason. It never raises anything else, and never warns (a warning is an
error in these tests).
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.estimate import Estimate
from stats import (
    agreement,
    answers,
    cohen,
    comparisons,
    compliance,
    composition,
    concordance,
    correlation,
    curves,
    fleiss,
    floor,
    gwet,
    icc,
    induction,
    intervals,
    krippendorff_alpha,
    logprobs,
    means,
    multiplicity,
    paired,
    ranking,
    resample,
    run_stability,
    schemes,
    standard_errors,
    summary,
    weighted,
)
from stats.errors import StatisticsInputError
from tests.docs.test_statistics_doc import HELPERS, public_functions

HOW = {"replicates": 40, "seed": 1}
TABLE = [[0, 1, 1], [1, 1, 0], [1, 0, 1], [0, 0, 0]]
CURVE = [[3.0, 1.0, -1.0], [2.0, 1.0, -2.0]]
TRIALS = [[[1, 1], [1, 0]], [[0, 1], [0, 0]]]
SCORES = [[[1.0, 0.5], [0.5, 0.0]], [[0.5, 1.0], [0.0, 1.0]], [[0.0, 0.0], [0.5, 0.0]]]
COUNTS = [[[[5, 7], [1, 5]], [[4, 6], [8, 8]]]]
FORMS = ["POS", "AVOID1"]
FLAGS = np.array([True, False, True, False])
WEIGHTS = np.ones((1, 4))
SHARES = [0.0, 0.5, 1.0, 1.0]
SCENARIOS = [1, 1, 2, 3]
X, Y = [1.0, 2.0, 4.0, 3.0], [2.0, 1.0, 3.0, 5.0]


def panel(scores):
    """A panel's summary, under the scheme with all levels."""
    how = {"reference": "POS", "providers": ["a", "a", "b"], **HOW}
    return compliance.panel_compliance(scores, FORMS, **how)


def profiles(counts, lowest):
    """Count profiles of one model."""
    how = {"scheme": "item cluster", **HOW}
    return compliance.count_profiles(counts, FORMS, lowest=lowest, **how)


def every_kind(x, y):
    """All three correlations, with intervals."""
    kinds = ("pearson", "spearman", "kendall")
    return [correlation.correlation(x, y, kind, **HOW) for kind in kinds]


def every_alpha(ratings):
    """Alpha at all four levels, with intervals; the refusal of one is that of all."""
    levels = ("nominal", "ordinal", "interval", "ratio")
    return [krippendorff_alpha.krippendorff_alpha(ratings, level, **HOW) for level in levels]


def every_icc(ratings):
    """All six forms with both kinds of interval."""
    found = [icc.icc(ratings, form, **HOW) for form in icc.ICC_FORMS]
    return found + [icc.icc(ratings, form, interval="f") for form in icc.ICC_FORMS]


def every_variant(ratings, clusters):
    """All variants of Fleiss' kappa, over items and over clusters of them."""
    variants, groups = ("classic", "listwise", "gwet", "pooled"), (clusters, None)
    return [
        fleiss.fleiss_kappa(ratings, variant=variant, clusters=group, **HOW)
        for variant in variants
        for group in groups
    ]


def bootstrapped(values):
    """A mean of values with both kinds of interval."""
    draws = schemes.iid(4, **HOW)
    methods = ("percentile", "bca")
    mean = resample.mean_of(values)
    return [resample.bootstrap(mean, draws, null=0.0, method=each) for each in methods]


def replicated(values):
    """Means of columns in all replicates."""
    return resample.replicate_means(values, schemes.iid(4, **HOW))


# What is called, and good arguments; each of them is replaced by hostile ones in turn.
STATISTICS = {
    "agreement.raw_agreement": (
        lambda a, c: agreement.raw_agreement(a, clusters=c, **HOW),
        TABLE,
        SCENARIOS,
    ),
    "agreement.unanimous_agreement": (
        lambda a, c: agreement.unanimous_agreement(a, clusters=c, **HOW),
        TABLE,
        SCENARIOS,
    ),
    "answers.reliability": (
        lambda a: answers.reliability(a, at_least=1, samples=2, **HOW),
        TABLE,
    ),
    "answers.switch_matrix": (answers.switch_matrix, SHARES, SHARES),
    "answers.trial_and_strict": (lambda a: answers.trial_and_strict(a, **HOW), TABLE),
    "cohen.cohen_kappa": (
        lambda a, b, c: cohen.cohen_kappa(a, b, clusters=c, **HOW),
        X,
        Y,
        SCENARIOS,
    ),
    "cohen.cohen_kappa_pairs": (
        lambda a, c: cohen.cohen_kappa_pairs(a, clusters=c, **HOW),
        TABLE,
        SCENARIOS,
    ),
    "cohen.cohen_kappa_of_table": (
        lambda a: cohen.cohen_kappa_of_table(a, **HOW),
        [[20, 5], [10, 15]],
    ),
    "comparisons.paired_t": (comparisons.paired_t, X, Y),
    "comparisons.mcnemar": (comparisons.mcnemar, 1, 8),
    "comparisons.mcnemar_of_table": (comparisons.mcnemar_of_table, [[10, 1], [8, 10]]),
    "comparisons.mcnemar_of_outcomes": (
        comparisons.mcnemar_of_outcomes,
        [True, False, None],
        [True, True, False],
    ),
    "compliance.panel_compliance": (panel, SCORES),
    "compliance.count_profiles": (profiles, COUNTS, [5, 8]),
    "composition.single_compliance": (
        lambda a, b: composition.single_compliance(a, b, ["x", "y", "z"], **HOW),
        TABLE,
        [[1, 2, 3]] * 4,
    ),
    "composition.pair_compliance": (
        lambda a, b: composition.pair_compliance(a, b, ["x", "y", "z"], **HOW),
        TABLE,
        [[1, 2, 3]] * 4,
    ),
    "composition.position_compliance": (
        lambda a, b: composition.position_compliance(a, b, **HOW),
        TABLE,
        [[1, 2, 3]] * 4,
    ),
    "composition.prompt_accuracy": (
        lambda a, b: composition.prompt_accuracy(a, b, **HOW),
        TABLE,
        [[1, 2, 3]] * 4,
    ),
    "concordance.kendall_w": (concordance.kendall_w, TABLE),
    "correlation.correlation": (every_kind, X, Y),
    "correlation.pair_counts_of_rankings": (correlation.pair_counts_of_rankings, X, Y),
    "correlation.p_of_pearson": (correlation.p_of_pearson, 0.5, 10),
    "curves.sweep_contrast": (
        lambda a, b, c: curves.sweep_contrast(a, b, c, **HOW),
        [1, 2, 3],
        CURVE,
        CURVE,
    ),
    "curves.occlusion_ratio": (
        lambda a, b, c: curves.occlusion_ratio(a, b, c, **HOW),
        X,
        Y,
        SHARES,
    ),
    "fleiss.fleiss_kappa": (every_variant, TABLE, SCENARIOS),
    "fleiss.fleiss_kappa_of_counts": (
        lambda a: fleiss.fleiss_kappa_of_counts(a, **HOW),
        [[2, 1], [0, 3], [1, 2]],
    ),
    "floor.floor_regime": (floor.floor_regime, [5, 3, 4, 3], [5, 5, 8, 8]),
    "gwet.gwet_ac": (lambda a: gwet.gwet_ac(a, [0, 1], **HOW), TABLE),
    "gwet.free_marginal_kappa": (lambda a: gwet.free_marginal_kappa(a, [0, 1], **HOW), TABLE),
    "gwet.free_marginal_kappa_of_counts": (
        lambda a: gwet.free_marginal_kappa_of_counts(a, **HOW),
        [[2, 1], [0, 3], [1, 2]],
    ),
    "icc.icc": (every_icc, TABLE),
    "icc.icc_in_lists": (lambda a, b: icc.icc_in_lists([a, b], **HOW), TABLE, TABLE),
    "induction.if_rate": (lambda a: induction.if_rate(a, **HOW), TRIALS),
    "induction.if_curve": (lambda a, b: induction.if_curve(a, b, **HOW), TRIALS, [1, 2]),
    "induction.if_contrast": (
        lambda a, b: induction.if_contrast(a, b, scheme="seed", **HOW),
        TRIALS,
        TRIALS,
    ),
    "induction.seed_residuals": (induction.seed_residuals, TRIALS),
    "intervals.percentile_intervals": (intervals.percentile_intervals, TABLE),
    "intervals.bca_interval": (intervals.bca_interval, 2.0, X, 0.01),
    "intervals.bca_levels": (intervals.bca_levels, 0.1, 0.01),
    "intervals.acceleration": (intervals.acceleration, X),
    "intervals.share_below": (intervals.share_below, 2.0, X),
    "intervals.two_sided_p": (intervals.two_sided_p, TABLE, 0.0),
    "krippendorff_alpha.krippendorff_alpha": (every_alpha, TABLE),
    "multiplicity.corrected_p": (multiplicity.corrected_p, SHARES),
    "multiplicity.correct_family": (
        lambda p, alpha: multiplicity.correct_family("F", {"a": p, "b": 0.5}, alpha=alpha),
        0.01,
        0.05,
    ),
    "multiplicity.correct_families": (
        lambda p: multiplicity.correct_families({"F": {"a": p}}),
        0.01,
    ),
    "paired.shares_of": (paired.shares_of, [1, 0], [2, 0]),
    "paired.paired_metrics": (lambda a, b: paired.paired_metrics(a, b, **HOW), SHARES, SHARES),
    "paired.paired_metrics_of_models": (
        lambda a, b: paired.paired_metrics_of_models(a, b, **HOW),
        TABLE,
        TABLE,
    ),
    "paired.intervention_effects": (
        lambda a, b, c, d: paired.intervention_effects(a, b, c, d, **HOW),
        *[SHARES] * 4,
    ),
    "paired.paired_difference": (
        lambda a, b: paired.paired_difference(a, b, **HOW),
        SHARES,
        SHARES,
    ),
    "paired.cue_gain": (lambda a, b, c: paired.cue_gain(a, b, c, **HOW), SHARES, SHARES, FLAGS),
    "paired.family_difference": (
        lambda a, b, c: paired.family_difference(a, b, c, **HOW),
        TABLE,
        TABLE,
        FLAGS,
    ),
    "ranking.average_ranks": (ranking.average_ranks, X),
    "ranking.ranking_stability": (
        lambda a: ranking.ranking_stability(a, FORMS, reference="POS", k=1, **HOW),
        SCORES,
    ),
    "resample.bootstrap": (bootstrapped, X),
    "resample.replicate_means": (replicated, TABLE),
    "run_stability.run_stability": (run_stability.run_stability, TABLE),
    "schemes.iid": (lambda n: next(schemes.iid(n, **HOW).weights()), 4),
    "schemes.items_with_all_raters": (
        lambda n: next(schemes.items_with_all_raters(n, **HOW).weights()),
        4,
    ),
    "schemes.every_resample": (schemes.every_resample, 3),
    "schemes.cluster": (lambda a: next(schemes.cluster(a, **HOW).weights()), X),
    "schemes.items_in_lists": (lambda a: next(schemes.items_in_lists(a, **HOW).weights()), X),
    "schemes.equal_model_item": (lambda a: next(schemes.equal_model_item(a, **HOW).weights()), X),
    "schemes.model_item": (lambda a: next(schemes.model_item(a, **HOW).weights()), X),
    "schemes.hierarchical": (lambda a, b: next(schemes.hierarchical(a, b, **HOW).weights()), X, X),
    "standard_errors.se_of_mean_over_tasks": (
        standard_errors.se_of_mean_over_tasks,
        [0.04, 0.02],
        [100, 300],
    ),
    "standard_errors.standard_error": (standard_errors.standard_error, X),
    "standard_errors.cluster_robust_se": (standard_errors.cluster_robust_se, [[1, 1], [0, 0, 0]]),
    "logprobs.log_sum_exp": (logprobs.log_sum_exp, X),
    "logprobs.renormalised": (logprobs.renormalised, X),
    "logprobs.decision_summary": (lambda a: logprobs.decision_summary(a, **HOW), X),
    "logprobs.decision_shift": (lambda a, b: logprobs.decision_shift(a, b, **HOW), X, Y),
    "means.mean_estimate": (lambda a: means.mean_estimate(a, **HOW), X),
    "weighted.weighted_mean": (
        lambda a, b: weighted.weighted_mean(a, b, "aabb", **HOW),
        X,
        [0.5, 0.25, 1.0, 1.0],
    ),
    "means.mean_by_cluster": (lambda a: means.mean_by_cluster(a, "aabb", **HOW), X),
    "summary.summarize": (summary.summarize, X),
}

# What takes no data of a caller's own, and why; all of it runs within the statistics above.
INNER = {
    "auditors.kappa_of_auditors": "takes audits, no numbers",
    "agreement.mean_pair_agreement": "takes a table of counts that code_ratings made",
    "agreement.pair_counts": "takes a table of counts that code_ratings made",
    "correlation.weighted_correlation": "makes a function of weights from complete pairs",
    "curves.first_below": "takes a curve and its replicates",
    "floor.floor_rule": "takes rows that floor_regime made",
    "icc.icc_of": "takes mean squares",
    "icc_intervals.f_limits": "takes an analysis of variance",
    "icc_intervals.f_test": "takes an analysis of variance",
    "inclusion.decide": "takes a checked rule and ratings, no numbers",
    "item_sums.estimate_of_sums": "takes what items contribute",
    "pooled.order_by_data": "takes the table of pool",
    "pooled.pool": "is panel_compliance without its contrasts",
    "resample.caveat": "takes an estimate",
    "resample.estimates": "takes values and their replicates",
    "resample.few_units": "takes a count",
    "resample.mean_of": "makes the function of weights that bootstrap runs",
    "resample.order_by_id": "takes names",
    "resample.replicate": "takes a function of weights",
}
MISSING_IS_NAN = {"induction.seed_residuals", "paired.shares_of"}

HOSTILE = {
    "infinite": math.inf,
    "minus infinite": -math.inf,
    "nan": math.nan,
    "none": None,
    "huge": 1e308,
    "minus huge": -1e308,
    "large": 1e200,
    "tiny": 5e-324,
    "small": 1e-200,
    "a text": "a",
    "a digit": "1",
    "a list": [1, 2],
    "complex": 1j,
    "endless": 10**400,
}
SHAPES = {
    "nothing": [],
    "no rows": [[]],
    "a scalar": 1.0,
    "a text": "12",
    "none": None,
    "one": [1],
    "one row": [[1, 0, 1]],
    "four dimensions": [[[[1.0]]]],
    "no cells": np.zeros((0, 3)),
    "no columns": np.zeros((4, 0)),
    "ragged": [[1, 0], [1]],
    "all missing": [[None, None], [None, None]],
    "all nan": [math.nan] * 4,
    "constant": [[1, 1], [1, 1]],
    "an object": {"a": 1},
}


def filled(good, value):
    """The argument with every number replaced."""
    if isinstance(good, list | np.ndarray):
        return [filled(each, value) for each in good]
    return value


def with_first(good, value):
    """The argument with its first number replaced."""
    if isinstance(good, list | np.ndarray):
        return [with_first(good[0], value), *good[1:]]
    return value


def scaled(good, factor):
    """The argument in another unit."""
    if isinstance(good, list | np.ndarray):
        return [scaled(each, factor) for each in good]
    return None if good is None else good * factor


def hostile_arguments(good):
    """Every argument made hostile in every way, one at a time and all at once."""
    for name, value in HOSTILE.items():
        for way, change in (("all", filled), ("first", with_first)):
            bad = [change(each, value) for each in good]
            yield f"{way} {name}", bad
            for place in range(len(good)):
                yield f"{way} {name} in {place}", [*good[:place], bad[place], *good[place + 1 :]]
    for factor in (1e308, 1e200, 1e60, 1e-60, 1e-100, 1e-200, 1e-300):
        for place in range(len(good)):
            other = scaled(good[place], factor)
            yield f"times {factor} in {place}", [*good[:place], other, *good[place + 1 :]]
        yield f"times {factor}", [scaled(each, factor) for each in good]
    for name, value in SHAPES.items():
        yield name, [value] * len(good)
        for place in range(len(good)):
            yield f"{name} in {place}", [*good[:place], value, *good[place + 1 :]]


def numbers_in(value):
    """All floats of a result, wherever they are."""
    if isinstance(value, Estimate):
        assert (value.value is None) == bool(value.why_undefined)
    if is_dataclass(value):
        for field in fields(value):
            yield from numbers_in(getattr(value, field.name))
    elif isinstance(value, dict):
        yield from numbers_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from numbers_in(each)
    elif isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif isinstance(value, float | np.floating):
        yield float(value)


def outcome(name, arguments):
    """What comes of a call: "refused", or the numbers of its result."""
    try:
        result = STATISTICS[name][0](*arguments)
    except StatisticsInputError as refusal:
        text = str(refusal)
        assert "\n" not in text
        assert len(text) > 10
        return "refused"
    numbers = list(numbers_in(result))
    if name in MISSING_IS_NAN:
        return [number for number in numbers if not math.isnan(number)]
    return numbers


def test_every_public_statistic_is_tried():
    """No public function escapes: it is called here, or is a helper or inner part with a reason."""
    tried, inner = set(STATISTICS), set(INNER)
    assert tried | inner == set(public_functions()) - set(HELPERS)
    assert not tried & inner


@pytest.mark.parametrize("name", STATISTICS)
def test_good_arguments_have_a_result(name):
    """What the hostile arguments are made of is good itself."""
    assert outcome(name, STATISTICS[name][1:]) != "refused"


@pytest.mark.parametrize("name", STATISTICS)
def test_hostile_arguments_are_refused_or_have_finite_numbers(name):
    """Each statistic with each argument hostile in each way."""
    wrong = []
    for what, arguments in hostile_arguments(list(STATISTICS[name][1:])):
        try:
            found = outcome(name, arguments)
        except Exception as error:  # noqa: BLE001  all ways are tried before one is reported
            wrong.append(f"{what}: {type(error).__name__}: {error}")
            continue
        if found != "refused" and not all(map(math.isfinite, found)):
            wrong.append(f"{what}: {found}")
    assert wrong == []


numbers = st.sampled_from(
    [0.0, 1.0, -1.0, 0.5, 3.0, math.nan, math.inf, 1e308, -1e308, 1e60, 1e-60, 5e-324, 1e-200]
) | st.floats(width=64)


@pytest.mark.parametrize("name", STATISTICS)
@given(data=st.data())
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_any_floats_of_the_right_shape_are_refused_or_have_finite_numbers(name, data):
    """Arrays of the right shape with any floats, hostile ones often."""

    def drawn(good):
        if isinstance(good, list | np.ndarray):
            return [drawn(each) for each in good]
        return data.draw(numbers)

    found = outcome(name, [drawn(each) for each in STATISTICS[name][1:]])
    assert found == "refused" or all(map(math.isfinite, found))


@pytest.mark.parametrize("replicates", ["a", None, 2.5, -1, math.nan, [40]])
@pytest.mark.parametrize(
    "call",
    [
        lambda replicates: resample.iid(5, replicates=replicates, seed=1),
        lambda replicates: icc.icc(TABLE, seed=1, replicates=replicates),
        lambda replicates: correlation.correlation(X, Y, "pearson", seed=1, replicates=replicates),
        lambda replicates: paired.paired_metrics(SHARES, SHARES, seed=1, replicates=replicates),
    ],
)
def test_replicates_that_are_no_number_are_refused(call, replicates):
    """How many resamples is a whole number, and the sentence says so."""
    with pytest.raises(StatisticsInputError, match="replicates must be"):
        call(replicates)


@pytest.mark.parametrize("level", ["a", None, 0, 1, 95, math.nan])
@pytest.mark.parametrize(
    "call",
    [
        lambda level: comparisons.paired_t(X, Y, level=level),
        lambda level: icc.icc(TABLE, interval="f", level=level),
        lambda level: resample.bootstrap(
            resample.mean_of(np.array(X)), resample.iid(4, **HOW), level=level
        ),
    ],
)
def test_a_level_that_is_none_is_refused(call, level):
    """A confidence level lies between 0 and 1."""
    with pytest.raises(StatisticsInputError, match="level must"):
        call(level)


@pytest.mark.parametrize("draws", [3, 5, 40])
@pytest.mark.parametrize(
    "statistic",
    [
        resample.mean_of(np.array(X)),
        resample.mean_of(np.array([1.0, math.nan, 2.0, 3.0])),
        correlation.weighted_correlation(np.array(X), np.array(Y), "pearson"),
        correlation.weighted_correlation(np.array(X), np.array(Y), "kendall"),
    ],
)
def test_draws_of_another_length_are_refused(statistic, draws):
    """Four rows cannot be drawn by draws of five: the sentence is ours, not numpy's."""
    with pytest.raises(StatisticsInputError, match=f"statistic cannot take {draws} weights"):
        resample.bootstrap(statistic, resample.iid(draws, **HOW))
    with pytest.raises(StatisticsInputError, match=f"values has 4 rows.*draws {draws}"):
        resample.replicate_means(np.ones((4, 1)), resample.iid(draws, **HOW))
