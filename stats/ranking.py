"""Ranking stability: what wording does to comparisons between models (WISE, App. F).

All metrics of a form come from the signs of the pairwise differences of model scores, under that
form and under the reference form. Differences below 1e-9 count as ties: shares with the same
counts must tie whatever order they were added up in. Intervals come from resampling tasks, each
with all its models and forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.estimate import Estimate
from stats import checks
from stats.draws import FloatArray
from stats.errors import StatisticsInputError
from stats.resample import bootstrap, iid

Signs = NDArray[np.float32]

_TIE = 1e-9
_WHY = (
    "Kendall's tau-b is undefined: all models tie under a form",
    "no pair of models is strictly ordered under both forms",
    "",
    "",
)


@dataclass(frozen=True, slots=True)
class RankingStability:
    """One form's ranking of models, compared with the reference form's.

    Attributes
    ----------
    tau_b
        Kendall's tau-b; undefined when all models tie under either form.
    reversal
        Share of pairs whose strict order reverses (Eq. 10), among pairs tied under neither form.
    top_k_jaccard
        Overlap of the two top-k sets. A set holds every model with fewer than k strictly better
        ones: models tied at place k are all in, so a set can be larger than k.
    max_displacement
        Greatest absolute change of a model's average rank.
    n_pairs, n_reversed
        Pairs that are strictly ordered under both forms, and how many of them reverse.
    top_reference, top_form
        The two top-k sets, as positions of models.
    ties_at_k
        Whether either set holds more than k models.
    """

    form: str
    tau_b: Estimate
    reversal: Estimate
    top_k_jaccard: Estimate
    max_displacement: Estimate
    n_pairs: int
    n_reversed: int
    top_reference: tuple[int, ...]
    top_form: tuple[int, ...]
    ties_at_k: bool


def average_ranks(scores: ArrayLike) -> FloatArray:
    """Return ranks along the last axis, the best score first; ties share their average rank.

    Examples
    --------
    >>> average_ranks([0.5, 0.9, 0.5, 0.1]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    return _ranks(*_pair_signs(_complete("scores", scores)))


def ranking_stability(
    scores: ArrayLike,
    forms: Sequence[str],
    *,
    reference: str,
    k: int = 3,
    replicates: int = 2_000,
    seed: int,
) -> tuple[RankingStability, ...]:
    """Compare the model ranking under every form with the ranking under `reference`.

    Parameters
    ----------
    scores
        Shape ``(models, tasks, forms)``: shares of compliant repetitions. A task with a missing
        cell is left out for all models.
    forms, reference
        Names of the forms, and which of them is POS.
    k
        Size of the top sets.
    replicates, seed
        Task bootstrap.

    Returns
    -------
    tuple of RankingStability
        One per form other than the reference, in the order given.

    Examples
    --------
    Three models on two tasks; the two best swap under AVOID1:

    >>> scores = np.array([[[1.0, 0.5], [1.0, 0.5]], [[0.5, 1.0], [0.5, 1.0]], [[0, 0], [0, 0]]])
    >>> (found,) = ranking_stability(scores, ["POS", "AVOID1"], reference="POS", k=1, seed=1)
    >>> round(found.tau_b.value, 3), round(found.reversal.value, 3), found.max_displacement.value
    (0.333, 0.333, 1.0)
    >>> found.top_k_jaccard.value, found.top_reference, found.top_form
    (0.0, (0,), (1,))
    """
    table, names = _checked(scores, forms, reference, k)
    models, tasks, columns = table.shape
    flat = np.ascontiguousarray(table.transpose(1, 2, 0).reshape(tasks, columns * models))
    at = names.index(reference)
    others = [c for c in range(columns) if c != at]

    def metrics(weights: FloatArray) -> FloatArray:
        means = (weights @ flat).reshape(len(weights), columns, models)
        means /= weights.sum(axis=1)[:, None, None]
        return _metrics(means, at, others, k).reshape(len(weights), -1)

    draws = iid(tasks, replicates=replicates, seed=seed, scheme="task bootstrap", unit="task")
    estimates = bootstrap(metrics, draws, why="")
    signs, pairs = _pair_signs(table.mean(axis=1).T)
    top = [tuple(np.flatnonzero(row).tolist()) for row in _in_top(signs, pairs, k)]
    found = iter(_explained(estimates, tasks))
    return tuple(
        RankingStability(
            form=names[c],
            tau_b=next(found),
            reversal=next(found),
            top_k_jaccard=next(found),
            max_displacement=next(found),
            n_pairs=int((signs[at] * signs[c] != 0).sum()),
            n_reversed=int((signs[at] * signs[c] < 0).sum()),
            top_reference=top[at],
            top_form=top[c],
            ties_at_k=len(top[at]) > k or len(top[c]) > k,
        )
        for c in others
    )


def _checked(
    scores: ArrayLike, forms: Sequence[str], reference: str, k: int
) -> tuple[FloatArray, list[str]]:
    table = checks.shares("scores", scores, ndim=3)
    names = list(forms)
    if len(names) != table.shape[2] or len(set(names)) != len(names):
        raise StatisticsInputError(f"forms must name each of the {table.shape[2]} forms once")
    if reference not in names:
        raise StatisticsInputError(f"reference {reference!r} is none of the forms {names}")
    if table.shape[0] < 2:
        raise StatisticsInputError("scores needs at least two models to rank")
    if not 1 <= k <= table.shape[0]:
        raise StatisticsInputError(f"k must lie between 1 and {table.shape[0]} models, is {k}")
    complete = table[:, ~np.isnan(table).any(axis=(0, 2))]
    if complete.shape[1] == 0:
        raise StatisticsInputError("scores has no task that is scored for all models and forms")
    return complete, names


def _complete(name: str, values: ArrayLike) -> FloatArray:
    table = checks.numbers(name, values, missing=False)
    if table.ndim < 1:
        raise StatisticsInputError(f"{name} must be a list of scores, one per model")
    return table


def _pair_signs(scores: FloatArray) -> tuple[Signs, Signs]:
    """Return the sign of every pair's difference and the pairs' incidence matrix.

    The incidence matrix, shape ``(models, pairs)``, has +1 at a pair's first and -1 at its second,
    so that one matrix product takes all differences. Signs and their sums are small whole numbers:
    single precision holds them exactly.
    """
    first, second = np.triu_indices(scores.shape[-1], k=1)
    pairs = np.zeros((scores.shape[-1], len(first)))
    pairs[first, np.arange(len(first))] = 1.0
    pairs[second, np.arange(len(first))] = -1.0
    difference = scores @ pairs
    signs = (difference > _TIE).astype(np.float32)
    signs -= difference < -_TIE
    return signs, pairs.astype(np.float32)


def _ranks(signs: Signs, pairs: Signs) -> FloatArray:
    """Return average ranks: the middle rank less half of (models beaten - models that beat it)."""
    ranks: FloatArray = (len(pairs) + 1) / 2 - (signs @ pairs.T).astype(np.float64) / 2
    return ranks


def _in_top(signs: Signs, pairs: Signs, k: int) -> Signs:
    """Return 1 for models with fewer than k strictly better ones."""
    twice_better = np.abs(signs) @ np.abs(pairs.T) - signs @ pairs.T
    return np.asarray(twice_better < 2 * k - 0.5, np.float32)


def _metrics(means: FloatArray, at: int, others: list[int], k: int) -> FloatArray:
    """Return tau-b, reversal, Jaccard and displacement, shape ``(lines, other forms, 4)``."""
    signs, pairs = _pair_signs(means)
    untied = np.abs(signs)
    net = _with_reference(signs, at)[:, others]
    compared = _with_reference(untied, at)[:, others]
    strict = untied.sum(axis=-1, dtype=np.float64)
    ranks = _ranks(signs, pairs)
    displacement = np.abs(ranks[:, others] - ranks[:, [at]]).max(axis=-1)
    top = _in_top(signs, pairs, k)
    shared, sizes = _with_reference(top, at)[:, others], top.sum(axis=-1, dtype=np.float64)
    union = sizes[:, others] + sizes[:, [at]] - shared
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = net / np.sqrt(strict[:, others] * strict[:, [at]])
        reversal = (compared - net) / 2 / compared
    return np.stack([tau, reversal, shared / union, displacement], axis=-1)


def _with_reference(table: Signs, at: int) -> FloatArray:
    """Return the inner products of all forms with the reference form, shape ``(lines, forms)``."""
    return (table @ table[:, at, :, None])[:, :, 0].astype(np.float64)


def _explained(found: Sequence[Estimate], tasks: int) -> list[Estimate]:
    """Give each undefined metric its own reason."""
    return [
        e if e.value is not None else replace(e, n=tasks, why_undefined=_WHY[i % len(_WHY)])
        for i, e in enumerate(found)
    ]
