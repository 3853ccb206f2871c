"""A sitting: one person at one seat, at a place on their list, no further than their answers go.

What stands on the list and what an answer is, each front end says. What a study file must offer is
a protocol, so that nothing here knows one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from core.errors import Refused
from core.study import Person, PersonKind, Role, Seat

MOMENT = 0.1  # seconds that a sign of life, or leaving, may wait for other writers
NOTHING = "there is nothing to do at this seat; thank you, nothing more is needed from you"


class Held(Protocol):
    """What a study file gives to whoever sits down."""

    @property
    def person(self) -> Person:
        """Who sits there."""
        ...


class Sittings(Protocol):
    """Who works where just now; see :class:`db.sittings.SittingStore`."""

    def require_open(self, seat: Seat) -> None:
        """Refuse a seat whose round is not open."""

    def require_seated(self, seat: Seat, person: Person) -> None:
        """Refuse a person whose seat was given to somebody else."""

    def begin(self, seat: Seat, kind: PersonKind = "human", *, take_over: bool = False) -> Any:
        """Sit down at a seat."""

    def seen(self, held: Any) -> None:
        """Note that a sitting goes on."""

    def end(self, held: Any) -> None:
        """End a sitting."""


class Codes(Protocol):
    """Which seat a code opens; see :class:`db.people.PeopleStore`."""

    def seat_of(self, code: str) -> Seat:
        """Return the seat that a code opens."""
        ...


class Study(Protocol):
    """What a sitting needs of a study file, whatever is answered."""

    @property
    def sittings(self) -> Sittings:
        """Who works where."""
        ...

    @property
    def people(self) -> Codes:
        """Who has which code."""
        ...

    def waiting(self, seconds: float | None = None) -> AbstractContextManager[None]:
        """Wait so long for other writers."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Write all or nothing."""
        ...


class Listed(Protocol):
    """One thing on a list."""

    @property
    def id(self) -> int:
        """Its number in the study file."""
        ...


S = TypeVar("S", bound=Study)
T = TypeVar("T", bound=Listed)
G = TypeVar("G")
V = TypeVar("V")


class ListSitting(ABC, Generic[S, T, G, V]):
    """One person at one seat of an open round, with a list to go through.

    Attributes
    ----------
    over
        Whether the person has gone past the last one.
    """

    ROLE: ClassVar[Role]
    ELSEWHERE: ClassVar[str]  # what people are told who come here with a code of the other role

    def __init__(self, study: S, seat: Seat, held: Held) -> None:
        self._study = study
        self._seat = seat
        self._held = held
        self._person = person = held.person
        planned, given, authors = self._planned()
        # Where what a replaced person gave is kept, only the rest is shown.
        self._list = tuple(one for one in planned if authors.get(one.id, person.id) == person.id)
        self._given = {one: said for one, said in given.items() if authors[one] == person.id}
        open_places = (n for n, one in enumerate(self._list) if one.id not in self._given)
        self._place = next(open_places, len(self._list) - 1)
        self.over = self.finished

    @abstractmethod
    def _planned(self) -> tuple[Sequence[T], Mapping[int, G], Mapping[int, int]]:
        """Return the seat's whole list, what was given to it, and who gave it, by id."""

    @abstractmethod
    def view(self) -> V:
        """Return what is at the current place, as a screen may see it."""

    @classmethod
    def enter(cls, study: S, code: str, *, take_over: bool = False) -> Self:
        """Open the sitting that an access code belongs to, at the first place without an answer.

        Raises
        ------
        Refused
            When the code is not known, is of the other role, or the round is not open.
        SeatInUse
            When it is open elsewhere; `take_over` ends that sitting.
        """
        return cls.at_seat(study, study.people.seat_of(code), take_over=take_over)

    @classmethod
    def at_seat(
        cls, study: S, seat: Seat, kind: PersonKind = "human", *, take_over: bool = True
    ) -> Self:
        """Sit down at a seat, as the person who has it or as a new one."""
        if seat.role != cls.ROLE:
            raise Refused(cls.ELSEWHERE)
        study.sittings.require_open(seat)
        sitting = cls(study, seat, study.sittings.begin(seat, kind, take_over=take_over))
        if not sitting.total:
            sitting.leave()
            raise Refused(NOTHING)
        return sitting

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

    @contextmanager
    def writing(self, wait: float | None = None) -> Iterator[None]:
        """Write something of this person's in one transaction, while this sitting is the one.

        `wait` is how many seconds other writers may take; a screen waits in short pieces, so that
        it can be drawn in between.

        Raises
        ------
        Refused
            In words for the person, when the round was closed or the seat is theirs no longer.
        Busy
            When other writers took longer.
        """
        try:
            with self._study.waiting(wait), self._study.transaction():
                self._study.sittings.seen(self._held)
                yield
        except Refused:
            # These say it better than the study file can.
            self._study.sittings.require_open(self._seat)
            self._study.sittings.require_seated(self._seat, self._person)
            raise

    @property
    def seat(self) -> Seat:
        """Where the person sits."""
        return self._seat

    @property
    def person(self) -> Person:
        """Who sits there, by pseudonym."""
        return self._person

    @property
    def total(self) -> int:
        """How long the list is."""
        return len(self._list)

    @property
    def done(self) -> int:
        """How many have a saved answer."""
        return len(self._given)

    @property
    def finished(self) -> bool:
        """Whether everything has a saved answer."""
        return self.done == self.total

    def forward(self) -> V:
        """Go to the next one, or past the last; not past one that has no saved answer yet."""
        if self._list[self._place].id in self._given:
            self.over = self._place + 1 == self.total
            self._place = min(self._place + 1, self.total - 1)
        return self.view()

    def back(self) -> V:
        """Go to the one before, or back to the last one from past it."""
        if self.over:
            self.over = False
        else:
            self._place = max(0, self._place - 1)
        return self.view()
