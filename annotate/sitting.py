"""A rater's sitting: what comes next, what a valid answer is, and when it is saved.

The screens draw what this gives and post what a person did; every rule is here, without Textual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import Refused
from core.forms import Answer, Form
from core.items import BlindItem
from core.study import Assignment, Person, PersonKind, Rating, Revision, Seat

if TYPE_CHECKING:  # the first screen is painted before what reads a study is loaded
    from db.file import StudyFile
    from db.sittings import Held

MOMENT = 0.1  # seconds that a sign of life, or leaving, may wait for other writers


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


class RatingSitting:
    """One person at one seat of an open round."""

    def __init__(self, study: StudyFile, seat: Seat, held: Held) -> None:
        self._study = study
        self._seat = seat
        self._held = held
        self._person = person = held.person
        self._form = study.rounds.round(seat.round).form
        given, authors = study.ratings.of_seat(seat.id), study.ratings.authors(seat.id)
        # Where a replaced person's ratings are kept, only the rest is shown.
        self._assignments = tuple(
            assignment
            for assignment in study.rounds.assignments(seat.id)
            if authors.get(assignment.id, person.id) == person.id
        )
        self._ratings = {item: said for item, said in given.items() if authors[item] == person.id}
        self._place = self._first_open()

    @classmethod
    def enter(cls, study: StudyFile, code: str, *, take_over: bool = False) -> RatingSitting:
        """Open the sitting that an access code belongs to, at the first item without an answer.

        Raises
        ------
        Refused
            When the code is not known, is an auditor's, or the round is not open.
        SeatInUse
            When it is open elsewhere; `take_over` ends that sitting.
        """
        return cls.at_seat(study, study.people.seat_of(code), take_over=take_over)

    @classmethod
    def at_seat(
        cls, study: StudyFile, seat: Seat, kind: PersonKind = "human", *, take_over: bool = True
    ) -> RatingSitting:
        """Sit down at a seat, as the person who has it or as a new one."""
        if seat.role != "rater":
            raise Refused("this code is for auditing; start it with: wavelock audit")
        study.sittings.require_open(seat)
        return cls(study, seat, study.sittings.begin(seat, kind, take_over=take_over))

    def alive(self) -> None:
        """Give a sign that somebody is there; without one for two minutes others may sit down.

        A busy file is not waited for: a screen stands still meanwhile, and the next sign will do.

        Raises
        ------
        SeatLost
            When the seat was taken over.
        """
        with self._study.waiting(MOMENT):
            self._study.sittings.seen(self._held)

    def leave(self) -> None:
        """End the sitting, so that the code can be opened elsewhere at once."""
        with self._study.waiting(MOMENT):
            self._study.sittings.end(self._held)

    @property
    def seat(self) -> Seat:
        """Where the person sits."""
        return self._seat

    @property
    def person(self) -> Person:
        """Who sits there, by pseudonym."""
        return self._person

    @property
    def assignment(self) -> Assignment:
        """The current place on the list of the plan; for what is stored, never for a screen."""
        return self._assignments[self._place]

    @property
    def first(self) -> int:
        """The position in the plan of the first item on this person's list."""
        return self._assignments[0].position if self._assignments else 0

    @property
    def form(self) -> Form:
        """The questions of this round."""
        return self._form

    @property
    def total(self) -> int:
        """How many items are on the list."""
        return len(self._assignments)

    @property
    def done(self) -> int:
        """How many items have a saved answer."""
        return len(self._ratings)

    @property
    def finished(self) -> bool:
        """Whether every item has a saved answer."""
        return self.done == self.total

    def view(self) -> RatingView:
        """Return the current item as the screen may see it."""
        assignment, revision = self._assignments[self._place], self.revision()
        rating = self._ratings.get(assignment.id)
        return RatingView(
            item=BlindItem(self._place + 1, revision.text, revision.labels),
            form=self._form,
            total=self.total,
            done=self.done,
            answers=dict(rating.answers) if rating else {},
            comment=rating.comment if rating else "",
            saved=rating is not None,
        )

    def revision(self) -> Revision:
        """Return the current item with all that is known of it; for simulators, never a screen."""
        return self._study.items.revision(self._assignments[self._place].revision)

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
        assignment = self._assignments[self._place].id
        rating = Rating(assignment, dict(answers), comment, seconds)
        known = self._ratings.get(assignment)
        if known is None or (known.answers, known.comment) != (rating.answers, rating.comment):
            with self._study.waiting(wait):
                self._store(rating)
        return self.view()

    def _store(self, rating: Rating) -> None:
        with self.writing():
            self._study.ratings.save(rating, self._person.id)
        self._ratings[rating.assignment] = rating

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write something of this person's in one transaction, while this sitting is the one.

        Raises
        ------
        Refused
            In words for the person, when the round was closed or the seat is theirs no longer.
        """
        try:
            with self._study.transaction():
                self._study.sittings.seen(self._held)
                yield
        except Refused:
            # These say it better than the study file can.
            self._study.sittings.require_open(self._seat)
            self._study.sittings.require_seated(self._seat, self._person)
            raise

    def forward(self) -> RatingView:
        """Go to the next item; not past one that has no saved answer yet."""
        if self._place + 1 < self.total and self._assignments[self._place].id in self._ratings:
            self._place += 1
        return self.view()

    def back(self) -> RatingView:
        """Go to the item before."""
        self._place = max(0, self._place - 1)
        return self.view()

    def _first_open(self) -> int:
        for place, assignment in enumerate(self._assignments):
            if assignment.id not in self._ratings:
                return place
        return len(self._assignments) - 1
