"""How numbers are written: never without their interval, never where there is none."""

from __future__ import annotations

from typing import Any

import pytest

from core.estimate import Estimate, undefined
from core.tables import Column
from exports.cells import lines, written


def column(unit: Any) -> Column:
    return Column("k", "Heading", unit)


@pytest.mark.parametrize(
    ("cell", "unit", "text"),
    [
        (None, "share", "–"),
        ("text", "text", "text"),
        ("text", "share", "text"),
        (1234567, "count", "1,234,567"),
        (0, "count", "0"),
        (0.5, "share", "0.500"),
        (1, "share", "1.000"),
        (0.5, "signed", "+0.500"),
        (-0.5, "signed", "-0.500"),
        (0.0, "signed", "0.000"),
        (-0.0, "signed", "0.000"),
        (-0.0001, "signed", "0.000"),
        (0.0001, "signed", "0.000"),
        (-0.0001, "share", "0.000"),
        (-0.0005001, "share", "-0.001"),
        (3.14159, "score", "3.14"),
        (-0.001, "score", "0.00"),
        (float("nan"), "share", "undefined"),
        (float("inf"), "score", "undefined"),
        (float("nan"), "text", "undefined"),
    ],
)
def test_plain_cells(cell: Any, unit: str, text: str) -> None:
    """Decimals and signs follow the unit, and a value that rounds to nothing has no sign."""
    assert written(cell, column(unit)) == text


@pytest.mark.parametrize(
    ("estimate", "unit", "parts"),
    [
        (Estimate(0.5238, 14, 0.3095, 0.738), "share", ("0.524", "[0.31, 0.74]")),
        (Estimate(0.14, 14, -0.214, 0.45), "signed", ("+0.140", "[-0.21, +0.45]")),
        (Estimate(-0.0001, 14, -0.001, 0.004), "signed", ("0.000", "[0.00, 0.00]")),
        (Estimate(4.2, 14, 4.0, 4.44), "score", ("4.20", "[4.00, 4.44]")),
        (Estimate(1.0, 14, 1.0, 1.0), "share", ("1.000", "[1.00, 1.00]")),
        (undefined("nobody answered"), "share", ("undefined:", "nobody answered")),
        (
            Estimate(0.5, 1, why_no_interval="one scenario"),
            "share",
            ("0.500", "(no interval: one scenario)"),
        ),
        (Estimate(0.5, 1), "share", ("0.500", "(no interval: not asked for)")),
    ],
)
def test_estimates(estimate: Estimate, unit: str, parts: tuple[str, ...]) -> None:
    """An estimate is its value and its interval, or the reason why one of them is missing."""
    assert lines(estimate, column(unit)) == parts
    assert written(estimate, column(unit)) == " ".join(parts)


def test_an_undefined_estimate_shows_no_digit() -> None:
    """What is undefined is never written as a number, not even as zero."""
    for unit in ("share", "signed", "score", "count", "text"):
        assert not any(c.isdigit() for c in written(undefined("no answer", 5), column(unit)))
