"""Grading as records: responses of models that people grade, how they were drawn, and the grades.

People see the question and the visible text of a response, and the reference or criterion where the
form says so; never a model, a condition or a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from core.study import PersonKind


@dataclass(frozen=True, slots=True)
class DrawnResponse:
    """One response of a sample, with what is known of it and no grader is told.

    Attributes
    ----------
    response, revision
        Of which generation, and the frozen text that it answers.
    verdict
        What the judge, or the panel's majority, had said when the sample was drawn; empty where no
        judge was asked for.
    strata
        What the sample was balanced over: condition, family, model, ...
    probability
        The chance that it had to be drawn, from its place among the responses that were there.
    """

    response: int
    revision: int
    scenario: str
    condition: str
    model: str
    verdict: str
    strata: Mapping[str, str]
    probability: Fraction


@dataclass(frozen=True, slots=True)
class Grading:
    """What makes a round a grading round: its sample.

    Attributes
    ----------
    document
        Runs, judges, strata, quotas, seed, what was there and what was left out.
    drawn
        The responses, by generation.
    hash
        The digest of the whole.
    """

    round: int
    document: Mapping[str, Any]
    drawn: tuple[DrawnResponse, ...]
    hash: str


@dataclass(frozen=True, slots=True)
class GivenGrade:
    """One person's answers to one response; no rating of an item, whatever its form asks."""

    round: int
    response: int
    person: str
    person_kind: PersonKind
    answers: Mapping[str, Any]
    comment: str
    seconds: float
    seat: int
    position: int
    created_at: str
    updated_at: str


def drawn_to_json(drawn: DrawnResponse) -> dict[str, Any]:
    """Return a drawn response as plain values, for canonical JSON."""
    return {
        "response": drawn.response,
        "revision": drawn.revision,
        "scenario": drawn.scenario,
        "condition": drawn.condition,
        "model": drawn.model,
        "verdict": drawn.verdict,
        "strata": dict(drawn.strata),
        "probability": str(drawn.probability),
    }


def drawn_from_json(found: Mapping[str, Any]) -> DrawnResponse:
    """Rebuild a drawn response from what :func:`drawn_to_json` gave."""
    return DrawnResponse(**{**found, "probability": Fraction(found["probability"])})
