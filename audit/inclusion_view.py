"""Decisions threshold by threshold, and what other thresholds would make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from audit.agreement import simulated
from audit.inclusion import cue_contrasts, decide_round, decisions_table, exploratory, titled
from audit.standing import rule_in_force, rule_of_decisions
from core.errors import InputError, NotFound
from core.hashing import digest_of
from core.rules import (
    MEANINGS,
    Decision,
    Finding,
    InclusionRule,
    rule_faults,
    rule_from_json,
    rule_to_json,
)
from core.study import Round, require_items
from core.tables import Cell, Column, Table
from db.file import StudyFile
from suites.registry import load
from suites.rules import require_fit

PAIR = "pair"
EXPLORATORY = "EXPLORATORY, nothing recorded"
# How a threshold is called above its column; the gold action stands in the cell's row.
SHORT = {
    "ratings": "ratings",
    "abstentions": "abstain",
    "mean confidence": "confidence",
    "mean naturalness": "naturalness",
    "audits": "audits",
}


def decision_tables(
    study: StudyFile, campaign: Round, scenario: str | None = None, *, whole: bool = False
) -> tuple[Table, ...]:
    """Return the decisions of a round and every threshold behind them, committed or as a preview.

    For reading there is an overview by condition; `whole`, for programs, is one table with a row
    per threshold.
    """
    committed = study.decisions.of_round(campaign.id)
    decisions = of_scenario(committed or decide_round(study, campaign), scenario)
    said = {
        "committed": bool(committed),
        "simulated": simulated(study, campaign),
        "exploratory": exploratory(study, campaign),
    }
    title = f"{titled(campaign, **said)}, threshold by threshold"
    if whole:
        return (thresholds_table(title, decisions),)
    if scenario:
        return (_of_one(title, decisions[0]),)
    return (decisions_table(campaign, decisions, **said), overview(title, decisions))


def round_rule_table(study: StudyFile, campaign: Round) -> Table:
    """Return the rule that a round is, or was, decided by."""
    require_items(campaign)
    rule = rule_of_decisions(study, campaign)
    amended = " (as amended)" if rule != campaign.rule else ""
    return rule_table(f"The rule of round {campaign.name}{amended}", rule)


def what_if(
    study: StudyFile, campaign: Round, changes: Mapping[str, Any], scenario: str | None = None
) -> Table:
    """Hold a round against changed thresholds; nothing is recorded, whatever comes of it."""
    rule = rule_in_force(study, campaign)
    tried = changed_rule(rule, changes)
    require_fit(tried, load(study.info.suite).conditions, campaign.form)
    before, after = (
        of_scenario(decide_round(study, campaign, each), scenario) for each in (rule, tried)
    )
    caveats = ["simulated ratings"] if simulated(study, campaign) else []
    return what_if_table(campaign, (rule, tried), (before, after), caveats)


def of_scenario(decisions: Sequence[Decision], scenario: str | None) -> tuple[Decision, ...]:
    """Return the decision on one scenario, or all."""
    found = tuple(d for d in decisions if scenario in (None, d.scenario))
    if not found:
        known = ", ".join(d.scenario for d in decisions)
        raise NotFound(f"no scenario {scenario!r} is in the round; there are: {known}")
    return found


def thresholds_table(title: str, decisions: Sequence[Decision]) -> Table:
    """Return a row per threshold: what was asked, what was found, on how many answers, met or not.

    A threshold that was not reached, because ratings or audits are missing, has no row.
    """
    return Table(
        name="thresholds",
        title=title,
        columns=(
            Column("scenario", "Scenario"),
            Column("verdict", "Verdict"),
            Column("cue", "cue contrasts"),
            Column("condition", "Condition"),
            Column("threshold", "Threshold"),
            Column("needed", "needed"),
            Column("found", "found"),
            Column("limit", "limit"),
            Column("value", "value"),
            Column("n", "n", "count"),
            Column("met", "met"),
        ),
        rows=tuple(
            {
                "scenario": decision.scenario,
                "verdict": decision.verdict,
                "cue": cue_contrasts(decision),
                "condition": finding.condition or PAIR,
                "threshold": finding.threshold,
                "needed": finding.needed,
                "found": finding.found,
                "limit": finding.limit,
                "value": finding.value,
                "n": finding.n,
                "met": "yes" if finding.met else "no",
            }
            for decision in decisions
            for finding in decision.findings
        ),
    )


def _of_one(title: str, decision: Decision) -> Table:
    """Return one decision for reading: what is the same in every row stands in the title."""
    long = "auditors agreeing that only the intended fact changed"
    found = tuple(
        replace(each, threshold="auditors agreeing") if each.threshold == long else each
        for each in decision.findings
    )
    table = thresholds_table(title, [replace(decision, findings=found)])
    same = ("scenario", "verdict", "cue", "limit", "value")
    cue = f", cue contrasts: {cue_contrasts(decision)}"
    return replace(
        table,
        title=f"{title}. {decision.scenario}: {decision.verdict}{cue}",
        columns=tuple(column for column in table.columns if column.key not in same),
    )


def overview(title: str, decisions: Sequence[Decision]) -> Table:
    """Return a row per scenario and condition with every threshold beside the other, for reading.

    What is missed is marked and says what was needed, so that it is seen without colour.
    """
    rows: list[Mapping[str, Cell]] = []
    for decision in decisions:
        conditions = dict.fromkeys(finding.condition for finding in decision.findings)
        for place, condition in enumerate(conditions):
            found = [f for f in decision.findings if f.condition == condition]
            rows.append(
                {
                    "scenario": decision.scenario if place == 0 else "",
                    "verdict": decision.verdict if place == 0 else "",
                    "condition": condition or PAIR,
                    **{_column(f.threshold): _cell(f) for f in found},
                }
            )
    columns = (
        Column("scenario", "Scenario"),
        Column("verdict", "Verdict"),
        Column("condition", "Condition"),
        Column("ratings", "given"),
        Column("agree", "agree"),
        Column("abstain", "abstain"),
        Column("confidence", "confidence"),
        Column("naturalness", "naturalness"),
    )
    notes = (
        "✗ is missed, with what was needed. given: ratings, or audits of the pair. agree: raters "
        "choosing the gold action, or auditors agreeing that only the intended fact changed.",
    )
    return Table("overview", title, columns, tuple(rows), notes)


def _column(threshold: str) -> str:
    name = SHORT.get(threshold, "agree")
    return "ratings" if name == "audits" else name


def _cell(finding: Finding) -> str:
    return finding.found if finding.met else f"✗ {finding.found} ({finding.needed})"


def rule_table(title: str, rule: InclusionRule) -> Table:
    """Return a rule field by field, with what each field asks for and the hash of them all."""
    rows = tuple(
        {"field": name, "value": _said(value), "meaning": MEANINGS[name]}
        for name, value in rule_to_json(rule).items()
    )
    columns = (Column("field", "Field"), Column("value", "Value"), Column("meaning", "Meaning"))
    return Table("rule", title, columns, rows, (f"Hash: {digest_of(rule_to_json(rule))}",))


def _said(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def changed_rule(rule: InclusionRule, changes: Mapping[str, Any]) -> InclusionRule:
    """Return a rule with some fields changed, checked as if it came from a file.

    Raises
    ------
    InputError
        For a field that no rule has, or a value out of range.
    """
    known = [field.name for field in fields(InclusionRule)]
    for name in changes:
        if name not in known:
            raise InputError(f"a rule has no {name!r}; fields are: {', '.join(known)}")
    changed = {**rule_to_json(rule), **changes}
    for _, fault in rule_faults(changed):
        raise InputError(f"--what-if: {fault}")
    return rule_from_json(changed)


def what_if_table(
    campaign: Round,
    rules: tuple[InclusionRule, InclusionRule],
    decisions: tuple[Sequence[Decision], Sequence[Decision]],
    caveats: Sequence[str],
) -> Table:
    """Return the scenarios that other thresholds would decide otherwise: exploratory, always."""
    before, after = decisions
    rows = tuple(
        {
            "scenario": one.scenario,
            "verdict": one.verdict,
            "instead": other.verdict,
            "cue": cue_contrasts(one),
            "cue_instead": cue_contrasts(other),
            "reasons": "; ".join((other if other.reasons else one).reasons),
            "status": "exploratory",
        }
        for one, other in zip(before, after, strict=True)
        if (one.verdict, cue_contrasts(one)) != (other.verdict, cue_contrasts(other))
    )
    asked = ", ".join(
        f"{name} {_said(value)} instead of {_said(rule_to_json(rules[0])[name])}"
        for name, value in rule_to_json(rules[1]).items()
        if value != rule_to_json(rules[0])[name]
    )
    title = f"What would change in round {campaign.name} with {asked or 'the same rule'}"
    return Table(
        name="what-if",
        title=f"{title} ({'; '.join([EXPLORATORY, *caveats])})",
        columns=(
            Column("scenario", "Scenario"),
            Column("verdict", "Verdict"),
            Column("instead", "would be"),
            Column("cue", "cue contrasts"),
            Column("cue_instead", "would be"),
            Column("reasons", "thresholds missed"),
            Column("status", "Status"),
        ),
        rows=rows,
        notes=(
            f"{len(rows)} of {len(before)} scenarios would be decided otherwise; "
            f"{_included(before)} included, {_included(after)} would be. The decision is taken by "
            "the preregistered rule alone.",
        ),
        empty="no scenario would be decided otherwise",
    )


def _included(decisions: Sequence[Decision]) -> int:
    return sum(decision.verdict == "include" for decision in decisions)
