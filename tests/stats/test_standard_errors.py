"""Standard errors that are never 0 for want of data."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from stats.errors import StatisticsInputError
from stats.standard_errors import cluster_robust_se, se_of_mean_over_tasks, standard_error


def test_standard_error_by_hand():
    """1, 2, 3: s = 1, so 1 / sqrt(3)."""
    assert standard_error([1, 2, 3]) == pytest.approx(3**-0.5)


def test_mean_over_tasks_by_hand():
    """Weights 1/4 and 3/4: sqrt((0.01)^2 + (0.015)^2); the plain mean halves both."""
    assert se_of_mean_over_tasks([0.04, 0.02], [100, 300]) == pytest.approx(
        (0.01**2 + 0.015**2) ** 0.5
    )
    assert se_of_mean_over_tasks([0.04, 0.02]) == pytest.approx((0.02**2 + 0.01**2) ** 0.5)


def test_clusters_are_statsmodels_sandwich():
    """CR0 is statsmodels' cluster covariance without correction."""
    rng = np.random.default_rng(3)
    clusters = [rng.normal(loc, 1, size) for loc, size in ((0, 3), (1, 5), (2, 4), (0, 1))]
    groups = np.repeat(np.arange(4), [len(each) for each in clusters])
    fit = OLS(np.concatenate(clusters), np.ones(len(groups))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    assert cluster_robust_se(clusters) == pytest.approx(float(fit.bse[0]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: standard_error([1]),
        lambda: standard_error([]),
        lambda: standard_error([1, float("nan")]),
        lambda: cluster_robust_se([[1, 2, 3]]),
        lambda: cluster_robust_se([[1], []]),
        lambda: cluster_robust_se([[1], [None]]),
        lambda: se_of_mean_over_tasks([]),
        lambda: se_of_mean_over_tasks([0.1], [0]),
        lambda: se_of_mean_over_tasks([-0.1]),
        lambda: se_of_mean_over_tasks([0.1], [1, 2]),
    ],
)
def test_too_little_data_is_refused_not_0(call):
    """One value, one cluster, no task: refused, because 0 would mean "perfectly certain"."""
    with pytest.raises(StatisticsInputError):
        call()
