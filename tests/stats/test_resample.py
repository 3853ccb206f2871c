"""The resampling engine: whatever rests on it rests on these promises."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from core.errors import InputError
from core.estimate import Estimate
from stats.errors import StatisticsInputError
from stats.intervals import acceleration, bca_interval, two_sided_p
from stats.resample import (
    bootstrap,
    caveat,
    cluster,
    equal_model_item,
    estimates,
    every_resample,
    hierarchical,
    iid,
    items_in_lists,
    items_with_all_raters,
    mean_of,
    model_item,
    order_by_id,
    replicate,
    replicate_means,
)

SHARES = np.array([0.0, 1 / 7, 2 / 7, 1.0, 1.0, 6 / 7, 3 / 7, 0.0, 5 / 7, 1.0])
PROVIDERS = ["x", "x", "x", "x", "y", "y", "z", "z"]
MODELS = ["a", "a", "b", "b", "c", "c", "d", "d"]


def schemes(seed=1, replicates=300):
    """One set of draws of every scheme over eight rows."""
    how = {"replicates": replicates, "seed": seed}
    return [
        iid(8, **how),
        items_with_all_raters(8, **how),
        cluster([1, 1, 2, 2, 2, 3, 4, 4], **how),
        items_in_lists(["l", "l", "l", "m", "m", "m", "m", "m"], **how),
        equal_model_item(MODELS, **how),
        model_item(MODELS, **how),
        hierarchical(PROVIDERS, MODELS, **how),
    ]


def all_weights(draws, batch=None):
    return np.concatenate(list(draws.weights(batch)))


@pytest.mark.parametrize("k", range(7))
def test_same_seed_same_bytes_and_another_seed_other_draws(k):
    """The same seed gives the same bytes; another seed gives other draws."""
    one, again, other = (all_weights(schemes(seed)[k]) for seed in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("k", range(7))
def test_draws_do_not_depend_on_the_batch(k):
    """Read in batches of 7, in one batch or block by block, the draws are the same."""
    draws = schemes(replicates=2_100)[k]
    whole = all_weights(draws)
    assert len(whole) == 2_100
    for batch in (7, 100, 2_100, 9_999):
        assert np.array_equal(all_weights(draws, batch), whole)


@pytest.mark.parametrize("k", range(7))
def test_a_short_run_is_the_beginning_of_a_long_one(k):
    """More replicates add to the first ones and change none of them."""
    short, long = (all_weights(schemes(replicates=r)[k]) for r in (150, 2_000))
    assert np.array_equal(short, long[:150])


def test_the_stream_is_pinned():
    """The draws of a seed are a promise to published studies: a changed stream fails here."""
    draws = iid(100, replicates=40, seed=20260710)
    assert next(draws.indices())[0, :8].tolist() == [20, 39, 6, 91, 23, 58, 47, 56]


def test_indices_and_weights_are_the_same_draws():
    """Row numbers and weights of a seed tell the same story."""
    draws = iid(9, replicates=3_000, seed=4)
    rows = np.concatenate(list(draws.indices()))
    counted = np.stack([np.bincount(r, minlength=9) for r in rows])
    assert np.array_equal(counted, all_weights(draws))


def test_every_row_is_drawn_equally_often():
    """Draws are uniform: 100 rows over 10,000 replicates stay within five standard errors."""
    drawn = all_weights(iid(100, replicates=10_000, seed=3)).sum(axis=0)
    assert np.abs(drawn - 10_000).max() < 5 * 100


def test_iid_draws_as_many_as_there_are():
    """An iid replicate has n draws; a cluster's rows always weigh the same."""
    weights = all_weights(schemes()[0])
    assert (weights.sum(axis=1) == 8).all()
    clusters = all_weights(schemes()[2])
    assert (clusters[:, 0] == clusters[:, 1]).all()
    assert (clusters[:, [0, 2, 5, 6]].sum(axis=1) == 4).all()


def test_lists_and_models_keep_their_size():
    """Items within lists: every list keeps its number of items, every model its items."""
    lists = all_weights(schemes()[3])
    assert (lists[:, :3].sum(axis=1) == 3).all()
    assert (lists[:, 3:].sum(axis=1) == 5).all()
    models = all_weights(schemes()[4])
    assert (models.reshape(-1, 4, 2).sum(axis=2) == 2).all()


def test_model_item_draws_whole_models():
    """Model > item: a model that is drawn c times has c times its items, and models sum to 4."""
    per_model = all_weights(schemes()[5]).reshape(-1, 4, 2).sum(axis=2)
    assert (per_model % 2 == 0).all()
    assert (per_model.sum(axis=1) == 8).all()
    assert per_model.max() > 2


