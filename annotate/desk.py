"""A rater's desk: answers come one by one, and are saved when the last required one is given."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from annotate.sitting import RatingSitting, RatingView
from core.forms import Answer
from ui.desk import Desk, State

RatingState = State[RatingView]


class RatingDesk(Desk[RatingView]):
    """One rater at work."""

    def __init__(self, sitting: RatingSitting, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(sitting, clock)
        self.sitting = sitting

    def answer(self, question: str, value: Answer) -> RatingState:
        """Take an answer to the item on the screen; an empty text takes one back."""
        answers = {**self.view.answers, question: value}
        if value == "":
            del answers[question]
        view = replace(self.view, answers=answers)
        return self._keep(view, last=_open(self.view) and not _open(view))

    def note(self, text: str) -> RatingState:
        """Take the comment on the item on the screen."""
        return self._keep(replace(self.view, comment=text))

    def _complete(self, view: RatingView) -> bool:
        return not view.form.faults(view.answers, view.item.options)

    def _differs(self, draft: RatingView, stored: RatingView) -> bool:
        return (draft.answers, draft.comment) != (stored.answers, stored.comment)

    def _store(self, view: RatingView, seconds: float) -> None:
        self.sitting.save(view.answers, view.comment, seconds)


def _open(view: RatingView) -> bool:
    return any(question.id not in view.answers for question in view.form.questions)
