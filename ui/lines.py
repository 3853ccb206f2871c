"""Lines from a person or a script, and lines back: the two ends of a plain conversation."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any, TextIO, TypeVar

from core.errors import InputError, SeatInUse
from ui.plain import Talk
from ui.saving import reason

T = TypeVar("T")


class LineTerminal:
    """Reads and writes whole lines. Nothing is sent that moves a cursor or asks for a colour."""

    def __init__(self, source: TextIO | None = None, target: TextIO | None = None) -> None:
        self._source = source or _patient(sys.stdin)
        self._target = target or _patient(sys.stdout)
        self._typed = self._source.isatty()

    def say(self, *lines: str) -> None:
        """Write lines, now."""
        self._target.write("".join(f"{line}\n" for line in lines))
        self._target.flush()

    def ask(self, prompt: str) -> str | None:
        """Ask for a line; ``None`` at the end of the input.

        A typed line is echoed and ends the line of the prompt; a line from a pipe does not.
        """
        if prompt:
            self._target.write(prompt if self._typed else f"{prompt.rstrip()}\n")
            self._target.flush()
        line = self._source.readline()
        if not line and self._typed:
            self.say("")
        return line.rstrip("\r\n") if line else None

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

    def talk(self, talk: Talk[Any]) -> None:
        """Hold a conversation to its end."""
        self.say(*talk.begin())
        while not talk.ended:
            line = self.ask(talk.prompt)
            self.say(*(talk.hang_up() if line is None else talk.hear(line)))


def _patient(stream: TextIO) -> TextIO:
    """Let a stream show what it cannot encode, and take what it cannot decode, as a mark."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors != "replace":
        stream.reconfigure(errors="replace")
    return stream