def test_hierarchical_draws_providers_then_models():
    """A provider that is drawn c times brings c draws of each of its model slots."""
    drawn = all_weights(schemes()[6]).reshape(-1, 4, 2).sum(axis=2) / 2
    x_slots, y_slots, z_slots = drawn[:, 0] + drawn[:, 1], drawn[:, 2], drawn[:, 3]
    assert (x_slots % 2 == 0).all()
    assert (x_slots / 2 + y_slots + z_slots == 3).all()
    assert {0.0, 2.0} <= set(drawn[:, 0])


def test_hierarchical_matches_the_textbook_loop():
    """The hierarchical standard error agrees with a plain loop over replicates."""
    rng = np.random.default_rng(5)
    level = {"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.1}
    models = [m for m in "abcd" for _ in range(20)]
    provider = {"a": "x", "b": "x", "c": "y", "d": "z"}
    scores = np.array([float(rng.random() < level[m]) for m in models])
    draws = hierarchical([provider[m] for m in models], models, replicates=8_000, seed=1)
    ours = replicate_means(scores[:, None], draws)[0]
    by_model = {m: scores[[x == m for x in models]] for m in "abcd"}
    of = {"x": "ab", "y": "c", "z": "d"}
    theirs = []
    for _ in range(4_000):
        slots = []
        for p in rng.choice(list(of), 3):
            drawn = rng.choice(list(of[p]), len(of[p]))
            slots.extend(rng.choice(by_model[m], 20).mean() for m in drawn)
        theirs.append(np.mean(slots))
    assert ours.std() == pytest.approx(np.std(theirs), rel=0.06)
    assert ours.mean() == pytest.approx(np.mean(theirs), abs=0.02)


@given(st.permutations("abcd"), st.permutations("xyz"))
@settings(max_examples=30, deadline=None)
def test_labels_do_not_matter(model_names, provider_names):
    """Renaming models and providers changes no draw."""
    renamed_models = [dict(zip("abcd", model_names, strict=True))[m] for m in MODELS]
    renamed = [dict(zip("xyz", provider_names, strict=True))[p] for p in PROVIDERS]
    draws = hierarchical(renamed, renamed_models, replicates=60, seed=9)
    assert np.array_equal(all_weights(draws), all_weights(schemes(9, 60)[6]))


@given(st.permutations(range(10)))
@settings(max_examples=20, deadline=None)
def test_row_order_does_not_matter_after_sorting_by_id(order):
    """Rows in any order, sorted by id, give the same estimate to the last bit."""
    ids = [f"s{k:02}" for k in range(10)]
    shuffled, values = [ids[k] for k in order], SHARES[list(order)]
    values = values[order_by_id(shuffled)]
    draws = iid(10, replicates=200, seed=2)
    assert bootstrap(mean_of(values), draws) == bootstrap(mean_of(SHARES), draws)


@pytest.mark.parametrize("batch", [1, 3, 64, 5_000])
def test_the_batch_changes_no_estimate(batch):
    """Values in sevenths, any batch: the same interval and the same p."""
    draws = iid(10, replicates=1_500, seed=2)
    whole = bootstrap(mean_of(SHARES), draws, null=0.5)[0]
    cut = bootstrap(mean_of(SHARES), draws, null=0.5, batch=batch)[0]
    assert (cut.low, cut.high) == pytest.approx((whole.low, whole.high), abs=1e-14)
    assert cut.p == whole.p


def test_interval_equals_scipy_on_the_same_draws():
    """On the same resampled rows scipy's percentile and BCa intervals are ours.

    In whole numbers: scipy misses ties that differ by rounding, ours do not.
    """
    counts = np.round(SHARES * 7)
    draws = iid(10, replicates=1_024, seed=6)
    rows = np.concatenate(list(draws.indices()))

    class Replay(np.random.Generator):
        """Hands scipy our rows."""

        def integers(self, low, high=None, size=None, **_):
            assert size == (1_024, 10)
            return rows

    for ours, theirs in (("percentile", "percentile"), ("bca", "BCa")):
        result = scipy_stats.bootstrap(
            (counts,), np.mean, n_resamples=1_024, method=theirs, rng=Replay(np.random.PCG64(1))
        )
        (mine,) = bootstrap(mean_of(counts), draws, method=ours)
        expected = tuple(result.confidence_interval)
        assert (mine.low, mine.high) == pytest.approx(expected, abs=1e-12)
        assert mine.method == ours


def test_enumeration_oracles():
    """Against all n**n resamples: standard error within 3 %, ends on the right support points."""
    for data in ([1.0, 1.0, 1.0, 0.0, 0.0], [1.0, 2.0, 2.5, 4.0, 12.0]):
        values = np.array(data)
        every = mean_of(values)(every_resample(5))[:, 0]
        assert every == pytest.approx([np.mean(c) for c in itertools.product(data, repeat=5)])
        drawn = replicate(mean_of(values), iid(5, replicates=20_000, seed=1))[0]
        assert drawn.std() == pytest.approx(every.std(), rel=0.03)
        (mean,) = bootstrap(mean_of(values), iid(5, replicates=20_000, seed=1))
        assert (mean.low, mean.high) == pytest.approx(tuple(np.quantile(every, [0.025, 0.975])))


def test_cluster_enumeration_oracle():
    """All 4**4 resamples of four clusters of unequal size: the same spread and the same ends."""
    groups = [[1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0, 1]]
    ids = [k for k, group in enumerate(groups) for _ in group]
    every = [
        np.mean([x for k in chosen for x in groups[k]])
        for chosen in itertools.product(range(4), repeat=4)
    ]
    draws = cluster(ids, replicates=20_000, seed=1)
    values = np.array([float(x) for group in groups for x in group])
    assert replicate(mean_of(values), draws)[0].std() == pytest.approx(np.std(every), rel=0.03)
    (mean,) = bootstrap(mean_of(values), draws)
    assert (mean.value, mean.n) == (0.5, 4)
    assert (mean.low, mean.high) == pytest.approx(tuple(np.quantile(every, [0.025, 0.975])))


def test_paired_difference_uses_one_set_of_draws():
    """The reference case ``boot-paired-difference``: the paired standard error, not 0.136."""
    a = np.array([0.9, 0.7, 0.8, 0.4, 0.6, 0.2])
    b = np.array([0.8, 0.6, 0.8, 0.3, 0.4, 0.2])
    draws = iid(6, replicates=20_000, seed=3)
    both = replicate_means(np.column_stack([a, b]), draws)
    assert (both[0] - both[1]).std() == pytest.approx(0.0280541803843391, rel=0.03)


def test_bca_reference_cases():
    """Acceleration of the law-school data and the tie convention, to nine digits."""
    x = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
    y = [3.39, 3.3, 2.81, 3.03, 3.44, 3.07, 3.0, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]
    pairs = np.column_stack([x, y])
    left_out = [np.corrcoef(np.delete(pairs, k, 0).T)[0, 1] for k in range(15)]
    assert acceleration(np.array(left_out)) == pytest.approx(-0.07567156493787858, abs=1e-9)
    tied = bca_interval(0.45, np.arange(1000) / 1000, 0.02)
    assert (tied.low, tied.high) == pytest.approx(
        (0.016762082139054668, 0.9615911631900819), abs=1e-9
    )
    strict = bca_interval(0.45, np.arange(1000) / 1000, 0.02, ties="strict")
    assert (strict.low, strict.high) == pytest.approx(
        (0.016661253371651707, 0.9613765583228635), abs=1e-9
    )


def test_bca_without_a_correction_has_no_interval():
    """All resamples on one side, or an acceleration beyond the formula: a reason, no number."""
    assert "one side" in bca_interval(9.0, np.arange(5.0), 0.0).why_none
    assert "too large" in bca_interval(2.2, np.arange(5.0), 0.6).why_none


def test_bca_over_clusters_leaves_out_clusters():
    """BCa's jackknife leaves out whole clusters: duplicated rows change nothing."""
    once = bootstrap(mean_of(SHARES), iid(10, replicates=1_000, seed=1), method="bca")[0]
    draws = cluster(np.repeat(np.arange(10), 3).tolist(), replicates=1_000, seed=1)
    thrice = bootstrap(mean_of(np.repeat(SHARES, 3)), draws, method="bca")[0]
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high), abs=1e-12)
    assert thrice.n == 10


