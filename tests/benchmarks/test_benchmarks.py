"""The benchmarks run, and their report says what was measured; no test asserts a time."""

from __future__ import annotations

import importlib
import math
import os
import re

import pytest

from benchmarks.__main__ import CHILD, TAKEN_AWAY, clean, main, modules
from benchmarks._page import BEGIN, END, PAGE, Measured, block, machine, replaced, summary, verdict
from benchmarks._timing import Pairs, paired, peak_bytes, written

ROWS = (("work | a", 4.0, "at least 3"), ("work b", 3.0, "at most 2"), ("work c", 1.0, "none"))


@pytest.mark.parametrize("name", modules())
def test_every_module_runs_and_returns_well_formed_rows(name):
    """In a tiny size each module checks its numbers and returns what, ratio and goal."""
    module = importlib.import_module(f"benchmarks.{name}")
    rows = module.run(tiny=True)
    assert rows
    assert module.__doc__
    for what, ratio, goal in rows:
        assert what.strip()
        assert "|" not in what
        assert math.isfinite(ratio)
        assert ratio > 0
        assert verdict(ratio, goal) in ("met", "MISSED", "")


def test_modules_are_chosen_by_how_their_names_start():
    """All without a word, some with one; helpers are no benchmarks."""
    assert {"stats_agreement", "stats_bootstrap"} <= set(modules("stats"))
    assert modules("stats_agree") == ["stats_agreement"]
    assert modules("nothing") == []
    assert not any(name.startswith("_") for name in modules())


def test_an_unknown_word_is_refused_with_the_choices(capsys):
    """A word that no module starts with: exit code 2, and the names."""
    assert main(["nothing"]) == 2
    assert "stats_bootstrap" in capsys.readouterr().err


def test_measurements_run_without_the_variables_that_choose_an_old_kernel():
    """The child has neither of the two variables, one BLAS thread, and everything else."""
    found = clean({"HOME": "/h", "OPENBLAS_NUM_THREADS": "8", **dict.fromkeys(TAKEN_AWAY, "x")})
    assert found == {"HOME": "/h", "OPENBLAS_NUM_THREADS": "1", CHILD: "1"}


def test_goals_are_judged_and_missed_ones_named():
    """Met, missed or no goal; the summary names what is missed; other words are refused."""
    measured = [Measured("m", "About.", ROWS)]
    assert [verdict(ratio, goal) for _, ratio, goal in ROWS] == ["met", "MISSED", ""]
    assert summary(measured) == "1 of 2 goals met. Missed: work b."
    assert "| work b | 3.00 | at most 2 | MISSED |" in block(measured, ["somewhere"])
    with pytest.raises(ValueError, match="a goal is 'at least N'"):
        verdict(1.0, "fast")


def test_only_the_measured_part_of_the_page_is_replaced():
    """What stands before and after the markers stays; a page without them is refused."""
    page = replaced(f"before\n{BEGIN}\nold\n{END}\nafter\n", "new")
    assert page == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert replaced(page, "new") == page
    with pytest.raises(ValueError, match="lost its markers"):
        replaced("no markers", "new")


def test_the_page_holds_the_rows_of_every_module():
    """docs/performance.md was written from all modules, and says on what and when."""
    page = PAGE.read_text(encoding="utf-8")
    measured = page.partition(BEGIN)[2].partition(END)[0]
    for name in modules():
        assert f"### `benchmarks/{name}.py`" in measured
    assert re.search(r"measured on \d{4}-\d\d-\d\d", measured)
    assert "goals met" in measured


def test_the_machine_is_described_by_kind_not_by_name():
    """Processor, cores and versions, and never the host's name."""
    facts = "\n".join(machine())
    assert re.search(r"\d+ cores", facts)
    assert "numpy" in facts
    assert os.uname().nodename not in facts


def test_ratios_are_paired_and_their_median_counts():
    """Three pairs: ratios 10, 5 and 20, so 10; one slow moment on both sides changes none."""
    found = Pairs((1.0, 2.0, 1.0), (10.0, 10.0, 20.0))
    assert found.ratio == 10.0
    assert Pairs((100.0, 2.0, 1.0), (1000.0, 10.0, 20.0)).ratios == found.ratios


def test_both_sides_of_a_pair_are_run():
    """Each side runs once before, ours several times a pair; theirs is scaled up."""
    calls = []
    found = paired(
        lambda: calls.append("a"), lambda: calls.append("b"), pairs=2, inner=3, scale=1e6
    )
    assert calls == ["a", "b", "b", "a", "a", "a", "b", "a", "a", "a"]
    assert len(found.ratios) == 2


def test_peak_memory_sees_numpy_and_forgets_what_was_there():
    """A megabyte held for a moment counts; what is held outside does not."""
    outside = bytearray(5_000_000)
    assert 1_000_000 <= peak_bytes(lambda: bytearray(1_000_000)) < 1_100_000
    assert outside


def test_times_are_written_in_a_fitting_unit():
    """Milliseconds below a second, seconds above."""
    assert [written(t) for t in (0.0005, 0.042, 3.0)] == ["0.5 ms", "42 ms", "3.0 s"]
