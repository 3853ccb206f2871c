"""Numbers as options: neither NaN nor without end, which pass through every comparison."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click
from click.types import FloatParamType


class Number(FloatParamType):
    """Any number that can be written down."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read a number, and refuse what is none."""
        found: float = super().convert(value, param, ctx)
        if not isfinite(found):
            self.fail(f"{value!r} is no number.", param, ctx)
        return found


class NumberRange(Number, click.FloatRange):
    """The same between bounds."""


class Whole(click.IntRange):
    """A whole number that a study file can hold."""

    def __init__(self, least: int = 0, most: int = 2**63 - 1) -> None:
        super().__init__(least, most)
