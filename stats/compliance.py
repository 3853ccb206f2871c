"""Matched wording (WISE): what wording alone does to compliance.

Scores come as one share per model, task and wording form (the mean over repetitions, NaN where
none was scored: :func:`stats.means.nan_mean`); counts as one number per repetition. Tasks are in
the order of their ids. The models' order and all names do not matter.

Source: "When Verifiable Counts Depend on Wording", Eqs. 4-8, secs. 4 and 5, Apps. D, I and P.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.estimate import Estimate
from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError
from stats.means import nan_mean
from stats.pooled import Pooled, Scheme, pool
from stats.resample import estimates, few_units

_NO_ROW = "a model has no task that is scored under every form"


@dataclass(frozen=True, slots=True)
class FormCompliance:
    """One wording form: its pooled compliance, and its contrast against the reference form.

    `difference` is ``C_f - C_reference`` with p against 0; ``None`` for the reference itself.
    """

    form: str
    compliance: Estimate
    difference: Estimate | None


@dataclass(frozen=True, slots=True)
class PanelCompliance:
    """A panel's audit summary.

    Attributes
    ----------
    forms
        In the order given.
    c_mean, c_worst, g_wording
        Mean, least, and greatest minus least pooled compliance over the forms (Eqs. 6-8).
    worst_forms
        The weakest forms; more than one when tied.
    by_model
        Compliance of every model under every form, models and forms in the order given.
    n_dropped
        Rows (one model on one task) left out because a form was not scored.
    n_resampled, caveat
        How many units vary at the scheme's highest level (providers, models, tasks), and what the
        reader must be told when they are few.
    """

    forms: tuple[FormCompliance, ...]
    c_mean: Estimate
    c_worst: Estimate
    g_wording: Estimate
    worst_forms: tuple[str, ...]
    by_model: tuple[tuple[float | None, ...], ...]
    n_dropped: int
    n_resampled: int
    caveat: str | None


@dataclass(frozen=True, slots=True)
class CountProfile:
    """How outputs of one form miss the count: pooled like compliance.

    Attributes
    ----------
    absolute_error
        Mean distance of the count from the target (from the range, when it is one), in words.
    under, over
        Share of outputs below and above the target. For a keyword: zero and multiple occurrences.
    short
        Share of outputs with at most `short_at` words.
    """

    form: str
    absolute_error: Estimate
    under: Estimate
    over: Estimate
    short: Estimate


def panel_compliance(
    scores: ArrayLike,
    forms: Sequence[str],
    *,
    reference: str,
    providers: Sequence[Hashable] | None = None,
    scheme: Scheme = "provider>model>item",
    replicates: int = 2_000,
    seed: int,
) -> PanelCompliance:
    """Return pooled compliance, contrasts and the audit summary of a panel (WISE, Eqs. 4-8).

    Parameters
    ----------
    scores
        Shape ``(models, tasks, forms)``: shares of compliant repetitions, NaN where none is scored.
    forms
        Names of the forms.
    reference
        The form that contrasts are taken against (POS).
    providers, scheme, replicates, seed
        See :func:`stats.pooled.pool`. For one model alone use ``item cluster``.

    Returns
    -------
    PanelCompliance
        All intervals from the same draws. The interval of C_worst and of G_wording takes the
        weakest form of each replicate, so it reaches beyond the estimate on the worse side.

    Examples
    --------
    Two models, two tasks, three repetitions each:

    >>> scores = np.array([[[1.0, 1 / 3], [1.0, 0.0]], [[2 / 3, 2 / 3], [1 / 3, 0.0]]])
    >>> panel = panel_compliance(scores, ["POS", "AVOID1"], reference="POS",
    ...                          scheme="model>item", seed=1)
    >>> [f.compliance.value for f in panel.forms], panel.forms[1].difference.value
    ([0.75, 0.25], -0.5)
    >>> panel.c_mean.value, panel.c_worst.value, panel.g_wording.value, panel.worst_forms
    (0.5, 0.25, 0.5, ('AVOID1',))
    """
    table = checks.shares("scores", scores, ndim=3)
    names = _form_names(forms, table.shape[2])
    if reference not in names:
        raise StatisticsInputError(f"reference {reference!r} is none of the forms {names}")
    pooled = pool(table, providers, scheme=scheme, replicates=replicates, seed=seed)
    compliance = _estimate(pooled, np.eye(len(names)))
    contrasts = np.eye(len(names)) - np.eye(len(names))[names.index(reference)]
    difference = _estimate(pooled, contrasts, null=0.0)
    c_mean, c_worst, g_wording = _summaries(pooled)
    return PanelCompliance(
        tuple(
            FormCompliance(name, compliance[k], None if name == reference else difference[k])
            for k, name in enumerate(names)
        ),
        c_mean,
        c_worst,
        g_wording,
        _weakest(pooled.values, names),
        tuple(tuple(None if np.isnan(v) else float(v) for v in row) for row in pooled.by_model),
        pooled.n_dropped,
        pooled.draws.resampled,
        few_units(pooled.draws.resampled, pooled.draws.unit),
    )


def count_profiles(
    counts: ArrayLike,
    forms: Sequence[str],
    *,
    lowest: ArrayLike,
    highest: ArrayLike | None = None,
    short_at: int = 2,
    providers: Sequence[Hashable] | None = None,
    scheme: Scheme = "provider>model>item",
    replicates: int = 2_000,
    seed: int,
) -> tuple[CountProfile, ...]:
    """Return how each form's outputs miss their count (WISE, Tables 2, 4, 15, 16 and App. D).

    Parameters
    ----------
    counts
        Shape ``(models, tasks, forms, repetitions)``: words (or keyword occurrences) of the whole
        visible output; an empty output counts 0, an output that does not exist is NaN.
    lowest, highest
        Shape ``(tasks,)``: what complies. Exact counts have one target: leave `highest` out. A
        range of 8 to 12 words is ``lowest = 8``, ``highest = 12``; a keyword once is 1.
    short_at
        Outputs of at most so many words are short.

    Examples
    --------
    Target 5; counts 5 and 7 under POS, 1 and 5 under AVOID1:

    >>> pos, avoid = count_profiles(np.array([[[[5, 7], [1, 5]]]]), ["POS", "AVOID1"],
    ...                             lowest=[5], scheme="item cluster", seed=1)
    >>> pos.absolute_error.value, pos.over.value, avoid.under.value, avoid.short.value
    (1.0, 0.5, 0.5, 0.5)
    """
    words = checks.numbers("counts", counts, ndim=4)
    names = _form_names(forms, words.shape[2])
    if (words < 0).any():
        raise StatisticsInputError("counts must not be negative: write a missing output as NaN")
    low = checks.numbers("lowest", lowest, ndim=1, missing=False)
    high = low if highest is None else checks.numbers("highest", highest, ndim=1, missing=False)
    if low.shape != (words.shape[1],) or high.shape != low.shape or (high < low).any():
        raise StatisticsInputError(
            f"lowest and highest need one value for each of {words.shape[1]} tasks, lowest first"
        )
    cells = _misses(words, low[None, :, None, None], high[None, :, None, None], short_at)
    pooled = pool(cells, providers, scheme=scheme, replicates=replicates, seed=seed)
    found = _estimate(pooled, np.eye(cells.shape[2]))
    k = len(names)
    each = zip(
        names, found[:k], found[k : 2 * k], found[2 * k : 3 * k], found[3 * k :], strict=True
    )
    return tuple(CountProfile(*row) for row in each)


def _form_names(forms: Sequence[str], columns: int) -> list[str]:
    names = list(forms)
    if len(names) != columns or len(set(names)) != len(names):
        raise StatisticsInputError(f"forms must name each of the {columns} forms once, is {names}")
    return names


def _misses(words: FloatArray, low: FloatArray, high: FloatArray, short_at: int) -> FloatArray:
    """Return error, under, over and short per model, task and form, side by side."""
    there = ~np.isnan(words)
    distance = np.maximum(low - words, 0.0) + np.maximum(words - high, 0.0)
    kinds = [distance, words < low, words > high, words <= short_at]
    cells = [nan_mean(np.where(there, kind, np.nan)) for kind in kinds]
    return np.concatenate(cells, axis=2)


def _estimate(
    pooled: Pooled, contrasts: FloatArray, null: float | None = None
) -> tuple[Estimate, ...]:
    """Return estimates of linear contrasts (rows) of the pooled columns."""
    values = contrasts @ pooled.values
    drawn = None if pooled.replicates is None else contrasts @ pooled.replicates
    return estimates(values, drawn, pooled.draws, null=null, why=_NO_ROW)


def _summaries(pooled: Pooled) -> tuple[Estimate, ...]:
    drawn = None if pooled.replicates is None else _mean_worst_gap(pooled.replicates)
    values = _mean_worst_gap(pooled.values[:, None])[:, 0]
    return estimates(values, drawn, pooled.draws, why=_NO_ROW)


def _mean_worst_gap(columns: FloatArray) -> FloatArray:
    least, most = columns.min(axis=0), columns.max(axis=0)
    return np.stack([columns.mean(axis=0), least, most - least])


def _weakest(values: FloatArray, names: list[str]) -> tuple[str, ...]:
    if np.isnan(values).any():
        return ()
    return tuple(n for n, v in zip(names, values, strict=True) if v <= values.min() + 1e-12)