def test_p_counts_both_tails_and_is_never_zero():
    """9 of 99 replicates at or below zero: p = 2 (9 + 1) / 100; none: p = 2 / 100."""
    replicates = np.arange(1.0, 100.0) - 9.5
    assert two_sided_p(replicates[None, :])[0] == pytest.approx(0.2)
    assert two_sided_p(np.abs(replicates)[None, :] + 1)[0] == pytest.approx(0.02)


def test_rounding_is_on_neither_side_of_zero():
    """0.1 + 0.2 - 0.3 is zero: it counts in both tails."""
    noise = np.full((1, 99), 0.1 + 0.2 - 0.3)
    noise[0, :49] = 0.5
    assert two_sided_p(noise)[0] == 1.0


def test_one_unit_has_a_value_and_no_interval():
    """n = 1: the value stands, without an interval, and says why."""
    (mean,) = bootstrap(mean_of(np.array([0.4])), iid(1, replicates=100, seed=1), null=0.0)
    assert mean == Estimate(0.4, 1, why_no_interval="only one scenario: nothing to resample")
    one_provider = hierarchical(["x"] * 4, ["a", "a", "b", "b"], replicates=100, seed=1)
    (pooled,) = bootstrap(mean_of(np.array([0.0, 1.0, 1.0, 1.0])), one_provider)
    assert pooled.low is None
    assert pooled.why_no_interval == "only one provider: nothing to resample"


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("value", [0.3, 0.0, -1 / 7, 5.0])
def test_constant_data_have_the_interval_v_v(method, value):
    """Constant data: exactly [v, v], and the caveat says that this proves nothing."""
    (mean,) = bootstrap(
        mean_of(np.full(10, value)), iid(10, replicates=200, seed=1), null=value, method=method
    )
    assert mean.low == mean.high == mean.value
    assert mean.p == 1.0
    assert "zero-width interval says nothing" in caveat(mean)


