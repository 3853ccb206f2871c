"""ICC against Shrout & Fleiss, McGraw & Wong, pingouin, simulation, and its invariances."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd
import pingouin as pg
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stats.anova import Anova
from stats.errors import StatisticsInputError
from stats.icc import ICC_FORMS, icc, icc_in_lists

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)
PINGOUIN = dict(
    zip(
        ICC_FORMS,
        ["ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"],
        strict=True,
    )
)
tables = arrays(
    np.int64, st.tuples(st.integers(2, 8), st.integers(2, 5)), elements=st.integers(1, 7)
)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def by_pingouin(table):
    rows = [(i, j, x) for (i, j), x in np.ndenumerate(table)]
    frame = pd.DataFrame(rows, columns=["item", "rater", "score"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pg.intraclass_corr(frame, "item", "rater", "score").set_index("Type")


def value(table, form, **how):
    return icc(table, form, replicates=0, **how).value


@pytest.mark.parametrize("seed", range(4))
def test_all_six_forms_and_f_tests_are_pingouins(seed):
    """Values, F, degrees of freedom, p and limits (to pingouin's two decimals) agree."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1)) + rng.normal(size=4)
    theirs = by_pingouin(table)
    for form, name in PINGOUIN.items():
        ours, row = icc(table, form, interval="f"), theirs.loc[name]
        assert ours.value == pytest.approx(row["ICC"], abs=1e-10)
        assert (ours.f.value, ours.f.p) == pytest.approx((row["F"], row["pval"]), abs=1e-10)
        assert (ours.f.df_items, ours.f.df_error) == (row["df1"], row["df2"])
        assert ours.f_limits == pytest.approx(tuple(row["CI95"]), abs=0.0051)


def test_mean_squares_by_hand():
    """Three items, a second rater who gives 2 more: MSB 8, MSW 2, MSJ 6, MSE 0."""
    found = icc([[2, 4], [4, 6], [6, 8]], "ICC(3,1)", replicates=0)
    table = found.anova
    squares = (table.between_items, table.within_items, table.between_raters, table.residual)
    assert squares == (8.0, 2.0, 6.0, 0.0)
    assert (table.df_items, table.df_within, table.df_raters, table.df_residual) == (2, 3, 1, 2)
    assert found.value == 1.0
    assert value([[2, 4], [4, 6], [6, 8]], "ICC(2,1)") == pytest.approx(2 / 3)


@pytest.mark.parametrize("form", ICC_FORMS)
@given(table=tables, seed=st.integers(0, 99))
@quick
def test_order_of_items_and_raters_changes_nothing(form, table, seed):
    """Permuted items and raters give the same estimate, interval included."""
    rng = np.random.default_rng(seed)
    shuffled = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    assume(len({tuple(sorted(column)) for column in table.T}) == table.shape[1])
    one = icc(table, form, seed=1, replicates=60).estimate
    assert icc(shuffled, form, seed=1, replicates=60).estimate == one
    turned = icc(shuffled.T, form, seed=1, replicates=60, orientation="raters x items")
    assert turned.estimate == one


@pytest.mark.parametrize("form", ICC_FORMS)
@given(table=tables, scale=st.sampled_from([-2.0, 0.25, 10.0]), shift=st.sampled_from([-50.0, 1e6]))
@quick
def test_units_and_zero_points_change_nothing(form, table, scale, shift):
    """ICC is affine invariant."""
    one, other = value(table, form), value(scale * table + shift, form)
    assert one is other is None or one == pytest.approx(other, rel=1e-6, abs=1e-9)


def test_consistency_ignores_what_agreement_counts():
    """A rater who always gives more costs agreement, not consistency."""
    moved = SHROUT_FLEISS + np.array([0, 0, 0, 100])
    assert value(moved, "ICC(3,1)") == pytest.approx(value(SHROUT_FLEISS, "ICC(3,1)"))
    assert value(moved, "ICC(2,1)") < value(SHROUT_FLEISS, "ICC(2,1)")


def test_a_large_rater_offset_costs_no_digits():
    """Consistency survives raters a billion apart."""
    moved = SHROUT_FLEISS + np.array([0, 0, 0, 1_000_000_000])
    assert value(moved, "ICC(3,1)") == pytest.approx(value(SHROUT_FLEISS, "ICC(3,1)"), abs=1e-7)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, 1, 1]] * 5, "all ratings are equal"),
        ([[1, 2, 3]] * 5, "raters differ only by a constant; items do not differ"),
        ([[1, 2], [2, 1]], "items do not differ: there is no variance between items"),
        ([[1, 2, 3]], "fewer than two complete items"),
        ([[1], [2], [3]], "one rater: an ICC needs two"),
        ([[1, None], [None, 2]], "fewer than two complete items"),
    ],
)
@pytest.mark.parametrize("form", ICC_FORMS)
def test_undefined_has_its_reason(form, table, reason):
    """Where nothing can be partitioned there is no number, in any form."""
    for found in (icc(table, form, interval="f"), icc(table, form, seed=1)):
        assert found.value is None
        assert reason in found.estimate.why_undefined


