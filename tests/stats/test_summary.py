"""Summaries of what is all there, and means of what was sampled."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.errors import StatisticsInputError
from stats.means import mean_by_cluster, mean_estimate
from stats.summary import summarize

NUMBERS = st.lists(st.integers(-1000, 1000).map(lambda n: n / 8), min_size=1, max_size=30)


@given(NUMBERS)
def test_a_summary_is_numpys(values: list[float]) -> None:
    """Mean, median and ends agree with the standard library, whatever the order."""
    found = summarize(values)
    assert found == summarize(sorted(values))
    assert found.mean == pytest.approx(statistics.fmean(values))
    assert found.median == pytest.approx(statistics.median(values), abs=1e-9)
    assert (found.n, found.low, found.high) == (len(values), min(values), max(values))


def test_nothing_has_no_summary() -> None:
    """Of nothing there is neither a mean nor an end; NaN is refused, not skipped."""
    assert (summarize([]).n, summarize([]).mean, summarize([]).low) == (0, None, None)
    with pytest.raises(StatisticsInputError, match="NaN"):
        summarize([1.0, np.nan])


def test_a_mean_is_that_of_what_is_there() -> None:
    """Missing cells leave the mean and its n; a repeated run is the same number."""
    values = [3.0, 4.0, np.nan, 5.0, 2.0]
    found = mean_estimate(values, seed=3, replicates=500)
    assert (found.value, found.n) == (3.5, 4)
    assert found.low is not None
    assert found.low < 3.5 < (found.high or 0)
    assert found == mean_estimate([3.0, 4.0, 5.0, 2.0], seed=3, replicates=500)


def test_a_mean_of_nothing_says_why() -> None:
    """Nothing measured is undefined with the caller's reason; one value has no interval."""
    none = mean_estimate([np.nan], seed=1, why="nobody was asked")
    assert (none.value, none.why_undefined) == (None, "nobody was asked")
    one = mean_estimate([4.0], seed=1)
    assert (one.value, one.low, one.n) == (4.0, None, 1)
    assert one.why_no_interval


def test_rows_of_a_cluster_stay_together() -> None:
    """The interval is that of whole clusters, whatever the order of the rows."""
    values, names = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], ["a", "a", "a", "b", "b", "b"]
    found = mean_by_cluster(values, names, seed=3, replicates=500)
    assert (found.value, found.low, found.high, found.scheme) == (0.5, 0.0, 1.0, "cluster")
    turned = mean_by_cluster(values[::-1], names[::-1], seed=3, replicates=500)
    assert turned == found
    alone = mean_by_cluster(values, list("abcdef"), seed=3, replicates=500)
    assert (alone.low, alone.high) != (0.0, 1.0)
    one = mean_by_cluster(values, ["a"] * 6, seed=3)
    assert (one.value, one.low) == (0.5, None)
    assert mean_by_cluster([], [], seed=1, why="no reply").why_undefined == "no reply"
    with pytest.raises(StatisticsInputError, match="one per row"):
        mean_by_cluster(values, ["a"], seed=1)
