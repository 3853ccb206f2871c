"""Reference cases of statistics, each run through the function that ships.

Every runner takes a case's input and what it asks for, and returns plain values by the names that
cases use. Undefined is ``None``. A statistic that has no runner here is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtri

from evals.cases.fields import CannotRun, Fields
from stats import cohen, comparisons, correlation, fleiss, gwet, icc, intervals, resample
from stats.concordance import kendall_w
from stats.krippendorff_alpha import krippendorff_alpha
from stats.multiplicity import corrected_p
from stats.ratings import Floats, Orientation
from stats.run_stability import run_stability
from stats.standard_errors import cluster_robust_se, se_of_mean_over_tasks, standard_error

Input = Fields
Values = dict[str, Any]
Runner = Callable[[Input, Sequence[str]], Values]

_SEED = 20_260_710


def run(statistic: str, given: Mapping[str, Any], asked: Sequence[str]) -> Values:
    """Return the values of one case.

    Parameters
    ----------
    statistic
        What the case calls it.
    given, asked
        Its input, and the names of the values that it expects.

    Examples
    --------
    >>> run("cohen_kappa", {"table": [[0, 5], [5, 0]]}, ["kappa"])
    {'kappa': -1.0}
    """
    if not isinstance(statistic, str) or statistic not in RUNNERS:
        raise CannotRun(f"unknown statistic {statistic!r}; known are {', '.join(sorted(RUNNERS))}")
    return RUNNERS[statistic](Fields.of(given, "input"), asked)


def _fleiss(given: Input, _: Sequence[str]) -> Values:
    counts = given.rows("counts")
    found = fleiss.fleiss_kappa_of_counts(counts, replicates=0)
    kappa, observed = found.value, found.raw_agreement
    values: Values = {"kappa": kappa, "P_bar": observed}
    if kappa is not None and observed is not None and kappa != 1:
        values["P_e"] = (observed - kappa) / (1 - kappa)
    if "repeat_all_rows" in given:
        values["kappa_for_every_repeat"] = _for_every_repeat(
            counts, given.numbers("repeat_all_rows")
        )
    return values


def _for_every_repeat(counts: Sequence[Any], repeats: Sequence[float]) -> Any:
    """Return the one kappa of all repeats, or all of them when they differ."""
    kappas = [
        fleiss.fleiss_kappa_of_counts(np.repeat(counts, int(times), axis=0), replicates=0).value
        for times in repeats
    ]
    alike = all(k is not None and abs(k - (kappas[0] or 0)) < 1e-9 for k in kappas)
    return kappas[0] if alike else kappas


def _fleiss_with_missing(given: Input, _: Sequence[str]) -> Values:
    ratings = given.rows("ratings")
    names: dict[str, fleiss.FleissVariant] = {
        "listwise_complete_items_only": "listwise",
        "gwet_generalised": "gwet",
        "pooled_margins_items_with_2plus": "pooled",
    }
    values: Values = {
        name: fleiss.fleiss_kappa(ratings, variant=variant, replicates=0).value
        for name, variant in names.items()
    }
    alpha = krippendorff_alpha(ratings, "nominal", replicates=0)
    return values | {"krippendorff_nominal": alpha.value}


def _fleiss_vs_cohen(given: Input, _: Sequence[str]) -> Values:
    ratings = given.pairs("ratings")
    first, second = zip(*ratings, strict=True)
    return {
        "fleiss": fleiss.fleiss_kappa(ratings, replicates=0).value,
        "cohen": cohen.cohen_kappa(first, second, replicates=0).value,
    }


def _free_marginal(given: Input, _: Sequence[str]) -> Values:
    return {"kappa": gwet.free_marginal_kappa_of_counts(given.rows("counts"), replicates=0).value}


def _cohen(given: Input, _: Sequence[str]) -> Values:
    if "table" in given:
        return {"kappa": cohen.cohen_kappa_of_table(given.rows("table"), replicates=0).value}
    return {"kappa": cohen.cohen_kappa(given.rows("y1"), given.rows("y2"), replicates=0).value}


def _weighted_kappa(given: Input, _: Sequence[str]) -> Values:
    def kappa(weights: cohen.KappaWeights) -> float | None:
        scale = given.rows("category_order")
        found = cohen.cohen_kappa(
            given.rows("y1"), given.rows("y2"), scale, weights=weights, replicates=0
        )
        return found.value

    values: Values = {w: kappa(w) for w in ("unweighted", "linear", "quadratic")}
    return values | {"quadratic_full_scale": values["quadratic"]}


def _gwet(given: Input, _: Sequence[str]) -> Values:
    def ac(weights: gwet.GwetWeights) -> float | None:
        scale = given.rows("category_order")
        return gwet.gwet_ac(given.rows("ratings"), scale, weights=weights, replicates=0).value

    return {"ac1": ac("unweighted"), "ac2_linear": ac("linear"), "ac2_quadratic": ac("quadratic")}


def _icc(given: Input, _: Sequence[str]) -> Values:
    found = {form: icc.icc(given.rows("ratings"), form, interval="f") for form in icc.ICC_FORMS}
    values: Values = {"icc": {form: each.value for form, each in found.items()}}
    table = found["ICC(1,1)"].anova
    if table is not None:
        values["mean_squares"] = {
            "MSB": table.between_items,
            "MSW": table.within_items,
            "MSJ": table.between_raters,
            "MSE": table.residual,
        }
    limits = {form: each.f_limits for form, each in found.items()}
    values["ci95"] = {form: None if ends is None else list(ends) for form, ends in limits.items()}
    tests = (("one_way", found["ICC(1,1)"].f), ("two_way", found["ICC(3,1)"].f))
    values["F"] = {name: test.value for name, test in tests if test is not None}
    values["F"] |= {f"p_{name}": test.p for name, test in tests if test is not None}
    return values


def _alpha(given: Input, asked: Sequence[str]) -> Values:
    ratings, scale = given.rows("ratings"), given.get("category_order")
    return {
        measurement: krippendorff_alpha(ratings, measurement, scale, replicates=0).value
        for measurement in ("nominal", "ordinal", "interval", "ratio")
        if measurement in asked
    }


def _kendall(given: Input, _: Sequence[str]) -> Values:
    x, y = given.rows("x"), given.rows("y")
    found = correlation.correlation(x, y, "kendall").estimate
    counts = correlation.pair_counts_of_rankings(x, y)
    return {
        "tau_a": counts.tau_a,
        "tau_b": found.value,
        "tau_c": counts.tau_c,
        "gamma": counts.gamma,
        "p_two_sided_scipy": found.p,
        "pairs": {
            "C": counts.concordant,
            "D": counts.discordant,
            "tied_x_only": counts.tied_first,
            "tied_y_only": counts.tied_second,
            "tied_both": counts.tied_both,
        },
    }


def _spearman(given: Input, _: Sequence[str]) -> Values:
    found = correlation.correlation(given.rows("x"), given.rows("y"), "spearman").estimate
    return {"rho": found.value, "p_two_sided_t": found.p}


def _pearson(given: Input, _: Sequence[str]) -> Values:
    found = correlation.correlation(given.rows("x"), given.rows("y"), "pearson").estimate
    return {"r": found.value, "p_two_sided": found.p}


def _kendall_w(given: Input, _: Sequence[str]) -> Values:
    key = "rankings" if "rankings" in given else "ratings"
    lies: Orientation = "raters x items" if key == "rankings" else "items x raters"
    return {"W": kendall_w(given.rows(key), orientation=lies).value}


def _holm(given: Input, _: Sequence[str]) -> Values:
    p, alpha = given.rows("p"), given.number("alpha", 0.05)
    adjusted = corrected_p(p, "holm")
    return {
        "adjusted": list(adjusted),
        "reject_at_alpha_le": [each <= alpha for each in adjusted],
        "bonferroni": list(corrected_p(p, "bonferroni")),
        "bh": list(corrected_p(p, "bh")),
    }


def _mcnemar(given: Input, _: Sequence[str]) -> Values:
    test = comparisons.mcnemar_of_table(given.rows("table"))
    return {
        "b": test.b,
        "c": test.c,
        "p_exact": test.p,
        "p_mid": test.p_mid,
        "chi2": test.chi2,
        "p_chi2": test.p_chi2,
        "chi2_cc": test.chi2_corrected,
        "p_chi2_cc": test.p_chi2_corrected,
    }


def _paired_t(given: Input, _: Sequence[str]) -> Values:
    test = comparisons.paired_t(given.rows("a"), given.rows("b"))
    difference = test.difference
    return {
        "t": test.t,
        "df": test.df,
        "mean_diff": difference.value,
        "sd_diff": test.sd,
        "p_two_sided": difference.p,
        "ci95": None if difference.low is None else [difference.low, difference.high],
        "dz": test.dz,
    }


def _percentile_bootstrap(given: Input, _: Sequence[str]) -> Values:
    means = _all_resamples(np.array(given.numbers("data")))
    places = (0.025, 0.5, 0.975)
    return {
        "n_resamples_in_full_enumeration": len(means),
        "mean_of_distribution": float(means.mean()),
        "se_exact": float(means.std()),
        "quantiles_2.5_50_97.5": {
            "linear": _linear_quantiles(means),
            "inverted_cdf": np.quantile(means, places, method="inverted_cdf").tolist(),
        },
    }


def _paired_bootstrap(given: Input, _: Sequence[str]) -> Values:
    a, b = _two_lists(given, "a", "b")
    means = _all_resamples(a - b)
    return {
        "point": float((a - b).mean()),
        "se_paired": float(means.std()),
        "quantiles_paired_linear": _linear_quantiles(means),
    }


def _all_resamples(values: Floats) -> Floats:
    """Return the mean of each of the n**n resamples, by the engine's statistic of weights."""
    n = len(values)
    if not 1 <= n <= 7:
        raise CannotRun(f"input: all resamples of {n} values cannot be listed; give 1 to 7")
    drawn = np.array(list(product(range(n), repeat=n)))
    weights = (drawn[:, :, None] == np.arange(n)).sum(axis=1).astype(np.float64)
    return resample.mean_of(values)(weights)[:, 0]