def test_negative_values_are_not_cut_off():
    """ANOVA estimates may be negative, even beyond -1; the note says what that means."""
    table = [[1, 4, 3], [4, 2, 3], [2, 5, 1], [5, 1, 2], [3, 3, 4]]
    found = {form: icc(table, form, interval="f") for form in ICC_FORMS}
    assert found["ICC(1,k)"].value == pytest.approx(-8.25)
    assert "negative ICC: treat as no reliability" in found["ICC(1,1)"].notes[-1]
    assert found["ICC(2,k)"].value == pytest.approx(9.705882352941176)
    assert "above 1" in found["ICC(2,k)"].notes[-1]
    assert found["ICC(2,k)"].f_limits == pytest.approx((5.779867624889084, -0.25682376627496667))
    assert "do not bracket the value" in found["ICC(2,k)"].estimate.why_no_interval


def test_no_residual_means_a_value_without_limits():
    """With MSE = 0 F is infinite: the value stands, the limits do not."""
    found = icc([[2, 4], [4, 6], [6, 8]], "ICC(2,1)", interval="f")
    assert found.value == pytest.approx(2 / 3)
    assert found.f is None
    assert found.f_limits is None
    assert "F is infinite" in found.estimate.why_no_interval


def test_incomplete_items_are_dropped_with_a_count_or_refused():
    """An incomplete square is never fed to the formulas silently."""
    table = [*SHROUT_FLEISS.tolist(), [5, None, 4, 4], [None] * 4]
    found = icc(table, "ICC(2,k)", replicates=0)
    assert found.value == pytest.approx(0.620050547598989)
    assert (found.n_items, found.n_items_dropped, found.n_ratings_dropped) == (6, 2, 3)
    assert "1 item has no ratings and was ignored" in found.notes
    assert "listwise: 6 of 8 items are complete and kept" in found.notes
    with pytest.raises(StatisticsInputError, match="1 item of 8 lack a rating"):
        icc(table, "ICC(2,k)", replicates=0, incomplete="refuse")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"form": "ICC2k"}, "form: choose one of"),
        ({"interval": "t"}, "interval: say"),
        ({"incomplete": "guess"}, "incomplete: say"),
        ({"seed": None}, "seed: give a whole number"),
    ],
)
def test_bad_arguments_are_refused_by_name(how, message):
    """Each wrong choice is refused with the choices."""
    with pytest.raises(StatisticsInputError, match=message):
        icc(SHROUT_FLEISS, **how)


def test_texts_are_refused():
    """An ICC needs numbers."""
    with pytest.raises(StatisticsInputError, match="numbers are needed"):
        icc([["a", "b"], ["b", "b"]], replicates=0)


def test_bootstrap_is_a_loop_over_resampled_items():
    """The vectorised replicates are what a loop that keeps all raters of an item gives."""
    rng = np.random.default_rng(6)
    table = rng.normal(size=(24, 5)) + rng.normal(size=(24, 1))
    found = icc(table, "ICC(2,k)", seed=1, replicates=4_000).estimate
    loop = [value(table[rng.integers(0, 24, 24)], "ICC(2,k)") for _ in range(800)]
    assert [found.low, found.high] == pytest.approx(np.quantile(loop, [0.025, 0.975]), abs=0.08)
    assert found.scheme == "items with all raters"


@given(table=tables, seed=st.integers(0, 99))
@quick
def test_weights_are_repeated_items(table, seed):
    """The mean squares of weighted sums are those of the table with its items repeated."""
    data = table.astype(float)
    times = np.random.default_rng(seed).multinomial(len(data), np.full(len(data), 1 / len(data)))
    layout, repeated = Anova.of((data,)), np.repeat(data, times, axis=0)
    found = layout.mean_squares((times @ layout.contributions((data,))[0])[None, None])
    plain = Anova.of((repeated,)).table(Anova.of((repeated,)).contributions((repeated,)))
    for square in ("between_items", "within_items", "between_raters", "residual"):
        assert getattr(found, square)[0] == pytest.approx(getattr(plain, square), abs=1e-9)


