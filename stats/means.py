"""Means over what is there."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stats.schemes import FloatArray


def nan_mean(values: ArrayLike, axis: int = -1) -> FloatArray:
    """Return means along `axis`, NaN cells left out; NaN where nothing is left, without a warning.

    Examples
    --------
    >>> nan_mean([[1.0, 0.0, np.nan], [np.nan, np.nan, np.nan]]).tolist()
    [0.5, nan]
    """
    table = np.asarray(values, np.float64)
    known = ~np.isnan(table)
    sums = np.where(known, table, 0.0).sum(axis=axis)
    counts = known.sum(axis=axis, dtype=np.float64)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means
