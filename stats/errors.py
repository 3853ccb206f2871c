"""The one error that the statistics raise on purpose."""

from __future__ import annotations

from core.errors import InputError


class StatisticsInputError(ValueError, InputError):
    """What was handed to a statistic cannot be computed on: the sentence names the argument.

    A statistic that is *undefined* for good data is no error: it is an
    :class:`~core.estimate.Estimate` that says why it has no value.
    """
