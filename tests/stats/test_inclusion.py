"""The inclusion rule on hand-worked cases, each on one of its edges."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules import ConditionEvidence, Decision, InclusionRule, ScenarioEvidence
from stats.inclusion import decide

RULE = InclusionRule(
    name="core100",
    ratings=5,
    agree_at_least=4,
    abstain_at_most=1,
    confidence_at_least=3.5,
    naturalness_at_least=3.0,
    auditors=2,
    decisive=("Active", "Removed"),
    eligibility=("Explicit", "SalienceControl"),
    rewrites=1,
)
H, W = "heavy", "heuristic"


def condition(
    name: str,
    choices: str = "",
    confidence: tuple[int, ...] = (4, 4, 4, 4, 4),
    naturalness: tuple[int, ...] = (4, 4, 4, 4, 4),
) -> ConditionEvidence:
    """One condition's evidence; choices as letters: h, w, b(oth), d(epends), n(either)."""
    gold = W if name == "Removed" else H
    words = {"h": H, "w": W, "b": "both", "d": "depends", "n": "neither", "g": gold}
    return ConditionEvidence(
        name, gold, tuple(words[c] for c in choices or "ggggg"), confidence, naturalness
    )


def evidence(
    *changed: ConditionEvidence, audits: tuple[bool, ...] = (True, True), revision: int = 1
) -> ScenarioEvidence:
    """Return sound evidence with some conditions changed."""
    names = (*RULE.decisive, *RULE.eligibility)
    found = {name: condition(name) for name in names} | {e.condition: e for e in changed}
    return ScenarioEvidence("S01", revision, tuple(found.values()), audits)


def missed(decision: Decision) -> list[tuple[str | None, str, str]]:
    return [(f.condition, f.threshold, f.found) for f in decision.findings if not f.met]


def test_sound_evidence_is_included() -> None:
    """Everybody agreeing is included, eligible, with every threshold listed and met."""
    decision = decide(RULE, evidence())
    assert (decision.verdict, decision.cue_eligible, decision.reasons) == ("include", True, ())
    assert len(decision.findings) == 4 * 5 + 2


@pytest.mark.parametrize(
    ("name", "choices", "verdict"),
    [
        ("Active", "hhhhw", "include"),  # exactly 4 of 5
        ("Active", "hhhhb", "include"),  # 4 of 5, and exactly one abstention
        ("Active", "hhhww", "revise"),  # 3 of 5
        ("Active", "hhhbw", "revise"),  # 3 of 5, though only one chose otherwise
        ("Active", "hhhbd", "revise"),  # two abstentions
        ("Active", "wwwww", "revise"),  # all agree, on the other action
        ("Removed", "wwwwh", "include"),
        ("Removed", "wwwww", "include"),
        ("Removed", "wwwhh", "revise"),
        ("Removed", "hhhhh", "revise"),
        ("Removed", "wwwwn", "include"),
        ("Removed", "wwwnd", "revise"),
    ],
)
def test_four_of_five_choose_what_was_intended(name: str, choices: str, verdict: str) -> None:
    """At least 4 of 5 choose heavy in Active and heuristic in Removed."""
    assert decide(RULE, evidence(condition(name, choices))).verdict == verdict


@pytest.mark.parametrize("abstention", ["b", "d", "n"])
def test_one_abstention_is_one_too_few_for_two(abstention: str) -> None:
    """Both, depends and neither each abstain; one is permitted, the second is a finding."""
    loose = replace(RULE, agree_at_least=3)
    one = decide(loose, evidence(condition("Active", f"hhhh{abstention}")))
    two = decide(loose, evidence(condition("Active", f"hhh{abstention}b")))
    assert one.verdict == "include"
    assert missed(two) == [("Active", "abstentions", "2")]


@pytest.mark.parametrize(
    ("answers", "verdict", "mean"),
    [
        ((3, 4, 3, 4, 3), "revise", "3.40"),
        ((3, 4, 3, 4, 4), "include", "3.60"),
        ((5, 5, 5, 1, 1), "revise", "3.40"),
    ],
)
def test_the_floor_of_confidence(answers: tuple[int, ...], verdict: str, mean: str) -> None:
    """The mean confidence of a decisive condition must reach 3.5."""
    decision = decide(RULE, evidence(condition("Removed", confidence=answers)))
    assert decision.verdict == verdict
    (finding,) = [
        f for f in decision.findings if (f.condition, f.threshold) == ("Removed", "mean confidence")
    ]
    assert finding.found == mean


def test_a_mean_of_exactly_the_floor_is_enough() -> None:
    """A mean of exactly 3.5 (four raters) and of exactly 3.0 meets its floor."""
    four = replace(RULE, ratings=4, agree_at_least=3)
    shown = [
        condition(name, "gggg", (3, 4, 3, 4), (3, 3, 3, 3))
        for name in (*RULE.decisive, *RULE.eligibility)
    ]
    assert decide(four, evidence(*shown)).verdict == "include"
    below = condition("Active", "gggg", (3, 4, 3, 4), (3, 3, 3, 2))
    assert missed(decide(four, evidence(*shown, below))) == [("Active", "mean naturalness", "2.75")]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9), st.integers(10, 50))
