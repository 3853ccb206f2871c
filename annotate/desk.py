"""A rater's desk: answers come one by one, and are saved when the last required one is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from annotate.items import Items
from annotate.sitting import RatingView
from core.forms import Answer
from ui.desk import Desk
from ui.state import State

RatingState = State[RatingView]


class RatingDesk(Desk[RatingView]):
    """One rater at work."""

    def __init__(
        self,
        sitting: Items,
        clock: Callable[[], float] = time.monotonic,
        *,
        advance: bool = True,
    ) -> None:
        super().__init__(sitting, clock, advance=advance)
        self.sitting = sitting

    def given(self, view: RatingView) -> Mapping[str, Answer]:
        """Return the answers so far."""
        return view.answers

    def _take(self, question: str, value: Answer) -> RatingState:
        answers = {**self.view.answers, question: value}
        if value == "":
            del answers[question]
        view = replace(self.view, answers=answers)
        return self._keep(view, last=_open(self.view) and not _open(view))

    def note(self, text: str) -> RatingState:
        """Take the comment on the item on the screen."""
        return self._keep(replace(self.view, comment=text))

    def _needed(self) -> Collection[str]:
        return [question.id for question in self.view.form.questions if question.required]

    def _complete(self, view: RatingView) -> bool:
        return not view.form.faults(view.answers, view.item.options)

    def _differs(self, draft: RatingView, stored: RatingView) -> bool:
        return (draft.answers, draft.comment) != (stored.answers, stored.comment)

    def _store(self, view: RatingView, seconds: float) -> None:
        self.sitting.save(view.answers, view.comment, seconds, self.WAIT)


def _open(view: RatingView) -> bool:
    return any(question.id not in view.answers for question in view.form.questions)
