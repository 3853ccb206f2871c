"""Inclusion rules as data: the thresholds that decide what enters a benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any, Literal

from core.errors import InputError
from core.toml import Place, parse_toml, refuse_first

Verdict = Literal["include", "revise", "exclude", "undecided"]
QUESTIONS = ("choice", "confidence", "naturalness")  # what everybody must have answered
# What each field of a rule asks for, for readers.
MEANINGS = {
    "name": "what the rule is called",
    "ratings": "ratings that a condition must have, neither more nor fewer",
    "agree_at_least": "of them must choose the gold action",
    "abstain_at_most": "of them may answer both, depends or neither",
    "confidence_at_least": "floor of the mean confidence, reached when equal",
    "naturalness_at_least": "floor of the mean naturalness, reached when equal",
    "auditors": "auditors who judge the pair; all must agree",
    "decisive": "conditions in which a missed threshold fails the scenario",
    "eligibility": "added clauses: a missed threshold costs the contrast with that clause",
    "rewrites": "rewrites that a failing scenario may have",
}
SCALE_END = 9  # a form has at most nine points, one key each


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


# Of rounds that decide nothing: packets, and grading rounds.
NO_RULE = InclusionRule("none", 0, 0, 0, 0.0, 0.0, 0, (), (), 0)


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
    """One threshold held against the evidence; `condition` is ``None`` for the pair audit.

    `needed` and `found` are for readers; `limit` and `value` are the same as numbers, and `n` is
    how many answers the value rests on.
    """

    condition: str | None
    threshold: str
    needed: str
    found: str
    met: bool
    limit: float | None = None
    value: float | None = None
    n: int | None = None


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

    @property
    def lost(self) -> tuple[str, ...]:
        """The added clauses that an included scenario may not be contrasted with."""
        if self.verdict != "include":
            return ()
        missed = (finding.condition for finding in self.findings if not finding.met)
        return tuple(dict.fromkeys(condition for condition in missed if condition))


def rule_to_json(rule: InclusionRule) -> dict[str, Any]:
    """Return a rule as plain values, for canonical JSON."""
    return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(rule).items()}


def rule_from_json(value: Mapping[str, Any], source: str = "rule") -> InclusionRule:
    """Build a rule from stored values.

    Only that it is one is asked here: whether a stored threshold is the one that was
    preregistered, and so in its range, is for verification to say.

    Raises
    ------
    InputError
        Naming the field that is missing, unknown or of another kind.
    """
    for _, fault in _type_faults(value):
        raise InputError(f"{source}: {fault}")
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in value.items()}
    for field in fields(InclusionRule):
        if field.type == "float":  # 3 and 3.0 are one threshold, and have one hash
            plain[field.name] = float(plain[field.name])
    return InclusionRule(**plain)


def parse_rule(text: str, source: str) -> InclusionRule:
    """Read a rule from TOML.

    Raises
    ------
    InputError
        Naming source and line of the first fault.
    """
    value = parse_toml(text, source)
    refuse_first(rule_faults(value), text, source)
    return rule_from_json(value, source)


def rule_faults(value: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield where a rule that somebody writes has a fault; each check relies on those before it."""
    yield from _type_faults(value)
    yield from _range_faults(value)


def _type_faults(value: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    names = [field.name for field in fields(InclusionRule)]
    for name in names:
        if name not in value:
            yield (), f"{name} is missing"
    for name in value:
        if name not in names:
            yield (name,), f"unknown field {name!r}"
    for field in fields(InclusionRule):
        if not _fits(value[field.name], str(field.type)):
            yield (field.name,), f"{field.name} cannot be {value[field.name]!r}"


def _range_faults(value: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield thresholds that nothing could meet, or that nothing could miss."""
    if not value["name"].strip():
        yield ("name",), "name is empty"
    ratings = value["ratings"]
    ranges = {
        "ratings": (1, None),
        "agree_at_least": (1, ratings),
        "abstain_at_most": (0, ratings),
        "confidence_at_least": (1, SCALE_END),
        "naturalness_at_least": (1, SCALE_END),
    }
    for name, (least, most) in ranges.items():
        if value[name] < least or (most is not None and value[name] > most):
            upper = "or more" if most is None else f"to {most}"
            yield (name,), f"{name} is {value[name]}; it must be {least} {upper}"
    if not value["decisive"]:
        yield ("decisive",), "decisive names no condition, so that nothing could fail"
    named = [*value["decisive"], *value["eligibility"]]
    for condition in named:
        if named.count(condition) > 1:
            place = "eligibility" if condition in value["eligibility"] else "decisive"
            yield (place,), f"{condition!r} stands in the rule twice"


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
