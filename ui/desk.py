"""Between a person's keys and a sitting: drafts, one save per complete answer, moving on.

No Textual here. An application posts what the person did and draws the state that comes back.
"Saved" stands in a state only after the sitting's ``save`` has returned, which is after the answer
is on disk.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Generic, TypeVar

from core.errors import Busy
from core.forms import Answer
from ui.active import ActiveTime
from ui.saving import NOT_SAVED, SAVING, reason, saved_mark
from ui.state import Change, Shown, Sitting, State

V = TypeVar("V", bound=Shown)


class Desk(ABC, Generic[V]):
    """One person at work on a list.

    Attributes
    ----------
    time
        How long the person has been at work on what is in front of them.
    advance
        Whether the last answer brings the next one.
    waiting
        Whether the answer could not be saved yet because the study file is busy; saving again is
        right, and for `PATIENCE` seconds it is not called a failure.
    """

    HINT = "answer every question to go on"
    WAIT = 0.1  # seconds that one attempt to save may take, so that a screen is drawn in between
    PATIENCE = 30.0

    def __init__(
        self,
        sitting: Sitting[V],
        clock: Callable[[], float] = time.monotonic,
        *,
        advance: bool = True,
    ) -> None:
        self.time = ActiveTime(clock)
        self.advance = advance
        self.waiting = False
        self._clock = clock
        self._since = 0.0
        self._changes: list[Change] = []
        self._focus = ""
        self._list = sitting
        self._stored = sitting.view()
        self._drafts: dict[int, V] = {}
        self._failures: dict[int, str] = {}
        self._seconds: dict[int, float] = {}
        self._advance = False
        self._hint = ""
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

    @property
    def failed(self) -> Mapping[int, str]:
        """Why the answers with these numbers are not on disk."""
        return self._failures

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
        rests = self._advance and not self.advance and self.view.number not in self._drafts
        over = self._list.over
        return State(self.view, self._mark(), failure, self._hint, over, self._focus, rests)

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
            if not self._wait_for(error):
                self._failures[view.number] = reason(error)
            return self.state()
        self.waiting = False
        for kept in (self._drafts, self._seconds, self._failures):
            kept.pop(view.number, None)
        self._saved, self._stored = view.number, self._list.view()
        return self.forward() if self._advance and self.advance else self.state()

    def _wait_for(self, error: Exception) -> bool:
        """Return whether an error is only that the file is busy, and not for too long yet."""
        now = self._clock()
        if not self.waiting:
            self._since = now
        self.waiting = isinstance(error, Busy) and now - self._since < self.PATIENCE
        return self.waiting

    def forward(self) -> State[V]:
        """Go to the next one, or to the end after the last."""
        if self.view.number in self._drafts or not self.view.saved:
            self._hint = "" if self.view.number in self._failures else self.HINT
            return self.state()
        return self._turn(self._list.forward)

    def back(self) -> State[V]:
        """Go to the one before, or back from the end to the last one."""
        return self._turn(self._list.back)

    def _turn(self, step: Callable[[], V]) -> State[V]:
        self._count()
        self._stored = step()
        self._advance, self._hint, self._focus = False, "", ""
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

    def answer(self, question: str, value: Answer) -> State[V]:
        """Take an answer; an empty text takes one back."""
        before = self.given(self.view).get(question)
        if before != value:
            self._changes.append(Change(self.view.number, question, before))
        return self._take(question, value)

    def undo(self) -> State[V]:
        """Take back the last answer of this sitting that was a change, and show where it was.

        A saved answer becomes what it was before, and is saved so; its history keeps all of it.
        The first answer to a question of a saved item can be changed, but not taken back.
        """
        if not self._changes:
            self._hint = "there is nothing to take back"
            return self.state()
        change = self._changes.pop()
        self._go_to(change.number)
        self._focus = change.question
        if change.before is None and self.view.saved and change.question in self._needed():
            self._hint = "that is saved; another answer changes it"
            return self.state()
        return self._take(change.question, "" if change.before is None else change.before)

    def _go_to(self, number: int) -> None:
        if self._list.over:
            self._turn(self._list.back)
        while self._stored.number != number:
            step = self._list.back if self._stored.number > number else self._list.forward
            before = self._stored.number
            self._turn(step)
            if self._stored.number == before:
                return

    @abstractmethod
    def given(self, view: V) -> Mapping[str, Answer]:
        """Return what was answered so far."""

    @abstractmethod
    def _needed(self) -> Collection[str]:
        """Name the questions without whose answers nothing can be saved."""

    @abstractmethod
    def _take(self, question: str, value: Answer) -> State[V]:
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
