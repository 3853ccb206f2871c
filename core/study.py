"""The records of a study that several packages share: one frozen value per row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import Refused
from core.forms import Form
from core.hashing import digest_of
from core.items import Option
from core.rules import InclusionRule

RoundKind = Literal["practice", "rehearsal", "pilot", "main"]
Design = Literal["latin-square", "crossed", "overlap"]
Role = Literal["rater", "auditor"]
PersonKind = Literal["human", "simulated", "model"]
Source = Literal["collected", "imported"]  # of ratings: by Wavelock, or by another tool
OnReplace = Literal["keep", "void"]  # what becomes of what a replaced person gave
PersonState = Literal["here", "left", "withdrawn", "erased"]
SeatState = Literal["free", "active", "idle", "done", "replaced"]
WaveKind = Literal["rated", "simulated", "declared"]
UNVALIDATED = "not human-validated"  # what is said of declared items, wherever they show
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
    grading: bool = False  # whether people grade responses of models in it, and rate no item

    @property
    def state(self) -> str:
        """``planned``, ``open`` or ``closed``."""
        if self.closed_at:
            return "closed"
        return "open" if self.opened_at else "planned"


def require_items(campaign: Round) -> None:
    """Refuse a grading round where items are asked about.

    Raises
    ------
    Refused
        When people grade responses in it.
    """
    if campaign.grading:
        raise Refused(
            f"round {campaign.name} grades responses, and rates no item; "
            f"see wavelock grading agreement {campaign.name}"
        )


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
    """One item on a seat's list, bound to the revision that will be shown.

    In a grading round it is a response to that revision: the number of a generation.
    """

    id: int
    seat: int
    position: int
    revision: int
    response: int | None = None


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
    """Items frozen together under one hash, which is the digest of `header`, its document."""

    id: int
    number: int
    kind: WaveKind
    header: Mapping[str, Any]
    hash: str
    created_at: str

    @property
    def pilot(self) -> bool:
        """Whether a pilot round decided what is in it."""
        rounds = self.header.get("rounds", {})
        return any(found.get("kind") == "pilot" for found in rounds.values())

    @property
    def label(self) -> str:
        """What every reader must know: ``rated, pilot``, ``declared, not human-validated``."""
        if self.kind == "declared":
            return f"declared, {UNVALIDATED}"
        return f"{self.kind}, pilot" if self.pilot else self.kind


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
    withdrawn: bool = False

    @property
    def name(self) -> str:
        """What people call it: ``S01/Active``."""
        return f"{self.scenario}/{self.condition}"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Frozen items in which an error was found, under the ledger entry that says so.

    `generations` are those that had been run on them, and are kept.
    """

    wave: int
    items: tuple[str, ...]
    reason: str
    entry: int
    generations: int