def test_all_missing_is_undefined_and_some_missing_is_left_out():
    """NaN cells leave their column; a column of NaN is undefined with the given reason."""
    table = np.array([[0.0, np.nan], [1.0, np.nan], [np.nan, np.nan], [1.0, np.nan]] * 5)
    one, none = bootstrap(
        mean_of(table), iid(20, replicates=400, seed=1), null=0.0, why="no conforming sample"
    )
    assert one.value == pytest.approx(2 / 3)
    assert one.low < one.value < one.high
    assert (none.value, none.why_undefined) == (None, "no conforming sample")


def test_undefined_replicates_are_counted_or_refused():
    """A few undefined replicates are left out and counted; many take the interval away."""
    rare = np.array([1.0, 2.0, 3.0, 4.0] + [np.nan] * 3)
    (few,) = bootstrap(mean_of(rare), iid(7, replicates=2_000, seed=1))
    assert 1_900 < few.replicates < 2_000
    lonely = np.array([1.0] + [np.nan] * 6)
    (many,) = bootstrap(mean_of(lonely), iid(7, replicates=2_000, seed=1))
    assert many.value == 1.0
    assert many.low is None
    assert "of 2000 resamples" in many.why_no_interval


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_what_was_resampled_says_so_without_an_interval_too(method):
    """Scheme, seed and replicates stay where draws gave no interval, whatever the reason."""
    how = {"replicates": 2_000, "seed": 3}
    lonely = mean_of(np.array([1.0] + [np.nan] * 6))
    (many,) = bootstrap(lonely, iid(7, **how), method=method)
    assert "of 2000 resamples" in many.why_no_interval
    (none,) = bootstrap(mean_of(np.full(7, np.nan)), iid(7, **how), method=method)
    assert none.value is None
    cut = mean_of(np.array([[1.0, np.nan], [2.0, 5.0]] + [[3.0, np.nan]] * 5))
    (_, gone) = bootstrap(cut, iid(7, **how), method=method)
    for found in (many, none, gone):
        assert (found.low, found.method) == (None, "none")
        assert (found.scheme, found.seed, found.replicates) == ("iid", 3, 2_000)


def every_scheme(units):
    """Draws of every scheme with so many units at the level that decides the width, and a word."""
    how = {"replicates": 100, "seed": 1}
    twice = [unit for unit in range(units) for _ in range(2)]
    nested = [f"{unit}{k % 2}" for k, unit in enumerate(twice)]
    return [
        (iid(units, **how), "scenario"),
        (iid(units, unit="prompt", **how), "prompt"),
        (iid(units, scheme="cells", unit="cell", **how), "cell"),
        (iid(units, scheme="item cluster", unit="task", **how), "task"),
        (iid(units, scheme="task bootstrap", unit="task", **how), "task"),
        (iid(units, scheme="question sets", unit="question set", **how), "question set"),
        (items_with_all_raters(units, **how), "item"),
        (cluster(twice, **how), "cluster"),
        (items_in_lists(["a"] * units + ["b"] * units, **how), "items per list"),
        (equal_model_item(["a"] * units + ["b"] * units, **how), "items per model"),
        (model_item(twice, **how), "model"),
        (hierarchical(twice, nested, **how), "provider"),
    ]


