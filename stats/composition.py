"""Compositions of constraints (MOSAIC): one by one, in pairs, by position, by prompt.

Rows are responses in the order of their prompts' ids, columns are constraints. `position` says
where a prompt lists a constraint (1 first, 0 not at all), `followed` whether the response follows
it (1, 0, or NaN where it could not be scored). A rate rests on the responses whose prompt holds
the constraint: divided by all responses, as Eq. 1 is printed, no rate could exceed the share of
prompts that hold it. Intervals resample responses.

Source: "Deconstructing Instruction-Following" (MOSAIC), secs. 3.2 and 4, Tables 5-13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from core.estimate import Estimate, undefined
from stats import checks
from stats.draws import Draws, FloatArray
from stats.errors import StatisticsInputError
from stats.resample import bootstrap, iid

_MIN_PAIRS = 3
_MOST_PLACES = 10_000


@dataclass(frozen=True, slots=True)
class ConstraintCompliance:
    """SCC of one constraint, with the prompts that hold it and the responses not scored for it."""

    name: str
    rate: Estimate
    n_held: int
    n_unscored: int


@dataclass(frozen=True, slots=True)
class SingleCompliance:
    """SCC of all constraints, and its plain mean within each category (Tables 5 and 6)."""

    constraints: tuple[ConstraintCompliance, ...]
    categories: tuple[tuple[str, Estimate], ...]


@dataclass(frozen=True, slots=True)
class PairCompliance:
    """Two constraints together.

    Attributes
    ----------
    rate
        PCC: share of responses that follow both, among prompts that hold both.
    correlation
        Pearson r of the two 0/1 columns over the same responses; interval from the same resamples,
        p from Student's t with n - 2 degrees of freedom, as the paper's tables have it.
    n
        Responses to prompts that hold both, scored for both.
    """

    first: str
    second: str
    rate: Estimate
    correlation: Estimate
    n: int


@dataclass(frozen=True, slots=True)
class PositionCompliance:
    """PosCC: the rate at which the constraint at one position of the list is followed."""

    position: int
    rate: Estimate
    n_unscored: int


@dataclass(frozen=True, slots=True)
class PromptAccuracy:
    """PA: share of its prompt's constraints that a response follows.

    Attributes
    ----------
    mean
        Mean PA over responses with at least one scored constraint.
    perfect
        Share of responses that follow every constraint, among those decided: a constraint that is
        not followed decides, and so do all followed ones.
    n_empty
        Responses without any scored constraint.
    n_undecided
        Responses with an unscored constraint and no failed one.
    """

    mean: Estimate
    perfect: Estimate
    n_empty: int
    n_undecided: int


def single_compliance(
    followed: ArrayLike,
    position: ArrayLike,
    names: Sequence[str],
    *,
    categories: Mapping[str, str] | None = None,
    replicates: int = 2_000,
    seed: int,
) -> SingleCompliance:
    """Return the Single Constraint Compliance of every constraint (MOSAIC, Eq. 1).

    Parameters
    ----------
    followed, position
        Shape ``(responses, constraints)``.
    names
        Names of the constraints.
    categories
        The category of each name. A category's SCC is the plain mean of its constraints' SCC.

    Examples
    --------
    Two of three prompts hold "json" and one of the two follows it:

    >>> found = single_compliance([[1], [0], [np.nan]], [[1], [2], [0]], ["json"], seed=1)
    >>> found.constraints[0].rate.value, found.constraints[0].n_held
    (0.5, 2)
    """
    table = _Responses(followed, position, names)
    groups = _groups(table.names, categories or {})
    draws = table.draws(replicates, seed)

    def rates(weights: FloatArray) -> FloatArray:
        single = (weights @ table.hits) / (weights @ table.scored)
        pooled = [single[:, columns].mean(axis=1) for columns in groups.values()]
        return np.column_stack([single, *pooled])

    found = bootstrap(rates, draws, why="no response to a prompt that holds the constraint")
    n = table.scored.sum(axis=0).astype(int).tolist()
    held = table.held.sum(axis=0).tolist()
    constraints = tuple(
        ConstraintCompliance(name, replace(found[k], n=n[k]), held[k], held[k] - n[k])
        for k, name in enumerate(table.names)
    )
    pooled = zip(groups, found[len(n) :], strict=True)
    return SingleCompliance(constraints, tuple(pooled))


def pair_compliance(
    followed: ArrayLike,
    position: ArrayLike,
    names: Sequence[str],
    *,
    replicates: int = 2_000,
    seed: int,
) -> tuple[PairCompliance, ...]:
    """Return the Pairwise Constraint Compliance and Pearson r of all pairs (Tables 7-13).

    Parameters
    ----------
    followed, position, names
        As in :func:`single_compliance`.

    Returns
    -------
    tuple of PairCompliance
        All pairs in the order of `names`. r is undefined when fewer than three responses hold both
        (two always give +1 or -1), or when all of them treat one of the two alike.

    Examples
    --------
    >>> followed = [[1, 1], [1, 1], [0, 0], [0, 1]]
    >>> (pair,) = pair_compliance(followed, [[1, 2]] * 4, ["json", "short"], seed=1)
    >>> pair.rate.value, round(pair.correlation.value, 3), round(pair.correlation.p, 3)
    (0.5, 0.577, 0.423)
    """
    table = _Responses(followed, position, names)
    pairs = list(combinations(range(len(table.names)), 2))
    if not pairs:
        raise StatisticsInputError("names must hold at least two constraints to pair")
    sums = _PairSums(table, np.array(pairs, np.int64))
    draws = table.draws(replicates, seed)
    why = "no response to a prompt that holds both constraints"
    found = bootstrap(sums.rates_and_correlations, draws, why=why)
    n = sums.n.astype(int).tolist()
    return tuple(
        PairCompliance(
            table.names[i],
            table.names[j],
            replace(found[k], n=n[k]),
            _correlation(found[len(pairs) + k], n[k]),
            n[k],
        )
        for k, (i, j) in enumerate(pairs)
    )


def position_compliance(
    followed: ArrayLike, position: ArrayLike, *, replicates: int = 2_000, seed: int
) -> tuple[PositionCompliance, ...]:
    """Return Position-based Constraint Compliance for every position (MOSAIC, Eq. 2).

    Position p rests on the responses whose prompt lists at least p constraints.

    Examples
    --------
    >>> found = position_compliance([[1, 0], [0, 1]], [[1, 2], [2, 1]], seed=1)
    >>> [(p.position, p.rate.value) for p in found]
    [(1, 1.0), (2, 0.0)]
    """
    table = _Responses(followed, position, None)
    last = int(table.position.max())
    at = np.full((len(table.position), last), np.nan)
    listed = np.zeros(at.shape, bool)
    row, column = np.nonzero(table.position)
    at[row, table.position[row, column] - 1] = table.followed[row, column]
    listed[row, table.position[row, column] - 1] = True
    scored = np.isfinite(at)
    hits, base = np.where(scored, at, 0.0), scored.astype(np.float64)
    draws = table.draws(replicates, seed)
    why = "no scored response to a prompt with so many constraints"
    found = bootstrap(lambda weights: (weights @ hits) / (weights @ base), draws, why=why)
    n, unscored = scored.sum(axis=0).tolist(), (listed & ~scored).sum(axis=0).tolist()
    return tuple(
        PositionCompliance(p + 1, replace(found[p], n=n[p]), unscored[p]) for p in range(last)
    )


def prompt_accuracy(
    followed: ArrayLike, position: ArrayLike, *, replicates: int = 2_000, seed: int
) -> PromptAccuracy:
    """Return prompt-level accuracy (MOSAIC, Eq. 3) and the share of perfect responses.

    PA divides by the number of constraints that the response's own prompt lists.

    Examples
    --------
    >>> found = prompt_accuracy([[1, 0], [1, np.nan]], [[1, 2], [1, 0]], seed=1)
    >>> found.mean.value, found.perfect.value
    (0.75, 0.5)
    """
    table = _Responses(followed, position, None)
    scored = table.scored.sum(axis=1)
    hits = table.hits.sum(axis=1)
    some = scored > 0
    failed = hits < scored
    decided = some & (failed | (scored == table.held.sum(axis=1)))
    accuracy = hits[some] / scored[some]
    return PromptAccuracy(
        _mean(accuracy, replicates, seed),
        _mean((~failed[decided]).astype(np.float64), replicates, seed),
        int((~some).sum()),
        int((some & ~decided).sum()),
    )


class _Responses:
    """Checked input: who holds what, who follows what."""

    def __init__(
        self, followed: ArrayLike, position: ArrayLike, names: Sequence[str] | None
    ) -> None:
        self.followed = checks.shares("followed", followed, ndim=2)
        where = checks.numbers("position", position, ndim=2, missing=False)
        checks.same_shape(followed=self.followed, position=where)
        if ((self.followed > 0) & (self.followed < 1)).any():
            raise StatisticsInputError("followed must hold 1, 0 or NaN: apply the threshold first")
        if (where > _MOST_PLACES).any():
            raise StatisticsInputError(f"position must be at most {_MOST_PLACES}: places in a list")
        self.position = where.astype(np.int64)
        self.held: NDArray[np.bool_] = self.position > 0
        if (self.position != where).any() or (where < 0).any() or not self.held.any():
            raise StatisticsInputError("position must hold 0, 1, 2, ... and not only 0")
        if (np.isfinite(self.followed) & ~self.held).any():
            raise StatisticsInputError("followed has a score where position says not held: use NaN")
        self.names = list(names) if names is not None else []
        if names is not None and len(set(self.names)) != self.followed.shape[1]:
            raise StatisticsInputError(
                f"names must name each of the {self.followed.shape[1]} constraints once"
            )
        known = np.isfinite(self.followed)
        self.scored: FloatArray = known.astype(np.float64)
        self.hits: FloatArray = np.where(known, self.followed, 0.0)

    def draws(self, replicates: int, seed: int) -> Draws:
        """Return draws of responses."""
        return iid(len(self.followed), replicates=replicates, seed=seed, unit="response")


class _PairSums:
    """Weighted n, sum x, sum y and sum xy of every pair, by one matrix product.

    All are whole numbers below 2**24, which single precision holds exactly.
    """

    def __init__(self, table: _Responses, pairs: NDArray[np.int64]) -> None:
        first, second = pairs.T
        both = table.scored[:, first] * table.scored[:, second]
        x, y = table.hits[:, first] * both, table.hits[:, second] * both
        self.n: FloatArray = both.sum(axis=0)
        self.columns = np.hstack([both, x, y, x * y]).astype(np.float32)

    def rates_and_correlations(self, weights: FloatArray) -> FloatArray:
        """Return PCC of all pairs, then r of all pairs; NaN where undefined."""
        product = (weights.astype(np.float32) @ self.columns).astype(np.float64)
        n, x, y, xy = np.split(product, 4, axis=1)
        spread = (n * x - x * x) * (n * y - y * y)  # x is its own square
        return np.hstack([xy / n, (n * xy - x * y) / np.sqrt(spread)])


def _correlation(found: Estimate, n: int) -> Estimate:
    """Return r with Student's p, or why there is none."""
    if n < _MIN_PAIRS:
        return _void(found, f"n = {n}: a correlation needs at least three responses", n)
    if found.value is None:
        return _void(found, "all responses treat one of the two constraints alike", n)
    r = min(1.0, max(-1.0, found.value))
    if abs(r) == 1.0:
        return replace(found, value=r, n=n, p=0.0)
    t = abs(r) * np.sqrt((n - 2) / (1 - r * r))
    return replace(found, value=r, n=n, p=float(2 * stdtr(n - 2, -t)))


def _void(found: Estimate, reason: str, n: int) -> Estimate:
    """Return an estimate without a value, of the same draws."""
    bare = undefined(reason, n)
    return replace(bare, replicates=found.replicates, scheme=found.scheme, seed=found.seed)


def _groups(names: list[str], categories: Mapping[str, str]) -> dict[str, list[int]]:
    unknown = sorted(set(categories) - set(names))
    if unknown:
        raise StatisticsInputError(f"categories names unknown constraints: {unknown}")
    groups: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        if name in categories:
            groups.setdefault(categories[name], []).append(k)
    return groups


def _mean(values: FloatArray, replicates: int, seed: int) -> Estimate:
    if len(values) == 0:
        return undefined("no response has a scored constraint")
    draws = iid(len(values), replicates=replicates, seed=seed, unit="response")
    return bootstrap(lambda w: (w @ values) / w.sum(axis=1), draws)[0]
