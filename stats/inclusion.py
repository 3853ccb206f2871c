"""The inclusion rule: from thresholds and evidence to a decision, and nothing else.

Source: Core-100, section 5 and appendix C (arXiv 2603.29025). At least 4 of 5 raters choose the
gold action, at most one abstains, mean confidence and mean naturalness reach their floors, per
condition; every auditor agrees that only the intended fact changed. An added clause that misses a
threshold costs eligibility for cue contrasts, not inclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from core.rules import (
    ConditionEvidence,
    Decision,
    Finding,
    InclusionRule,
    ScenarioEvidence,
    Verdict,
)

ABSTENTIONS = frozenset({"both", "depends", "neither"})


def decide(rule: InclusionRule, evidence: ScenarioEvidence) -> Decision:
    """Hold one scenario's evidence against the rule.

    Parameters
    ----------
    rule
        The thresholds.
    evidence
        Ratings per condition, recoded to actions, and the auditors' verdicts.

    Returns
    -------
    Decision
        ``undecided`` while ratings or audits are missing, ``include`` when every decisive
        threshold is met, otherwise ``revise`` while a rewrite is permitted, then ``exclude``.
        Findings list every threshold, met or not.

    Examples
    --------
    >>> rule = InclusionRule("r", 1, 1, 0, 3.5, 3.0, 1, ("Active",), (), 1)
    >>> active = ConditionEvidence("Active", "heavy", ("heavy",), (5,), (4,))
    >>> decide(rule, ScenarioEvidence("S01", 1, (active,), (True,))).verdict
    'include'
    """
    by_condition = {entry.condition: entry for entry in evidence.conditions}
    decisive = [
        finding
        for condition in rule.decisive
        for finding in _condition_findings(rule, condition, by_condition.get(condition))
    ]
    added = [
        finding
        for condition in rule.eligibility
        for finding in _condition_findings(rule, condition, by_condition.get(condition))
    ]
    audit = _audit_findings(rule, evidence.audits)
    return Decision(
        scenario=evidence.scenario,
        verdict=_verdict(rule, evidence, [*decisive, *audit], added),
        cue_eligible=all(finding.met for finding in [*decisive, *added, *audit]),
        findings=(*decisive, *added, *audit),
    )


def _verdict(
    rule: InclusionRule,
    evidence: ScenarioEvidence,
    decisive: Sequence[Finding],
    added: Sequence[Finding],
) -> Verdict:
    complete = ("ratings", "audits")
    if any(not f.met for f in [*decisive, *added] if f.threshold in complete):
        return "undecided"
    if all(finding.met for finding in decisive):
        return "include"
    return "revise" if evidence.revision <= rule.rewrites else "exclude"


def _condition_findings(
    rule: InclusionRule, condition: str, evidence: ConditionEvidence | None
) -> tuple[Finding, ...]:
    given = len(evidence.choices) if evidence else 0
    enough = _exactly(condition, "ratings", rule.ratings, given)
    if evidence is None or not enough.met:
        return (enough,)
    agree = sum(choice == evidence.gold for choice in evidence.choices)
    abstain = sum(choice in ABSTENTIONS for choice in evidence.choices)
    return (
        enough,
        Finding(
            condition,
            f"raters choosing {evidence.gold}",
            f">= {rule.agree_at_least}",
            f"{agree} of {given}",
            met=agree >= rule.agree_at_least,
            limit=rule.agree_at_least,
            value=agree,
            n=given,
        ),
        Finding(
            condition,
            "abstentions",
            f"<= {rule.abstain_at_most}",
            f"{abstain}",
            met=abstain <= rule.abstain_at_most,
            limit=rule.abstain_at_most,
            value=abstain,
            n=given,
        ),
        _floor(condition, "mean confidence", rule.confidence_at_least, evidence.confidence),
        _floor(condition, "mean naturalness", rule.naturalness_at_least, evidence.naturalness),
    )


def _exactly(condition: str | None, name: str, asked: int, given: int) -> Finding:
    return Finding(
        condition, name, f"{asked}", f"{given}", given == asked, limit=asked, value=given, n=given
    )


def _floor(condition: str, name: str, floor: float, answers: Sequence[int]) -> Finding:
    # Compared as fractions: a mean that equals the floor as it is written must not miss it.
    met = bool(answers) and sum(answers) >= Fraction(str(floor)) * len(answers)
    mean = sum(answers) / len(answers) if answers else None
    found = "not asked" if mean is None else f"{mean:.2f}"
    return Finding(
        condition, name, f">= {floor}", found, met, limit=floor, value=mean, n=len(answers)
    )


def _audit_findings(rule: InclusionRule, audits: Sequence[bool]) -> tuple[Finding, ...]:
    enough = _exactly(None, "audits", rule.auditors, len(audits))
    if not enough.met:
        return (enough,)
    agree = sum(audits)
    return (
        enough,
        Finding(
            None,
            "auditors agreeing that only the intended fact changed",
            f"{rule.auditors}",
            f"{agree}",
            met=agree == rule.auditors,
            limit=rule.auditors,
            value=agree,
            n=len(audits),
        ),
    )
