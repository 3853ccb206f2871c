"""The one question of a pair audit, for screens and for typed lines."""

from __future__ import annotations

from dataclasses import dataclass

from audit.desk import NOTE, VERDICT
from core.forms import Choice, Form, Question


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
