"""Suites are found by their packages, and each is whole."""

from __future__ import annotations

import pytest

from core.errors import NotFound
from evals.verifiers.catalogue import verifier
from suites.registry import load, names


def test_suites_are_found_without_a_list() -> None:
    """Every package below ``suites`` with a suite is known by its name."""
    assert "core100" in names()
    assert list(names()) == sorted(names())


def test_an_unknown_suite_is_named_beside_the_known() -> None:
    """A wrong name is answered with the right ones, also when it looks like a path."""
    for wrong in ("nosuch", "", "../core100", "base", "registry"):
        with pytest.raises(NotFound, match=r"there is no suite .*; suites are: .*core100"):
            load(wrong)


@pytest.mark.parametrize("name", names())
def test_a_suite_is_whole(name: str) -> None:
    """Each suite's pair, run and rule speak of its own conditions; its verifiers exist."""
    suite = load(name)
    assert suite.name == name
    known = set(suite.conditions)
    assert len(known) == len(suite.conditions)
    assert set(suite.pair) <= known
    assert set(suite.run_conditions) <= known
    assert set(suite.surveyed) <= known - set(suite.run_conditions)
    assert suite.run_defaults.samples >= 1
    assert {*suite.rule.decisive, *suite.rule.eligibility} <= known
    for verifier_name in suite.verifiers:
        assert verifier(verifier_name).name == verifier_name
    scenarios = suite.scenarios()
    assert len({scenario.id for scenario in scenarios}) == len(scenarios) > 0
    for scenario in scenarios:
        assert {item.condition for item in scenario.items} <= known
        for item in scenario.items:
            assert item.gold is None or item.gold in {option.action for option in item.options}


@pytest.mark.parametrize("name", names())
def test_drafting_twice_gives_the_same_drafts(name: str) -> None:
    """What ships is data: reading it again changes nothing."""
    assert load(name).scenarios() == load(name).scenarios()
