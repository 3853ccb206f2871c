"""Inclusion rules as data: the thresholds that decide what enters a benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any, Literal

from core.errors import InputError

Verdict = Literal["include", "revise", "exclude", "undecided"]
QUESTIONS = ("choice", "confidence", "naturalness")  # what everybody must have answered


@dataclass(frozen=True, slots=True)
class InclusionRule:
    """Thresholds per condition, and what missing one costs.

    Attributes
    ----------
    ratings
        How many ratings a condition must have before it can be judged.
    agree_at_least, abstain_at_most
        How many raters must choose the gold action, and how many may abstain (both, depends,
        neither).
    confidence_at_least, naturalness_at_least
        Floors for the mean answers.
    auditors
        How many auditors must have judged the pair; all of them must agree that only the
        intended fact changed.
    decisive
        Conditions in which a missed threshold fails the scenario.
    eligibility
        Conditions in which a missed threshold costs eligibility for cue contrasts only.
    rewrites
        How many rewrites a failing scenario may have before it is excluded.
    """

    name: str
    ratings: int
    agree_at_least: int
    abstain_at_most: int
    confidence_at_least: float
    naturalness_at_least: float
    auditors: int
    decisive: tuple[str, ...]
    eligibility: tuple[str, ...]
    rewrites: int


@dataclass(frozen=True, slots=True)
class ConditionEvidence:
    """What raters said of one item, already recoded from letters to actions."""

    condition: str
    gold: str
    choices: tuple[str, ...]
    confidence: tuple[int, ...]
    naturalness: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScenarioEvidence:
    """Everything that the rule may look at for one scenario."""

    scenario: str
    revision: int
    conditions: tuple[ConditionEvidence, ...]
    audits: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One threshold held against the evidence; `condition` is ``None`` for the pair audit."""

    condition: str | None
    threshold: str
    needed: str
    found: str
    met: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rule says of one scenario, threshold by threshold."""

    scenario: str
    verdict: Verdict
    cue_eligible: bool
    findings: tuple[Finding, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """The thresholds that were missed, as sentences for a reader."""
        return tuple(
            f"{finding.condition or 'pair'}: {finding.threshold} {finding.found}, "
            f"needed {finding.needed}"
            for finding in self.findings
            if not finding.met
        )


def rule_to_json(rule: InclusionRule) -> dict[str, Any]:
    """Return a rule as plain values, for canonical JSON."""
    return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(rule).items()}


def rule_from_json(value: Mapping[str, Any], source: str = "rule") -> InclusionRule:
    """Build a rule from TOML or JSON values.

    Raises
    ------
    InputError
        Naming the field that is missing or unknown.
    """
    names = {field.name for field in fields(InclusionRule)}
    if missing := sorted(names - set(value)):
        raise InputError(f"{source}: {missing[0]} is missing")
    if unknown := sorted(set(value) - names):
        raise InputError(f"{source}: unknown field {unknown[0]!r}")
    for field in fields(InclusionRule):
        if not _fits(value[field.name], str(field.type)):
            raise InputError(f"{source}: {field.name} cannot be {value[field.name]!r}")
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in value.items()}
    return InclusionRule(**plain)


def _fits(value: object, kind: str) -> bool:
    match kind:
        case "str":
            return isinstance(value, str)
        case "int":
            return type(value) is int and value >= 0
        case "float":
            return (
                isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
            )
        case _:
            return isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value)
