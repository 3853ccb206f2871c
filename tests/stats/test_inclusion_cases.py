"""The rule at every boundary: hand-worked cases from a table, and what must hold for all."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules import ConditionEvidence, InclusionRule, ScenarioEvidence, rule_from_json
from stats.inclusion import decide
from suites.core100.suite import SUITE

RULE = SUITE.rule
NAMES = (*RULE.decisive, *RULE.eligibility)
CASES = tomllib.loads(Path(__file__).with_name("inclusion_cases.toml").read_text("utf-8"))["case"]
ORDER = ("exclude", "revise", "include")


def shown(name: str, said: dict[str, Any], count: int = 5) -> ConditionEvidence:
    gold, other = ("heuristic", "heavy") if name == "Removed" else ("heavy", "heuristic")
    words = {"g": gold, "o": other, "b": "both", "d": "depends", "n": "neither"}
    return ConditionEvidence(
        name,
        gold,
        tuple(words[letter] for letter in said.get("choices", "g" * count)),
        tuple(said.get("confidence", [4] * count)),
        tuple(said.get("naturalness", [4] * count)),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_rule_on_a_hand_worked_case(case: dict[str, Any]) -> None:
    """Verdict, eligibility and every missed threshold are those of the working."""
    count = 4 if case.get("four") else 5
    rule = replace(RULE, **case.get("rule", {}))
    evidence = ScenarioEvidence(
        "S01",
        case.get("revision", 1),
        tuple(shown(name, case.get(name, {}), count) for name in NAMES),
        tuple(case.get("audits", [True, True])),
    )
    decision = decide(rule, evidence)
    assert case["working"]
    assert (decision.verdict, decision.cue_eligible) == (case["verdict"], case["eligible"])
    assert decision.reasons == tuple(case.get("missed", []))
    assert decision.lost == tuple(case.get("lost", []))


answers = st.lists(st.integers(1, 5), min_size=5, max_size=5)
choices = st.text("gobdn", min_size=5, max_size=5)
conditions = st.fixed_dictionaries(
    {"choices": choices, "confidence": answers, "naturalness": answers}
)
anything = st.builds(
    lambda said, audits, revision: ScenarioEvidence(
        "S01",
        revision,
        tuple(shown(name, each) for name, each in zip(NAMES, said, strict=True)),
        tuple(audits),
    ),
    st.lists(conditions, min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=2, max_size=2),
    st.integers(1, 3),
)
floors = st.sampled_from([1.0, 2.4, 3.0, 3.4, 3.5, 3.6, 4.2, 5.0])
LOOSER = {
    "agree_at_least": (st.integers(1, 5), -1),
    "abstain_at_most": (st.integers(0, 5), 1),
    "confidence_at_least": (floors, -1),
    "naturalness_at_least": (floors, -1),
    "rewrites": (st.integers(0, 3), 1),
}


@pytest.mark.parametrize("name", LOOSER)
@given(data=st.data(), evidence=anything)
def test_a_looser_threshold_never_costs_a_scenario(
    name: str, data: st.DataObject, evidence: ScenarioEvidence
) -> None:
    """Of two values of one threshold the looser one decides the same or better, and loses less."""
    values, sign = LOOSER[name]
    one, other = sorted((data.draw(values), data.draw(values)), key=lambda value: sign * value)
    strict, loose = (decide(replace(RULE, **{name: value}), evidence) for value in (one, other))
    assert ORDER.index(loose.verdict) >= ORDER.index(strict.verdict)
    assert loose.cue_eligible >= strict.cue_eligible
    assert set(_missed(loose)) <= set(_missed(strict))


def _missed(decision: Any) -> list[tuple[str | None, str]]:
    return [(f.condition, f.threshold) for f in decision.findings if not f.met]


@given(st.integers(1, 400), st.sampled_from(["confidence", "naturalness"]))
def test_a_mean_that_equals_its_floor_passes(pairs: int, question: str) -> None:
    """3, 4, 3, 4, ... has a mean of exactly 3.5 for any number of pairs; one 4 fewer has not."""
    n = 2 * pairs
    rule = InclusionRule("r", n, 1, 0, 1.0, 1.0, 0, ("A",), (), 1)
    rule = replace(rule, **{f"{question}_at_least": 3.5})
    exactly = [3, 4] * pairs
    below = [*exactly[:-1], 3]
    for said, verdict in ((exactly, "include"), (below, "revise")):
        given_ = {"confidence": (4,) * n, "naturalness": (4,) * n, question: tuple(said)}
        shown_ = ConditionEvidence("A", "heavy", ("heavy",) * n, **given_)
        assert decide(rule, ScenarioEvidence("S", 1, (shown_,), ())).verdict == verdict


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_every_mean_meets_itself_as_a_floor(said: list[int]) -> None:
    """A floor written as a decimal text is met by the fractions that equal it, and only from there
    on: no binary rounding of 0.1 comes between."""
    mean = Fraction(sum(said), len(said))
    for floor in (round(float(mean), 3), 3.3, 2.7, 1.1):
        rule = InclusionRule("r", len(said), 1, 0, floor, 1.0, 0, ("A",), (), 1)
        n = len(said)
        shown_ = ConditionEvidence("A", "heavy", ("heavy",) * n, tuple(said), (5,) * n)
        met = decide(rule, ScenarioEvidence("S", 1, (shown_,), ())).verdict == "include"
        assert met == (mean >= Fraction(str(floor)))


def test_a_floor_is_one_threshold_however_it_is_written() -> None:
    """3 and 3.0 in a file are the same rule, with the same hash."""
    value = {field: getattr(RULE, field) for field in RULE.__slots__}
    assert rule_from_json({**value, "naturalness_at_least": 3}) == RULE


def test_findings_carry_numbers() -> None:
    """Every finding says limit, value and n, so that programs need not read its words."""
    evidence = ScenarioEvidence("S", 1, tuple(shown(name, {}) for name in NAMES), (True, True))
    found = {(f.condition, f.threshold): f for f in decide(RULE, evidence).findings}
    confidence = found["Active", "mean confidence"]
    assert (confidence.limit, confidence.value, confidence.n) == (3.5, 4.0, 5)
    agree = found["Removed", "raters choosing heuristic"]
    assert (agree.limit, agree.value, agree.n) == (4, 5, 5)
    assert all(None not in (f.limit, f.value, f.n) for f in found.values())