def _linear_quantiles(means: Floats) -> list[float]:
    low, high = intervals.percentile_intervals(means[None, :])
    return [float(low[0]), float(np.median(means)), float(high[0])]


def _bca_components(given: Input, _: Sequence[str]) -> Values:
    x, y = _two_lists(given, "x", "y")
    statistic = correlation.weighted_correlation(x, y, "pearson")
    draws = resample.iid(len(x), replicates=2_000, seed=_SEED)
    left_out = np.concatenate([statistic(weights) for weights in draws.leave_one_out()])
    return {
        "r": correlation.correlation(x, y, "pearson").value,
        "acceleration_jackknife": intervals.acceleration(left_out),
        "bootstrap_se": float(resample.replicate(statistic, draws).std(ddof=1)),
    }


def _bca(given: Input, _: Sequence[str]) -> Values:
    replicates = _distribution(given)
    value, a = given.number("theta_hat"), given.number("acceleration")
    level = given.number("level", 0.95)
    z0 = float(ndtri(intervals.share_below(value, replicates)))
    levels = intervals.bca_levels(z0, a, level)
    found = intervals.bca_interval(value, replicates, a, level)
    strict = intervals.bca_interval(value, replicates, a, level, ties="strict")
    return {
        "z0": z0,
        "alpha_endpoints": None if levels is None else levels.tolist(),
        "interval": [found.low, found.high],
        "interval_midrank_ties": [found.low, found.high],
        "interval_strict_less": [strict.low, strict.high],
    }


