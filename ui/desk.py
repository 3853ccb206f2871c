"""Between a person's keys and a sitting: drafts, one save per complete answer, moving on.

No Textual here. An application posts what the person did and draws the state that comes back.
"Saved" stands in a state only after the sitting's ``save`` has returned, which is after the answer
is on disk.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from core.forms import Answer
from ui.active import ActiveTime
from ui.saving import NOT_SAVED, SAVING, reason, saved_mark


class Shown(Protocol):
    """What a desk must know of anything that is shown."""

    @property
    def number(self) -> int:
        """Its place in the person's own list, from 1."""
        ...

    @property
    def total(self) -> int:
        """How long the list is."""
        ...

    @property
    def done(self) -> int:
        """How many have a saved answer."""
        ...

    @property
    def saved(self) -> bool:
        """Whether an answer to it is on disk."""
        ...


V = TypeVar("V", bound=Shown)
Seen_co = TypeVar("Seen_co", bound=Shown, covariant=True)


class Sitting(Protocol[Seen_co]):
    """What a desk must know of a sitting."""

    @property
    def finished(self) -> bool:
        """Whether everything has a saved answer."""
        ...

    def view(self) -> Seen_co:
        """Return what is in front of the person."""
        ...

    def forward(self) -> Seen_co:
        """Go to the next one; not past one that has no saved answer."""
        ...

    def back(self) -> Seen_co:
        """Go to the one before."""
        ...

    def alive(self) -> None:
        """Give a sign that somebody is there."""
        ...

    def leave(self) -> None:
        """End the sitting, so that it can be gone on with elsewhere."""
        ...


@dataclass(frozen=True, slots=True)
class State(Generic[V]):
    """What a screen draws.

    Attributes
    ----------
    view
        The blind view, with what was answered, whether or not it is saved yet.
    mark
        The state of saving, for the right of the last line.
    failure
        Why the answer is not on disk.
    hint
        A word of help.
    over
        Whether the list has been gone through.
    """

    view: V
    mark: str = ""
    failure: str = ""
    hint: str = ""
    over: bool = False


class Desk(ABC, Generic[V]):
    """One person at work on a list."""

    HINT = "answer every question to go on"

    def __init__(self, sitting: Sitting[V], clock: Callable[[], float] = time.monotonic) -> None:
        self.time = ActiveTime(clock)
        self._list = sitting
        self._stored = sitting.view()
        self._drafts: dict[int, V] = {}
        self._failures: dict[int, str] = {}
        self._seconds: dict[int, float] = {}
        self._advance = False
        self._hint = ""
        self._over = sitting.finished
        self._saved: int | None = None

    @property
    def view(self) -> V:
        """What is in front of the person, as they left it."""
        return self._drafts.get(self._stored.number, self._stored)

    @property
    def ready(self) -> bool:
        """Whether the answer on the screen waits to be saved and can be."""
        return self._stored.number in self._drafts and self._complete(self.view)

    @property
    def unsaved(self) -> tuple[int, ...]:
        """The numbers of what has answers or a comment that are not on disk."""
        return tuple(sorted(self._drafts))

    def alive(self) -> None:
        """Give a sign that somebody is there; what keeps it away is told by the next save."""
        with suppress(Exception):
            self._list.alive()

    def leave(self) -> None:
        """End the sitting; where that fails it ends by itself two minutes later."""
        with suppress(Exception):
            self._list.leave()

    def state(self) -> State[V]:
        """Return what is to be drawn now."""
        failure = self._failures.get(self.view.number, "")
        return State(self.view, self._mark(), failure, self._hint, self._over)

    def save(self) -> State[V]:
        """Save what is ready; go on after the last answer to what was not answered before.

        Whatever keeps the answer from the disk is shown as the reason, and the answer stays.
        """
        if not self.ready:
            return self.state()
        view = self.view
        self._count()
        try:
            self._store(view, round(self._seconds[view.number], 3))
        except Exception as error:  # noqa: BLE001  (not saved is not saved, whatever the reason)
            self._failures[view.number] = reason(error)
            return self.state()
        for kept in (self._drafts, self._seconds, self._failures):
            kept.pop(view.number, None)
        self._saved, self._stored = view.number, self._list.view()
        return self.forward() if self._advance else self.state()

    def forward(self) -> State[V]:
        """Go to the next one, or to the end after the last."""
        if self.view.number in self._drafts or not self.view.saved:
            self._hint = "" if self.view.number in self._failures else self.HINT
            return self.state()
        self._over = self.view.number == self.view.total
        return self._turn(self._list.forward)

    def back(self) -> State[V]:
        """Go to the one before, or back from the end to the last one."""
        if self._over:
            self._over = False
            return self.state()
        return self._turn(self._list.back)

    def _turn(self, step: Callable[[], V]) -> State[V]:
        self._count()
        self._stored = step()
        self._advance, self._hint = False, ""
        return self.state()

    def _keep(self, view: V, *, last: bool = False) -> State[V]:
        """Hold a draft until it is saved; `last` says that it has just become whole."""
        self._hint = ""
        self._advance = self._advance or last
        if self._differs(view, self._stored):
            self._drafts[view.number] = view
        else:
            self._drafts.pop(view.number, None)
            self._failures.pop(view.number, None)
        return self.state()

    def _count(self) -> None:
        number = self.view.number
        self._seconds[number] = self._seconds.get(number, 0.0) + self.time.take()

    def _mark(self) -> str:
        number = self.view.number
        if number in self._failures:
            return NOT_SAVED
        if self.ready:
            return SAVING
        if self.view.saved:
            return "" if number in self._drafts else saved_mark(number, number)
        return saved_mark(self._saved, number)

    @abstractmethod
    def answer(self, question: str, value: Answer) -> State[V]:
        """Take an answer; an empty text takes one back."""

    @abstractmethod
    def note(self, text: str) -> State[V]:
        """Take a comment or note."""

    def look(self) -> State[V]:
        """Note that the person asked to see more than the text."""
        return self.state()

    @abstractmethod
    def _complete(self, view: V) -> bool:
        """Whether a draft could be saved."""

    @abstractmethod
    def _differs(self, draft: V, stored: V) -> bool:
        """Whether a draft says anything else than what is saved."""

    @abstractmethod
    def _store(self, view: V, seconds: float) -> None:
        """Save a draft; return only when it is on disk."""
