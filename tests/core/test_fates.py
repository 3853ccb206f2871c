"""What became of a candidate follows from what stands, what was shown and what was decided."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fates import FATES, Candidate, Judged, changed, counted_by_fate, fate_of, rewrites
from core.rules import Decision, Finding
from core.study import Exclusion

TEXTS = st.dictionaries(st.sampled_from(["Active", "Removed"]), st.integers(1, 3), min_size=1)
MISSED = Finding("Removed", "agree", "4", "3", met=False)
GIVEN_UP = Exclusion(1, "S01", "contestable", "people differ", 7, "")


def judged(verdict: Any, shown: dict[str, int] | None = None) -> Judged:
    decision = Decision("S01", verdict, False, (MISSED,))
    return Judged("r1", decision, shown or {"Active": 1}, ("Active", "Removed"))


@given(st.lists(TEXTS, max_size=6))
def test_rewrites_count_changes_between_showings(versions: list[dict[str, int]]) -> None:
    """Never more than there are steps, and showing a text again changes nothing."""
    count = rewrites(versions)
    assert 0 <= count <= max(0, len(versions) - 1)
    assert rewrites([version for version in versions for _ in "ab"]) == count


def test_a_condition_that_was_not_shown_is_no_change() -> None:
    """Only what both texts have can differ."""
    assert not changed({"Active": 1}, {"Removed": 2})
    assert not changed({"Active": 1}, {"Active": 1, "Removed": 2})
    assert changed({"Active": 1, "Removed": 1}, {"Active": 1, "Removed": 2})


CASES: dict[str, tuple[tuple[Any, ...], str, str]] = {
    "frozen": ((2, None, judged("include")), "frozen", "wave 2"),
    "declared": ((1, None, None), "frozen", "wave 1"),
    "given up": ((None, GIVEN_UP, judged("revise")), "excluded", "contestable"),
    "by the rule": (
        (None, None, judged("exclude")), "excluded", "failed after its permitted rewrites",
    ),
    "failed": ((None, None, judged("revise")), "failed", "failed round r1"),
    "rewritten": (
        (None, None, judged("revise", {"Active": 3})), "open", "rewritten, not rated again yet",
    ),
    "passed and rewritten": (
        (None, None, judged("include", {"Active": 3})), "open", "rewritten, not rated again yet",
    ),
    "passed": ((None, None, judged("include")), "open", "included, not frozen yet"),
    "fresh": ((None, None, None), "open", "not rated yet"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_fate(case: str) -> None:
    """One fate per candidate, with what it is counted under."""
    (wave, exclusion, decision), fate, kind = CASES[case]
    found = fate_of(wave, exclusion, decision, {"Active": 1}, rated=False)
    assert found[:2] == (fate, kind)
    if case in ("by the rule", "failed"):
        assert found[2] == "round r1: Removed: agree 3, needed 4"


def test_rated_but_not_decided_is_said() -> None:
    """A candidate that people have seen is not called unseen."""
    assert fate_of(None, None, None, {}, rated=True)[1] == "not decided yet"


@given(st.lists(st.tuples(st.sampled_from(FATES), st.sampled_from("ab")), max_size=20))
def test_counts_add_up(fates: list[Any]) -> None:
    """Every candidate is counted once."""
    found = [Candidate(str(n), f, k, "", None, (), 0) for n, (f, k) in enumerate(fates)]
    counts = counted_by_fate(found)
    assert sum(counts.values()) == len(found)
    assert [fate for fate, _ in counts] == sorted((f for f, _ in counts), key=FATES.index)
