"""Lines from a person or a script, and lines back: the two ends of a plain conversation."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Protocol, TextIO, TypeVar

from core.errors import InputError, SeatInUse
from ui.saving import reason
from ui.source import LineSource

T = TypeVar("T")


class Conversation(Protocol):
    """What lines are taken to, and what answers with lines."""

    @property
    def prompt(self) -> str:
        """What is asked for now."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the person has left."""
        ...

    def begin(self) -> list[str]:
        """Return the first lines."""
        ...

    def hear(self, line: str) -> list[str]:
        """Take a line and return the lines that answer it."""
        ...

    def hang_up(self) -> list[str]:
        """Take the end of the input."""
        ...

    def alive(self) -> None:
        """Give a sign that somebody is there, while nothing is typed."""


class LineTerminal:
    """Reads and writes whole lines. Nothing is sent that moves a cursor or asks for a colour."""

    def __init__(self, source: TextIO | None = None, target: TextIO | None = None) -> None:
        self._source = LineSource(source or sys.stdin)
        self._target = target or _patient(sys.stdout)
        self._typed = (source or sys.stdin).isatty()

    def say(self, *lines: str) -> None:
        """Write lines, now."""
        self._target.write("".join(f"{line}\n" for line in lines))
        self._target.flush()

    def ask(self, prompt: str, meanwhile: Callable[[], None] = lambda: None) -> str | None:
        """Ask for a line; ``None`` at the end of the input. `meanwhile` is called while waiting.

        A typed line is echoed and ends the line of the prompt; a line from a pipe does not.
        """
        if prompt:
            self._target.write(prompt if self._typed else f"{prompt.rstrip()}\n")
            self._target.flush()
        line = self._source.line(meanwhile)
        if line is None and self._typed:
            self.say("")
        return line

    def admit(self, enter: Callable[[str, bool], T], *faults: type[Exception]) -> T | None:
        """Ask for the access code until it opens something; ``None`` when nothing is typed.

        `enter` is given the code, and whether to take over a sitting that is open elsewhere.

        Raises
        ------
        InputError
            When a script's code does not open anything: there is nobody to type it again.
        """
        while (code := self.ask("Your access code: ")) is not None:
            if code.strip().lower() in ("", "q", "stop"):
                return None
            try:
                return self._enter(enter, code.strip())
            except faults as error:
                if not self._typed:
                    raise InputError(reason(error)) from error
                self.say(f"{reason(error)}.")
        return None

    def _enter(self, enter: Callable[[str, bool], T], code: str) -> T:
        try:
            return enter(code, False)
        except SeatInUse:
            told = "This code is open elsewhere. Type yes to go on here instead: "
            if (self.ask(told) or "").strip().lower() != "yes":
                raise
        return enter(code, True)

    def talk(self, talk: Conversation) -> None:
        """Hold a conversation to its end; while a line is waited for, somebody is still there."""
        self.say(*talk.begin())
        while not talk.ended:
            line = self.ask(talk.prompt, talk.alive)
            self.say(*(talk.hang_up() if line is None else talk.hear(line)))


def _patient(stream: TextIO) -> TextIO:
    """Let a stream show what it cannot encode, and take what it cannot decode, as a mark."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors != "replace":
        stream.reconfigure(errors="replace")
    return stream
