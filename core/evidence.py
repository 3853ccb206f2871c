"""What people said: ratings, pair audits, and answers to training and checks; one value per row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.forms import Answer, Question
from core.items import LETTERS, Option
from core.study import PersonKind


@dataclass(frozen=True, slots=True)
class Quizzed:
    """An answer to a training item or an attention check."""

    name: str
    answer: str
    correct: bool
    turn: int = 1


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's answers to one item."""

    assignment: int
    answers: Mapping[str, Any]
    comment: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class GivenRating:
    """A rating beside what it was given to: what agreement and decisions are computed from."""

    round: int
    scenario: str
    condition: str
    revision: int
    options: tuple[Option, ...]
    gold: str | None
    list: int
    person: str
    person_kind: PersonKind
    answers: Mapping[str, Any]
    hash: str
    comment: str = ""
    seconds: float = 0.0
    seat: int = 0
    position: int = 0
    text: str = ""
    created_at: str = ""
    updated_at: str = ""

    def meaning(self, question: Question) -> Answer | None:
        """Return an answer as what it means: an action for the letter of an item's option.

        ``None`` when the question was left open.
        """
        answer: Answer | None = self.answers.get(question.id)
        if answer is None or not question.item_options:
            return answer
        actions = dict(zip(LETTERS, (option.action for option in self.options), strict=False))
        return actions.get(str(answer), answer)


@dataclass(frozen=True, slots=True)
class RatingEvent:
    """One version of a rating as it stood then: the first, or a later change of mind.

    Versions are numbered from 1; the last one is the rating.
    """

    rating: GivenRating
    number: int
    last: bool


@dataclass(frozen=True, slots=True)
class PairAudit:
    """An auditor's verdict on one pair."""

    pair: int
    only_intended: bool
    note: str = ""
    differences: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """What stood on one side of a pair: the condition, and which text of it."""

    condition: str = ""
    revision: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class GivenAudit:
    """A pair audit beside the scenario that it was given to, and what was shown on which side."""

    round: int
    scenario: str
    person: str
    person_kind: PersonKind
    only_intended: bool
    note: str
    hash: str
    differences: bool = False
    left: Side = Side()
    right: Side = Side()
    seat: int = 0
    position: int = 0
    created_at: str = ""
    updated_at: str = ""

    @property
    def pair(self) -> tuple[str, frozenset[tuple[str, int]]]:
        """What was compared, whichever side it stood on; other texts are another pair."""
        sides = (self.left, self.right)
        return self.scenario, frozenset((side.condition, side.revision) for side in sides)


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One version of an audit as it stood then, numbered from 1; the last one is the audit."""

    audit: GivenAudit
    number: int
    last: bool
