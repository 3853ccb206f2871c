"""The records of a study that several packages share: one frozen value per row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.forms import Answer, Form, Question
from core.hashing import digest_of
from core.items import LETTERS, Option
from core.rules import InclusionRule

RoundKind = Literal["practice", "rehearsal", "pilot", "main"]
Design = Literal["latin-square", "crossed", "overlap"]
Role = Literal["rater", "auditor"]
PersonKind = Literal["human", "simulated", "model"]
Source = Literal["collected", "imported"]  # of ratings: by Wavelock, or by another tool
OnReplace = Literal["keep", "void"]  # what becomes of what a replaced person gave
PersonState = Literal["here", "left", "withdrawn", "erased"]
SeatState = Literal["free", "active", "idle", "done", "replaced"]
IDLE_LIMIT = (
    72 * 60
)  # minutes after which an idle seat counts as abandoned, unless planned otherwise


@dataclass(frozen=True, slots=True)
class StudyInfo:
    """What a study is called, and the salt that its option orders come from."""

    title: str
    suite: str
    salt: str
    created_at: str
    version: str


@dataclass(frozen=True, slots=True)
class Revision:
    """One text of one item, as it stands in the study: options are in the shown order."""

    id: int
    item: int
    scenario: str
    condition: str
    number: int
    text: str
    options: tuple[Option, ...]
    gold: str | None
    parameters: Mapping[str, Any]
    created_at: str = ""

    @property
    def hash(self) -> str:
        """The digest over all that is shown of it and meant by it."""
        return digest_of(
            {
                "text": self.text,
                "options": [{"action": o.action, "label": o.label} for o in self.options],
                "gold": self.gold,
                "parameters": dict(self.parameters),
            }
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The option labels as people see them, without what they mean."""
        return tuple(option.label for option in self.options)


@dataclass(frozen=True, slots=True)
class Round:
    """One campaign of rating and auditing under one plan."""

    id: int
    name: str
    kind: RoundKind
    design: Design
    ratings: int
    seed: int
    form: Form
    rule: InclusionRule
    pair: tuple[str, str]
    created_at: str
    opened_at: str | None
    closed_at: str | None
    source: Source = "collected"
    on_replace: OnReplace = "keep"
    idle_limit: int = IDLE_LIMIT

    @property
    def state(self) -> str:
        """``planned``, ``open`` or ``closed``."""
        if self.closed_at:
            return "closed"
        return "open" if self.opened_at else "planned"


@dataclass(frozen=True, slots=True)
class Seat:
    """A place in a plan: who may sit there is another matter."""

    id: int
    round: int
    role: Role
    number: int
    list: int


@dataclass(frozen=True, slots=True)
class SeatProgress:
    """How far a seat has come, and who sits there (a pseudonym, or nobody yet)."""

    seat: Seat
    person: str | None
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class SeatStatus:
    """How a seat is doing.

    Attributes
    ----------
    state
        ``free`` (nobody yet, or a person who withdrew), ``active`` (somebody at work just now),
        ``idle``, ``done``, or ``replaced`` (it waits for the replacement).
    last_at
        When the last answer of whoever sits there was saved.
    idle_minutes
        How long nothing has come from whoever sits there; ``None`` where nothing is waited for.
    abandoned
        Whether that is longer than the round allows. Finished work is never abandoned.
    """

    seat: Seat
    person: str | None
    state: SeatState
    done: int
    total: int
    last_at: str | None
    idle_minutes: int | None
    abandoned: bool


@dataclass(frozen=True, slots=True)
class Person:
    """A rater or auditor, known by pseudonym alone."""

    id: int
    pseudonym: str
    kind: PersonKind


@dataclass(frozen=True, slots=True)
class PersonStatus:
    """A person in the list of people: every seat they ever had, and what stands of theirs."""

    person: Person
    state: PersonState
    seats: tuple[str, ...]
    ratings: int
    audits: int


@dataclass(frozen=True, slots=True)
class CodeStatus:
    """An access code as the study knows it: by its handle, never by its secret."""

    handle: str
    seat_id: int
    round: str
    role: Role
    seat: int
    created_at: str
    revoked_at: str | None


@dataclass(frozen=True, slots=True)
class Assignment:
    """One item on a seat's list, bound to the revision that will be shown."""

    id: int
    seat: int
    position: int
    revision: int


@dataclass(frozen=True, slots=True)
class Quizzed:
    """An answer to a training item or an attention check."""

    name: str
    answer: str
    correct: bool
    turn: int = 1


@dataclass(frozen=True, slots=True)
class PairAssignment:
    """One pair on an auditor's list, with the side of each condition."""

    id: int
    seat: int
    position: int
    scenario: str
    left_revision: int
    right_revision: int


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


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A scenario that the researchers gave up: why, in a word to count by and in a sentence."""

    number: int
    scenario: str
    kind: str
    reason: str
    entry: int
    at: str


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One deciding event, chained to the one before by its hash."""

    sequence: int
    event: str
    payload: Mapping[str, Any]
    at: str
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Wave:
    """Items frozen together under one hash."""

    id: int
    number: int
    kind: Literal["rated", "simulated", "declared"]
    header: Mapping[str, Any]
    hash: str
    created_at: str


@dataclass(frozen=True, slots=True)
class WaveItem:
    """One frozen item: its document is canonical JSON of everything that is frozen of it."""

    id: int
    wave: int
    item: int
    revision: int
    scenario: str
    condition: str
    document: Mapping[str, Any]
    hash: str
