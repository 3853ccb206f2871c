"""The pair audit, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from core.items import ItemText, Option, Scenario
from core.tables import Table
from suites.core100.pair_audit import measures
from suites.core100.pool import scenarios
from tests.suites.core100.test_construction import TEXTS, sound

OPTIONS = (Option("heavy", "Buy hooks"), Option("heuristic", "Grab tape"))


def tables(*drafted: Scenario) -> dict[str, Table]:
    return {table.name: table for table in measures(drafted)}


def row(table: Table, contrast: str, measure: str) -> Any:
    return next(r for r in table.rows if (r["contrast"], r["measure"]) == (contrast, measure))


def scenario(name: str, active: str, removed: str) -> Scenario:
    items = (ItemText("Active", active, OPTIONS), ItemText("Removed", removed, OPTIONS))
    return Scenario(name, {}, items)


def test_measures_are_counted_by_hand() -> None:
    """Two pairs: one word exchanged, and three words added."""
    found = tables(scenario("B", "ab cd", "ab ce"), scenario("A", "ab", "ab x y z"))
    audit = found["pair-audit"]
    words = row(audit, "Active - Removed", "words apart")
    assert (words["mean"], words["worst"], words["met"], words["pairs"]) == (1.5, 3, 0.5, 2)
    # 2 of 10 characters are exchanged; 6 of 10 are added.
    alike = row(audit, "Active - Removed", "similarity")
    assert (alike["mean"], alike["worst"]) == (pytest.approx(0.6), pytest.approx(0.4))
    edits = row(audit, "Active - Removed", "token edits")
    assert (edits["mean"], edits["median"], edits["worst"]) == (2.0, 2.0, 3.0)
    assert row(audit, "Active - Removed", "minimal pair")["met"] == 0.5
    assert [r["scenario"] for r in found["pairs"].rows] == ["A", "B"]
    assert "rapidfuzz" in " ".join(audit.notes)


def test_every_contrast_is_there_and_the_clauses_match() -> None:
    """A sound scenario has four contrasts and two clauses of one length at one place."""
    found = tables(sound())
    assert len({r["contrast"] for r in found["pair-audit"].rows}) == 4
    (clauses,) = found["clauses"].rows
    assert (clauses["explicit"], clauses["control"]) == (
        "Glass pulls down hard.", "Glass cleans up well.",
    )  # fmt: skip
    assert (clauses["explicit_words"], clauses["control_words"]) == (4, 4)
    assert (clauses["place"], clauses["action_words"]) == ("same", "none")


def test_a_clause_with_a_word_of_an_action_is_flagged() -> None:
    """The word is named in the table as well as among the faults."""
    changed = TEXTS | {"Explicit": TEXTS["Active"].replace("mirror.", "mirror. It needs hooks.")}
    items = tuple(ItemText(name, text, OPTIONS) for name, text in changed.items())
    (clauses,) = tables(Scenario("T", {}, items))["clauses"].rows
    assert clauses["action_words"] == "hooks"


def test_the_pool_is_minimal_pairs() -> None:
    """All that ships meets the criterion of the paper."""
    assert row(tables(*scenarios())["pair-audit"], "Active - Removed", "minimal pair")["met"] == 1.0


def test_nothing_drafted_is_nothing_measured() -> None:
    """No pair, no row, and no number made up."""
    assert [table.rows for table in measures([])] == [(), (), ()]
