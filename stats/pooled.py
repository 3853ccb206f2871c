"""Means over models and tasks with the interval schemes of WISE.

A table holds one value per model, task and column (a form's compliance, an error rate, ...),
repetitions already averaged. A pooled value is the plain mean over models of the model's mean over
tasks. Rows, one model on one task, are complete or left out: forms stay matched.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from stats import checks
from stats.draws import Draws, FloatArray
from stats.errors import StatisticsInputError
from stats.resample import replicate, replicate_means
from stats.schemes import equal_model_item, hierarchical, iid, model_item

Scheme = Literal["provider>model>item", "model>item", "equal-model item", "item cluster"]


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """Pooled values of all columns and their replicates, from one set of draws.

    Attributes
    ----------
    values
        Shape ``(columns,)``; NaN when a model has no complete row.
    replicates
        Shape ``(columns, replicates)``, or ``None`` when there is nothing to resample.
    draws
        The scheme and its seed.
    by_model
        Shape ``(models, columns)``: means over tasks, in the order in which models were given.
    n_dropped
        Incomplete rows that were left out.
    """

    values: FloatArray
    replicates: FloatArray | None
    draws: Draws
    by_model: FloatArray
    n_dropped: int


def pool(
    table: FloatArray,
    providers: Sequence[Hashable] | None,
    *,
    scheme: Scheme,
    replicates: int,
    seed: int,
) -> Pooled:
    """Pool a table over models and tasks.

    Parameters
    ----------
    table
        Shape ``(models, tasks, columns)``, NaN where missing; tasks in the order of their ids.
        Models and providers may come in any order: they are put into one that depends on their
        data only.
    providers
        The provider of each model; needed by ``provider>model>item``.
    scheme
        ``provider>model>item`` draws providers, models within drawn providers and tasks within
        drawn models; ``model>item`` draws models and tasks within them; ``equal-model item`` draws
        tasks within each model; ``item cluster`` draws tasks, with all their models.
    """
    if scheme not in get_args(Scheme):
        raise StatisticsInputError(f"scheme must be one of {get_args(Scheme)}, is {scheme!r}")
    table = checks.numbers("table", table, ndim=3)
    if 0 in table.shape:
        raise StatisticsInputError(f"the table is empty: its shape is {table.shape}")
    names = _provider_names(providers, len(table), needed=scheme == "provider>model>item")
    order = order_by_data(table, names)
    ordered = table[order]
    complete = np.asarray(~np.isnan(ordered).any(axis=2))
    sizes = complete.sum(axis=1)
    by_model = _means(ordered, complete)
    if scheme == "item cluster":
        draws, drawn = _clusters(ordered, complete, replicates, seed)
    else:
        of_row = [names[k] for k in order]
        draws, drawn = _nested(ordered, complete, of_row, scheme, replicates=replicates, seed=seed)
    if (sizes == 0).any():
        drawn = None
    back = np.empty_like(by_model)
    back[order] = by_model
    return Pooled(by_model.mean(axis=0), drawn, draws, back, int((~complete).sum()))


def order_by_data(table: FloatArray, providers: Sequence[Hashable]) -> NDArray[np.intp]:
    """Return an order of models, provider by provider, that no name and no storage order changes.

    Models are ordered by their values (first with the columns of each task sorted, so that the
    order of forms does not matter, then as they stand), providers by their models.

    Examples
    --------
    >>> table = np.array([[[0.9]], [[0.1]], [[0.5]]])
    >>> order_by_data(table, ["x", "y", "x"]).tolist()
    [1, 2, 0]
    """
    filled = np.nan_to_num(table, nan=-1.0)
    keys = [(np.sort(model, axis=1).ravel().tolist(), model.ravel().tolist()) for model in filled]
    of_provider: dict[Hashable, list[int]] = {}
    for k in sorted(range(len(keys)), key=keys.__getitem__):
        of_provider.setdefault(providers[k], []).append(k)
    groups = sorted(of_provider.values(), key=lambda models: [keys[k] for k in models])
    return np.array([k for models in groups for k in models], np.intp)


def _provider_names(
    providers: Sequence[Hashable] | None, models: int, *, needed: bool
) -> Sequence[Hashable]:
    if providers is None:
        if needed:
            raise StatisticsInputError("providers is missing: provider>model>item needs one each")
        return [0] * models
    if len(providers) != models:
        raise StatisticsInputError(f"providers has {len(providers)} names for {models} models")
    return providers if needed else [0] * models


def _means(table: FloatArray, complete: NDArray[np.bool_]) -> FloatArray:
    """Return each model's means over its complete tasks; NaN without any."""
    sums = np.where(complete[:, :, None], table, 0.0).sum(axis=1)
    counts = complete.sum(axis=1, dtype=np.float64)[:, None]
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _nested(
    table: FloatArray,
    complete: NDArray[np.bool_],
    provider: Sequence[Hashable],
    scheme: Scheme,
    *,
    replicates: int,
    seed: int,
) -> tuple[Draws, FloatArray | None]:
    """Draw rows within models; each drawn model counts the same, whatever its number of rows."""
    model, _task = np.nonzero(complete)
    rows = table[complete]
    if len(rows) == 0:
        return iid(1, replicates=replicates, seed=seed, scheme=scheme), None
    labels = model.tolist()
    if scheme == "provider>model>item":
        of_row = [provider[m] for m in labels]
        draws = hierarchical(of_row, labels, replicates=replicates, seed=seed)
    else:
        make = model_item if scheme == "model>item" else equal_model_item
        draws = make(labels, replicates=replicates, seed=seed)
    if draws.resampled < 2:
        return draws, None
    base = 1.0 / complete.sum(axis=1)[model]
    return draws, replicate_means(rows, draws, base=base)


def _clusters(
    table: FloatArray, complete: NDArray[np.bool_], replicates: int, seed: int
) -> tuple[Draws, FloatArray | None]:
    """Draw tasks with the rows of all models that have them."""
    tasks, columns = table.shape[1:]
    draws = iid(tasks, replicates=replicates, seed=seed, scheme="item cluster", unit="task")
    if tasks < 2:
        return draws, None
    filled = np.where(complete[:, :, None], table, 0.0).transpose(1, 0, 2)
    if complete.all():
        return draws, replicate_means(filled.mean(axis=1), draws)
    held = complete.T.astype(np.float64)
    flat = filled.reshape(tasks, -1)

    def over_models(weights: FloatArray) -> FloatArray:
        sums = (weights @ flat).reshape(len(weights), -1, columns)
        means: FloatArray = (sums / (weights @ held)[:, :, None]).mean(axis=1)
        return means

    return draws, replicate(over_models, draws)