@pytest.mark.parametrize("units", [2, 7, 19, 20, 40])
def test_few_units_of_any_scheme_carry_a_caveat(units):
    """Fewer than 20 units at the level that decides the width: one sentence that counts them."""
    for draws, unit in every_scheme(units):
        (found,) = bootstrap(mean_of(np.sqrt(np.arange(draws.width))), draws)
        told = caveat(found)
        if units >= 20:
            assert told is None, draws.scheme
        else:
            named = unit if unit.startswith("items per") else f"{unit}s"
            assert told.startswith(f"{units} {named}: "), (draws.scheme, told)
            assert len(told) < 100


@pytest.mark.parametrize("units", [2, 7, 40])
def test_a_zero_width_interval_of_any_scheme_carries_a_caveat(units):
    """Without width: one sentence, which counts nothing; the number of units changes nothing."""
    for draws, _ in every_scheme(units):
        (found,) = bootstrap(mean_of(np.ones(draws.width)), draws)
        assert "zero-width interval says nothing about uncertainty" in caveat(found)


def test_a_caveat_counts_what_the_value_rests_on():
    """A value of few of the drawn rows has few units; what has no interval has no caveat."""
    (mean,) = bootstrap(mean_of(np.arange(40.0)), iid(40, replicates=100, seed=1))
    assert caveat(mean) is None
    assert caveat(replace(mean, n=9)).startswith("9 scenarios: ")
    assert caveat(replace(mean, low=None, high=None)) is None
    assert caveat(replace(mean, n=9, method="F")) is None
    assert "a BCa interval" in caveat(replace(mean, n=9, method="bca"))
    two = bootstrap(mean_of(np.array([5.0, 6.0])), iid(2, replicates=200, seed=1))[0]
    assert (two.low, two.high) == (5.0, 6.0)
    assert caveat(two) == "2 scenarios: only 3 distinct resamples exist"


def test_means_of_replicates_agree_with_the_general_way():
    """The fast path for means and the general engine give the same replicates."""
    table = np.column_stack([SHARES[:8], SHARES[2:]])
    for draws in schemes():
        fast, general = replicate_means(table, draws), replicate(mean_of(table), draws)
        assert fast == pytest.approx(general, abs=1e-14)


def test_base_weights_make_models_of_unequal_size_count_the_same():
    """With base 1 / (rows of the model), the mean over drawn models is the plain mean."""
    models = ["a"] * 3 + ["b"]
    draws = model_item(models, replicates=4_000, seed=1)
    base = np.array([1 / 3, 1 / 3, 1 / 3, 1.0])
    drawn = replicate_means(np.array([[0.0], [0.0], [0.0], [1.0]]), draws, base=base)[0]
    assert set(np.round(drawn, 12)) == {0.0, 0.5, 1.0}
    assert drawn.mean() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: iid(0, replicates=100, seed=1), "n must be at least one scenario"),
        (lambda: iid(5, replicates=10, seed=1), "replicates must be at least 40"),
        (lambda: iid(5, replicates=100, seed=-1), "seed must be a whole number"),
        (lambda: iid(5, replicates=100, seed=True), "seed must be a whole number"),
        (lambda: cluster([], replicates=100, seed=1), "ids is empty"),
        (
            lambda: hierarchical(["x", "y"], ["a", "a"], replicates=100, seed=1),
            "one model two providers",
        ),
        (lambda: hierarchical(["x"], ["a", "b"], replicates=100, seed=1), "one of each per row"),
        (lambda: every_resample(8), "n must lie between 1 and 7"),
        (lambda: order_by_id(["a", "b", "a"]), "ids has 'a' twice"),
        (lambda: next(schemes()[0].weights(0)), "batch must be at least 1"),
        (lambda: next(schemes()[6].indices()), "use weights"),
        (lambda: bootstrap(mean_of(SHARES[:8]), schemes()[6], method="bca"), "use percentile"),
        (lambda: bootstrap(mean_of(SHARES[:8]), schemes()[0], method="basic"), "method must be"),
        (lambda: bootstrap(mean_of(SHARES[:8]), schemes()[0], level=95), "level must lie"),
        (lambda: bootstrap(lambda w: w.sum(), schemes()[0]), "one line per line of weights"),
    ],
)
def test_bad_input_is_one_sentence_that_names_the_argument(call, words):
    """Bad input is a StatisticsInputError, a ValueError and an InputError at once."""
    with pytest.raises(StatisticsInputError, match=words) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, InputError)


def test_estimates_takes_replicates_from_elsewhere():
    """A caller that computes its own replicates gets the same estimate from the same draws."""
    draws = iid(10, replicates=500, seed=8)
    counts = np.round(SHARES * 7)
    drawn = replicate(mean_of(counts), draws)
    assert estimates(np.array([counts.mean()]), drawn, draws) == bootstrap(mean_of(counts), draws)