def test_a_floor_is_never_missed_by_a_rounding_error(answers: list[int], tenths: int) -> None:
    """A mean that is exactly the floor, as the rule writes it in tenths, meets it."""
    n = len(answers)
    rule = replace(
        RULE, ratings=n, agree_at_least=n, confidence_at_least=tenths / 10, decisive=("A",),
        eligibility=(),
    )  # fmt: skip
    shown = ConditionEvidence("A", H, (H,) * n, tuple(answers), (5,) * n)
    decision = decide(rule, ScenarioEvidence("S", 1, (shown,), (True, True)))
    assert (decision.verdict == "include") == (10 * sum(answers) >= tenths * n)


@pytest.mark.parametrize(
    ("audits", "verdict"),
    [
        ((True, True), "include"),
        ((True, False), "revise"),
        ((False, True), "revise"),
        ((False, False), "revise"),
        ((True,), "undecided"),
        ((), "undecided"),
        ((True, True, True), "undecided"),
    ],
)
def test_both_auditors_must_agree(audits: tuple[bool, ...], verdict: str) -> None:
    """Split auditors fail the pair; a missing audit leaves the scenario undecided."""
    decision = decide(RULE, evidence(audits=audits))
    assert decision.verdict == verdict
    assert decision.cue_eligible == (verdict == "include")


@pytest.mark.parametrize("name", [*RULE.decisive, *RULE.eligibility])
def test_a_missing_rating_leaves_a_scenario_undecided(name: str) -> None:
    """Four ratings of five decide nothing, in any condition and however they agree."""
    decision = decide(RULE, evidence(condition(name, "gggg", (4,) * 4, (4,) * 4)))
    assert decision.verdict == "undecided"
    assert missed(decision) == [(name, "ratings", "4")]


@pytest.mark.parametrize("name", [*RULE.decisive, *RULE.eligibility])
def test_an_unrated_condition_leaves_a_scenario_undecided(name: str) -> None:
    """A condition that nobody rated is said to have no ratings."""
    found = evidence()
    without = replace(found, conditions=tuple(c for c in found.conditions if c.condition != name))
    assert missed(decide(RULE, without)) == [(name, "ratings", "0")]


def test_more_ratings_than_planned_decide_nothing() -> None:
    """Exactly-k is not overshot in silence: six ratings are not the five that were planned."""
    six = condition("Active", "gggggg", (4,) * 6, (4,) * 6)
    assert decide(RULE, evidence(six)).verdict == "undecided"


def test_a_reversed_pair_fails_twice() -> None:
    """Raters who decide the other way round in both conditions fail both, by name."""
    decision = decide(RULE, evidence(condition("Active", "wwwww"), condition("Removed", "hhhhh")))
    assert decision.verdict == "revise"
    assert missed(decision) == [
        ("Active", "raters choosing heavy", "0 of 5"),
        ("Removed", "raters choosing heuristic", "0 of 5"),
    ]
    assert decision.reasons[0] == "Active: raters choosing heavy 0 of 5, needed >= 4"


@pytest.mark.parametrize(
    ("revision", "rewrites", "verdict"),
    [(1, 1, "revise"), (2, 1, "exclude"), (3, 1, "exclude"), (1, 0, "exclude"), (2, 2, "revise")],
)
def test_a_failure_is_rewritten_as_often_as_permitted(
    revision: int, rewrites: int, verdict: str
) -> None:
    """The first text is revised, its rewrite is excluded: one rewrite and no more."""
    rule = replace(RULE, rewrites=rewrites)
    assert decide(rule, evidence(audits=(True, False), revision=revision)).verdict == verdict
    assert decide(rule, evidence(revision=revision)).verdict == "include"


@pytest.mark.parametrize("name", RULE.eligibility)
@pytest.mark.parametrize(
    "change",
    [
        {"choices": "hhhww"},
        {"choices": "hhhbd"},
        {"confidence": (3, 3, 3, 3, 3)},
        {"naturalness": (2, 3, 3, 3, 3)},
    ],
)
def test_an_added_clause_costs_eligibility_alone(name: str, change: dict[str, str]) -> None:
    """A threshold missed by Explicit or SalienceControl costs cue contrasts, not inclusion."""
    decision = decide(RULE, evidence(condition(name, **change)))  # type: ignore[arg-type]
    assert (decision.verdict, decision.cue_eligible) == ("include", False)
    assert {found[0] for found in missed(decision)} == {name}


def test_a_scenario_that_fails_is_not_eligible_either() -> None:
    """Cue contrasts rest on included scenarios only."""
    decision = decide(RULE, evidence(condition("Active", "wwwww")))
    assert not decision.cue_eligible


@given(st.permutations(["g", "g", "g", "g", "w"]), st.permutations([5, 4, 3, 3, 3]))
def test_the_order_of_raters_does_not_matter(choices: list[str], confidence: list[int]) -> None:
    """Who was first to rate changes nothing."""
    shown = condition("Active", "".join(choices), tuple(confidence))
    assert decide(RULE, evidence(shown)) == decide(
        RULE, evidence(condition("Active", "ggggw", (5, 4, 3, 3, 3)))
    )
