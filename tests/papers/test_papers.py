"""The published numbers follow from the published tables, or it is known why they do not."""

from __future__ import annotations

import sys
from collections import Counter
from types import CodeType, FrameType

import pytest

from tests.papers.checks import PRINTED, SOURCES, Source, all_checks, main
from tests.papers.table import Check, Through

CHECKS = all_checks()

# How many numbers there are: more may come, none may go. The last is how many involve no statistic.
NUMBERS = {"wise": 266, "core100": 283, "mosaic": 66, "induction": 148}
AS_PRINTED = 85

# Every published number that does not follow, with the published value and ours: 18 findings and
# the bootstrap p without add-one; two of them, an interval and a range, have two wrong ends.
KNOWN = {
    ("wise", "Table 15 difference, AVOID - POS (points)"): (-31.1, -31.04762),
    ("wise", "Table 25 Fleiss' kappa of the exact-N judgments, from Table 24"): (0.54, 0.165613),
    ("wise", "Table 10 Holm p < .001 with B = 2,000 in a family of five"): (0.001, 0.0049975),
    ("core100", "sec. 6 pairs of models that Table 1's last column orders unlike SBA"): (0, 6),
    ("core100", "sec. 3 effect ratio under contradiction, all seven models, lowest"): (8.7, 4.2),
    ("core100", "sec. 3 effect ratio under neutral, all seven models, lowest"): (1.2, 0.5),
    ("mosaic", "abstract, models evaluated"): (5, 7),
    ("mosaic", "sec. 4.1 SCC of Flesch, highest"): (0.80, 0.8053),
    ("mosaic", "sec. 3.1 prompts of the full set, nearest under a uniform rule"): (
        765_472,
        765_504,
    ),
    ("mosaic", "sec. 3.1 prompts sampled, equal strata"): (4_000, 3_840),
    ("induction", "sec. 3.1 models above 50% at N = 3, fixed"): (6, 4),
    ("induction", "App. E.3 median N50, task"): (8, 6),
    ("induction", "Fig. 17 caption mean shift T=1 - T=0"): (-0.05, -0.0433333),
    ("induction", "Fig. 17(b) label r, T=0 against T=1 over six models"): (0.84, 0.986513),
    ("induction", "App. H average IF, OLMo 3.1 32B, task"): (0.22, 0.23),
    ("induction", "App. L non-unanimous share (%), from Table 13"): (11.2, 10.25),
    ("induction", "App. L non-unanimous persona conditions, low end (%)"): (10, 8),
    ("induction", "App. L non-unanimous persona conditions, high end (%)"): (15, 11),
    ("induction", "Table 5 interval is Table 2's, GPT-5.2, task, low end (%)"): (51, 52),
    ("induction", "Table 5 interval is Table 2's, GPT-5.2, task, high end (%)"): (62, 63),
    ("induction", "Table 5 interval is Table 2's, Hermes-4 70B, task, low end (%)"): (2, 1),
}


@pytest.mark.parametrize("check", CHECKS, ids=[f"{c.paper}: {c.number}" for c in CHECKS])
def test_published_number_follows_or_is_known_not_to(check):
    """Each number is within rounding of ours, or carries its known reason."""
    assert check.explained, str(check)


def test_every_number_has_its_own_name():
    """No number is counted twice."""
    names = Counter((check.paper, check.number) for check in CHECKS)
    assert [name for name, times in names.items() if times > 1] == []


def test_known_exceptions_are_the_listed_ones_and_differ_as_listed():
    """Each known exception is there once, still differs, and by as much as when it was found."""
    found = {(c.paper, c.number): (c.published, c.ours) for c in CHECKS if c.known}
    assert set(found) == set(KNOWN)
    for name, listed in KNOWN.items():
        assert found[name] == pytest.approx(listed, rel=1e-5), name


def test_no_number_has_been_lost():
    """There are at least as many numbers of every paper as when this was written."""
    counts = Counter(check.paper for check in CHECKS)
    assert all(counts[paper] >= least for paper, least in NUMBERS.items()), counts


@pytest.mark.parametrize("source", SOURCES, ids=[s.__module__ for s in SOURCES])
def test_numbers_went_through_the_functions_that_they_name(source):
    """Every number names a function of stats, and that function was called before it came."""
    for check, called in _watched(source):
        assert check.through is not None, str(check)
        assert check.through.__module__.startswith("stats."), str(check)
        assert check.through.__code__ in called, str(check)


def test_only_print_against_print_goes_without_a_statistic():
    """Numbers that name no function come from the sources that say so, and are no more than now."""
    without = [check for source in PRINTED for check in source()]
    assert all(check.through is None for check in without)
    assert len(without) == sum(check.through is None for check in CHECKS) <= AS_PRINTED


def test_one_line_per_number_and_exit_code_0(capsys):
    """`make papers` prints a line for every number and ends with the counts."""
    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("difference" in line and "published" in line for line in lines) == len(CHECKS)
    assert lines[-1] == f"all: {len(CHECKS)} numbers, 0 unexplained"


def test_a_wrong_number_is_seen():
    """A number off by more than its rounding is unexplained, and so is a known one that agrees."""
    number, count = Through("p", None).number, Through("p", None).count
    assert number("x", 0.54, 0.544, decimals=2).explained
    assert not number("x", 0.54, 0.546, decimals=2).explained
    assert number("x", 0.54, 0.6, decimals=2, reach=[0.5]).explained
    assert not number("x", 0.54, 0.541, decimals=2, known="because").explained
    assert not number("x", 0.54, None, decimals=2).explained
    assert not count("x", 12, 11).explained
    assert Through("p", None).below("x", 0.001, 0.0009).explained
    assert not Through("p", None).below("x", 0.001, 0.0011).explained
    assert "DOES NOT FOLLOW" in str(Check("p", "x", 1, 0, 2, 2, 2))


def _watched(source: Source) -> list[tuple[Check, set[CodeType]]]:
    """Return each number of a source with the code that had run when it came."""
    called: set[CodeType] = set()

    def watch(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call":
            called.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        return [(check, set(called)) for check in source()]
    finally:
        sys.setprofile(before)
