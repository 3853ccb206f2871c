"""A rater's sitting: what comes next, what a valid answer is, and when it is saved.

The screens draw what this gives and post what a person did; every rule is here, without Textual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.evidence import Rating
from core.forms import Answer, Form
from core.items import BlindItem
from core.study import Assignment, Revision, Seat
from ui.sitting import Held, ListSitting

if TYPE_CHECKING:  # the first screen is painted before what reads a study is loaded
    from db.file import StudyFile


@dataclass(frozen=True, slots=True)
class RatingView:
    """Everything that a rating screen draws: the blind item, and what this rater said of it."""

    item: BlindItem
    form: Form
    total: int
    done: int
    answers: Mapping[str, Answer]
    comment: str
    saved: bool

    @property
    def number(self) -> int:
        """The item's place in the rater's own list, from 1."""
        return self.item.number


class RatingSitting(ListSitting["StudyFile", Assignment, Rating, RatingView]):
    """One person at one seat of an open round, with items to rate.

    A finished one begins past its last item, which can still be looked at and changed.
    """

    ROLE = "rater"
    ELSEWHERE = "this code is for auditing; start it with: wavelock audit"

    def __init__(self, study: StudyFile, seat: Seat, held: Held) -> None:
        super().__init__(study, seat, held)
        self._form = study.rounds.round(seat.round).form

    def _planned(
        self,
    ) -> tuple[Sequence[Assignment], Mapping[int, Rating], Mapping[int, int]]:
        ratings, seat = self._study.ratings, self._seat.id
        return self._study.rounds.assignments(seat), ratings.of_seat(seat), ratings.authors(seat)

    @property
    def assignment(self) -> Assignment:
        """The current place on the list of the plan; for what is stored, never for a screen."""
        return self._list[self._place]

    @property
    def first(self) -> int:
        """The position in the plan of the first item on this person's list."""
        return self._list[0].position if self._list else 0

    @property
    def graded(self) -> bool:
        """Whether responses are graded at this seat, and no items rated."""
        return bool(self._list) and self._study.gradings.shown(self._list[0].id) is not None

    @property
    def form(self) -> Form:
        """The questions of this round."""
        return self._form

    def view(self) -> RatingView:
        """Return the current item as the screen may see it."""
        assignment, revision = self._list[self._place], self.revision()
        rating = self._given.get(assignment.id)
        return RatingView(
            item=BlindItem(
                self._place + 1,
                revision.text,
                revision.labels,
                self._study.gradings.shown(assignment.id),
            ),
            form=self._form,
            total=self.total,
            done=self.done,
            answers=dict(rating.answers) if rating else {},
            comment=rating.comment if rating else "",
            saved=rating is not None,
        )

    def revision(self) -> Revision:
        """Return the current item with all that is known of it; for simulators, never a screen."""
        return self._study.items.revision(self._list[self._place].revision)

    def save(
        self,
        answers: Mapping[str, Answer],
        comment: str = "",
        seconds: float = 0.0,
        wait: float | None = None,
    ) -> RatingView:
        """Store the answers to the current item; when this returns, they are on disk.

        Saving what is saved already writes nothing. `wait` is how many seconds other writers may
        take; a screen waits in short pieces, so that it can be drawn in between.

        Raises
        ------
        Refused
            When the answers do not fit the form, or the round was closed meanwhile.
        Busy
            When other writers took longer.
        """
        assignment = self._list[self._place].id
        rating = Rating(assignment, dict(answers), comment, seconds)
        known = self._given.get(assignment)
        if known is None or (known.answers, known.comment) != (rating.answers, rating.comment):
            self._store(rating, wait)
        return self.view()

    def _store(self, rating: Rating, wait: float | None) -> None:
        with self.writing(wait):
            self._study.ratings.save(rating, self._person.id)
        self._given[rating.assignment] = rating
