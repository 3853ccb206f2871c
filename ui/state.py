"""What a desk works on, and what it gives a screen to draw: values and protocols, no Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from core.forms import Answer


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
    def over(self) -> bool:
        """Whether the person has gone past the last one."""
        ...

    def view(self) -> Seen_co:
        """Return what is in front of the person."""
        ...

    def forward(self) -> Seen_co:
        """Go to the next one, or past the last; not past one that has no saved answer."""
        ...

    def back(self) -> Seen_co:
        """Go to the one before, or back to the last one from past it."""
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
    focus
        The question to look at, when it is not the first open one.
    complete
        Whether everything is answered and saved, and the person decides when to go on.
    """

    view: V
    mark: str = ""
    failure: str = ""
    hint: str = ""
    over: bool = False
    focus: str = ""
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """An answer that was given, and what was given before it."""

    number: int
    question: str
    before: Answer | None