def test_two_thousand_replicates_take_milliseconds():
    """24 items x 5 raters: the whole interval within 50 ms on a busy machine."""
    table = np.random.default_rng(6).normal(size=(24, 5))
    icc(table, seed=1)
    best = min(_seconds(lambda: icc(table, seed=1)) for _ in range(5))
    assert best < 0.05


def _seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


@pytest.mark.parametrize("form", ICC_FORMS)
def test_one_list_is_the_plain_icc(form):
    """Pooling over one list changes nothing."""
    plain, pooled = icc(SHROUT_FLEISS, form, seed=1), icc_in_lists([SHROUT_FLEISS], form, seed=1)
    assert pooled.estimate == plain.estimate
    assert pooled.f_limits == plain.f_limits


def test_pooled_sums_of_squares_are_added_over_lists():
    """Sums of squares and degrees of freedom of the pooled table are those of the lists, added."""
    rng = np.random.default_rng(9)
    lists = [rng.normal(size=(n, 3)) for n in (4, 6, 5)]
    pooled = icc_in_lists(lists, "ICC(2,1)", replicates=0).anova
    single = [Anova.of((each,)).table(Anova.of((each,)).contributions((each,))) for each in lists]
    for square, df in (
        ("between_items", "df_items"),
        ("within_items", "df_within"),
        ("between_raters", "df_raters"),
        ("residual", "df_residual"),
    ):
        added = sum(getattr(t, square) * getattr(t, df) for t in single)
        assert getattr(pooled, df) == sum(getattr(t, df) for t in single)
        assert getattr(pooled, square) * getattr(pooled, df) == pytest.approx(added)
    assert pooled.n_items == 5.0


def test_pooled_icc_by_hand():
    """Two lists of the offset example: MSB 8, MSJ 6, MSE 0 again, so 2/3 again."""
    first = np.array([[2, 4], [4, 6], [6, 8]])
    assert icc_in_lists([first, 50 + first], "ICC(2,1)", replicates=0).value == pytest.approx(2 / 3)


def test_differences_between_lists_count_neither_as_items_nor_as_raters():
    """Lists of different difficulty leave the pooled ICC as it is; pasted together they do not."""
    rng = np.random.default_rng(10)
    lists = [rng.normal(size=(20, 4)) for _ in range(3)]
    shifted = [each + shift for each, shift in zip(lists, (0, 5, 10), strict=True)]
    one, other = (icc_in_lists(each, "ICC(2,k)", seed=1).estimate for each in (lists, shifted))
    assert other.value == pytest.approx(one.value)
    assert (other.low, other.high) == pytest.approx((one.low, one.high))
    assert icc(np.vstack(shifted), "ICC(2,k)", replicates=0).value > 0.9


def test_pooled_icc_recovers_the_variances_it_was_simulated_from():
    """Raters nested in lists: items 1, raters 0.5, noise 1 give ICC(2,1) = 1 / 2.5."""
    rng = np.random.default_rng(11)
    lists = [
        rng.normal(size=(50, 1)) + rng.normal(size=5) * 0.5**0.5 + rng.normal(size=(50, 5))
        for _ in range(60)
    ]
    assert icc_in_lists(lists, "ICC(2,1)", replicates=0).value == pytest.approx(0.4, abs=0.04)


def test_pooled_bootstrap_draws_items_within_lists():
    """The scheme is named, and lists in another order give the same interval."""
    rng = np.random.default_rng(12)
    lists = [rng.normal(size=(10, 3)) + rng.normal(size=(10, 1)) for _ in range(4)]
    found = icc_in_lists(lists, seed=1)
    assert found.estimate.scheme.startswith("items within lists (up to ")
    assert found.estimate.n == 40
    assert found.notes[0] == "4 lists, 40 items x 3 raters each"
    assert icc_in_lists(lists[::-1], seed=1).estimate == found.estimate


def test_incomplete_lists_are_said():
    """A list that is left with one complete item is dropped, counted, and named."""
    short = [[1, 2], [3, None]]
    found = icc_in_lists([[[2, 4], [4, 6], [6, 8]], short], "ICC(2,1)", replicates=0)
    assert found.value == pytest.approx(2 / 3)
    assert "1 list with fewer than two complete items: left out" in found.notes
    assert (found.n_items, found.n_items_dropped) == (3, 2)


@pytest.mark.parametrize("lists", [[], [[[1, 2], [2, 1]], [[1, 2, 3], [2, 1, 3]]]])
def test_lists_must_have_equally_many_raters(lists):
    """No list, or lists of 2 and of 3 raters, are refused."""
    with pytest.raises(StatisticsInputError, match="equally many raters"):
        icc_in_lists(lists, replicates=0)
