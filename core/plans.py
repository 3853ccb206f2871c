"""What is planned before a round opens: its seats, and what each is to see, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.forms import Form
from core.rules import InclusionRule
from core.study import IDLE_LIMIT, Design, OnReplace, RoundKind, Source


@dataclass(frozen=True, slots=True)
class RaterSeat:
    """A planned seat for a rater: its list, and the revisions to show, in order.

    `positions` are their places when they are not 1, 2, 3, ..., as in an import with gaps. In a
    grading round `responses` are what is shown with each: generations that answer the revisions.
    """

    number: int
    list: int
    revisions: tuple[int, ...]
    positions: tuple[int, ...] = ()
    responses: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """A pair to audit: the revisions by side."""

    scenario: str
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class AuditorSeat:
    """A planned seat for an auditor: the pairs, in order.

    `positions` are their places when they are not 1, 2, 3, ..., as in an import with gaps.
    """

    number: int
    pairs: tuple[PlannedPair, ...]
    positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """Everything that is fixed before a round opens.

    `grading` is the document of a sample of responses, which makes it a grading round.
    """

    name: str
    kind: RoundKind
    design: Design
    ratings: int
    seed: int
    form: Form
    rule: InclusionRule
    pair: tuple[str, str]
    raters: tuple[RaterSeat, ...]
    auditors: tuple[AuditorSeat, ...]
    source: Source = "collected"
    on_replace: OnReplace = "keep"
    idle_limit: int = IDLE_LIMIT
    texts: Mapping[str, str] = field(default_factory=dict)
    grading: Mapping[str, Any] | None = None
