"""The one question of a pair audit, for screens and for typed lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from audit.desk import NOTE, VERDICT
from audit.sitting import AuditView
from core.forms import Answer, Choice, Form, Question


@dataclass(frozen=True, slots=True)
class Verdict(Question):
    """Yes or no, where no says what it means."""

    def answers(self, options: tuple[str, ...] = ()) -> tuple[Choice, ...]:
        """Return the two verdicts."""
        return Choice(True, "Yes", "y"), Choice(False, "No, something else changed too", "n")


FORM = Form(
    "pair audit",
    (
        Verdict(VERDICT, "yes-no", "Has exactly one fact changed, and nothing else?"),
        Question(NOTE, "text", "Note (optional)", required=False),
    ),
)


def given(view: AuditView) -> Mapping[str, Answer]:
    """Return the verdict and the note so far."""
    found: dict[str, Answer] = {}
    if view.only_intended is not None:
        found[VERDICT] = view.only_intended
    if view.note:
        found[NOTE] = view.note
    return found
