"""The published numbers follow from the published tables, or it is known why they do not."""

from __future__ import annotations

import pytest

from tests.papers.checks import all_checks, main
from tests.papers.table import Check, count, number

CHECKS = all_checks()


@pytest.mark.parametrize("check", CHECKS, ids=[f"{c.paper}: {c.number}" for c in CHECKS])
def test_published_number_follows_or_is_known_not_to(check):
    """Each number is within rounding of ours, or carries its known reason."""
    assert check.explained, str(check)


def test_one_line_per_number_and_exit_code_0(capsys):
    """`make papers` prints a line for every number and ends with the counts."""
    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("difference" in line for line in lines) == len(CHECKS)
    assert lines[-1] == f"all: {len(CHECKS)} numbers, 0 unexplained"


def test_a_wrong_number_is_seen():
    """A number off by more than its rounding is unexplained, and so is a known one that agrees."""
    assert number("p", "x", 0.54, 0.544, decimals=2).explained
    assert not number("p", "x", 0.54, 0.546, decimals=2).explained
    assert number("p", "x", 0.54, 0.6, decimals=2, reach=[0.5]).explained
    assert not number("p", "x", 0.54, 0.541, decimals=2, known="because").explained
    assert not count("p", "x", 12, 11).explained
    assert "DOES NOT FOLLOW" in str(Check("p", "x", 1, 0, 2, 2, 2))
