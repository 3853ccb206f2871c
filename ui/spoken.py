"""An item and its questions as they are read out, line by line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from core.forms import Answer, Choice, Form, Question
from ui.state import Shown
from ui.text import visible

V = TypeVar("V", bound=Shown)
Lines = list[str]


class Speaker(ABC, Generic[V]):
    """What is said of one kind of thing on a list."""

    NOUN = "item"
    WRITTEN = "comment"

    @abstractmethod
    def form(self, view: V) -> Form:
        """Return the questions."""

    @abstractmethod
    def options(self, view: V) -> tuple[str, ...]:
        """Return the option labels of the item."""

    @abstractmethod
    def note(self, view: V) -> str:
        """Return the comment or note so far."""

    @abstractmethod
    def read(self, view: V) -> Lines:
        """Return the item as it is read out."""

    @abstractmethod
    def thanks(self, view: V) -> str:
        """Return what is said at the end of the list."""

    def keys(self) -> Lines:
        """Return all commands."""
        return [
            f"next, back: the next {self.NOUN}, the {self.NOUN} before",
            "Enter alone: keep what was answered and go on; up: the question before",
            "undo: take back the last answer",
            f"again: read the {self.NOUN} again",
            f"{self.WRITTEN}: write a {self.WRITTEN}; write: answer a question in words",
            "save: try again to save",
            "stop: stop; what is saved stays saved",
        ]


def asked(question: Question, choices: Sequence[Choice], given: Answer | None) -> list[str]:
    """Return a question with its answers, after an empty line, and what was answered so far."""
    lines = ["", visible(question.text)]
    if question.kind == "likert":
        first, last = choices[0].key, choices[-1].key
        lines[-1] += f" {first} is {visible(question.low)}, {last} is {visible(question.high)}."
    else:
        lines += [f"{choice.key}  {visible(choice.label)}" for choice in choices]
    if given is not None:
        lines.append(f"Answered: {_told(choices, given)}. Enter keeps it.")
    elif question.kind == "text":
        lines.append(f"write begins your text{'' if question.required else '; Enter goes on'}.")
    return lines


def _told(choices: Sequence[Choice], given: Answer) -> str:
    for choice in choices:
        if choice.value == given:
            return ", ".join(dict.fromkeys((choice.key, visible(choice.label))))
    return visible(str(given))