def _two_lists(given: Input, first: str, second: str) -> tuple[Floats, Floats]:
    """Return two lists of numbers, equally long."""
    one, other = np.array(given.numbers(first)), np.array(given.numbers(second))
    if len(one) != len(other):
        raise CannotRun(f"input.{first} and input.{second} must be equally long")
    return one, other


def _distribution(given: Input) -> Floats:
    """Return a bootstrap distribution, given as a list or as ``i/1000 for i in 0..999``."""
    star = given["theta_star"]
    if not isinstance(star, str):
        return np.array(given.numbers("theta_star"))
    written = re.fullmatch(r"i/([1-9]\d*) for i in 0\.\.(\d{1,6})", star)
    if written is None:
        raise CannotRun(f"input.theta_star cannot be read: {star!r}")
    return np.arange(int(written[2]) + 1) / int(written[1])


def _rank_stability(given: Input, _: Sequence[str]) -> Values:
    found = run_stability(given.rows("scores"))
    return {
        "mean_pairwise_tau_b": found.mean_tau_b.value,
        "system_pairs_that_flip_sign": found.n_flipped,
        "system_pairs_not_identical_incl_ties": found.n_unequal,
        "n_system_pairs": found.n_system_pairs,
        "kendall_w": found.concordance.value,
        "top1_sets": ["=".join(f"s{system}" for system in best) for best in found.top],
    }


def _se_over_tasks(given: Input, _: Sequence[str]) -> Values:
    return {
        "size_weighted_mean": se_of_mean_over_tasks(given.rows("task_se"), given.rows("task_n")),
        "unweighted_mean": se_of_mean_over_tasks(given.rows("task_se")),
    }


def _cluster_se(given: Input, _: Sequence[str]) -> Values:
    clusters = given.rows("clusters")
    if not all(isinstance(cluster, list) for cluster in clusters):
        raise CannotRun("input.clusters must hold one list of values per cluster")
    naive = standard_error([value for cluster in clusters for value in cluster])
    return {"cr0": cluster_robust_se(clusters), "naive_se_n_minus_1": naive}


RUNNERS: dict[str, Runner] = {
    "bca_components": _bca_components,
    "bca_from_given_distribution": _bca,
    "cluster_robust_se_of_mean": _cluster_se,
    "cohen_kappa": _cohen,
    "fleiss_kappa": _fleiss,
    "fleiss_kappa_with_missing": _fleiss_with_missing,
    "fleiss_vs_cohen": _fleiss_vs_cohen,
    "free_marginal_kappa": _free_marginal,
    "gwet_ac": _gwet,
    "holm_stepdown": _holm,
    "icc_shrout_fleiss": _icc,
    "kendall_tau_b": _kendall,
    "kendall_w": _kendall_w,
    "krippendorff_alpha": _alpha,
    "mcnemar": _mcnemar,
    "paired_bootstrap_of_mean_difference": _paired_bootstrap,
    "paired_t": _paired_t,
    "pearson_r": _pearson,
    "percentile_bootstrap_of_mean": _percentile_bootstrap,
    "rank_stability": _rank_stability,
    "se_of_mean_over_tasks": _se_over_tasks,
    "spearman_rho": _spearman,
    "weighted_kappa": _weighted_kappa,
}
