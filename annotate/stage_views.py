"""What the screens of a rater's way are given: frozen values, and nothing that could bias.

None has a field for a scenario, a condition, a gold label, or the right answer to a question that
is still open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from annotate.sitting import RatingView

Ending = Literal["finished", "declined", "not passed"]


@dataclass(frozen=True, slots=True)
class ConsentView:
    """The consent text, Markdown: agreed to, or not."""

    text: str


@dataclass(frozen=True, slots=True)
class TextView:
    """A text to read and go on from, Markdown."""

    kind: Literal["instructions", "repeat"]
    text: str


@dataclass(frozen=True, slots=True)
class TrainingView:
    """A question about the task; `correct` and `feedback` say something once it is answered."""

    number: int
    total: int
    text: str
    choices: tuple[str, ...]
    turn: int
    turns: int
    given: str | None = None
    correct: bool | None = None
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class CheckView:
    """An attention check between two items."""

    text: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BreakView:
    """A reminder that a pause does no harm."""

    text: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class EndView:
    """The last page, Markdown; with a completion code when everything is done."""

    reason: Ending
    text: str
    code: str
    done: int
    total: int
    graded: bool = False  # whether responses were graded, and no items rated


StageView = ConsentView | TextView | TrainingView | RatingView | CheckView | BreakView | EndView
