"""A conversation in lines, for screen readers and terminals that cannot draw.

A line goes in, lines come out: no cursor, no colour, one question at a time. The same desk as
under the screens decides what is saved and what comes next, and "Saved" is among the lines only
after the save has returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from core.forms import Answer, Question
from ui.desk import Desk
from ui.dictation import Dictation
from ui.keys import SHIPPED, Keys, choice_of, of_label
from ui.spoken import Lines, Speaker, asked
from ui.state import Shown
from ui.text import visible

V = TypeVar("V", bound=Shown)
PAUSE = 0.05  # seconds between two attempts to save into a busy file
WRITE = "Type your text. A line with a single dot ends it."


class Talk(Speaker[V]):
    """One person at work on a list, by typed lines.

    Attributes
    ----------
    prompt
        What is asked for now, in a few words.
    ended
        Whether the person has left.
    """

    def __init__(
        self, desk: Desk[V], keys: Keys = SHIPPED, *, away: Callable[[], bool] = lambda: False
    ) -> None:
        self.desk = desk
        self._keys = keys
        self._away = away
        self.ended = False
        self._place = 0
        self._dictation: Dictation | None = None  # a text that is being typed
        self._sure = False  # whether leaving unsaved answers was asked about just now
        self._commands: dict[str, Callable[[str], Lines]] = {
            "back": lambda _: self._turn("back"), "next": lambda _: self._turn("next"),
            "up": lambda _: self._up(), "undo": lambda _: self._undo(),
            self.WRITTEN: lambda text: self.write(self._note_dictation(), text),
            "write": self._write_answer, "again": lambda _: self.open(),
            "save": lambda _: self._save() or ["There is nothing to save."],
            "keys": lambda _: self.keys(), "?": lambda _: self.keys(),
            "stop": lambda _: self._stop(),
        }  # fmt: skip

    @property
    def prompt(self) -> str:
        """What is asked for now."""
        if self._dictation:
            return ""
        if self.desk.state().over:
            return "back or stop: "
        return "write or Enter: " if self._question.kind == "text" else "Answer: "

    def begin(self) -> Lines:
        """Return the first lines."""
        return [
            "Wavelock. Answer each question with its letter or number, and Enter.",
            "keys and Enter lists the other commands; stop and Enter stops.",
            *self.open(),
        ]

    def hear(self, line: str) -> Lines:
        """Take a line, without its end, and return the lines that answer it."""
        self.desk.time.touch()
        if dictation := self._dictation:
            if not dictation.hear(line):
                return []
            self._dictation = None
            return [*dictation.end(), *dictation.after()]
        word, _, rest = line.strip().partition(" ")
        command = self._commands.get(word.casefold())
        if command is None or word.casefold() != "stop":
            self._sure = False
        if command:
            return command(rest.strip())
        if self.desk.state().over:
            return ["Type back or stop."]
        return self._answer(line.strip()) if word else self._enter()

    def hang_up(self) -> Lines:
        """Take the end of the input: what can be saved is, what cannot is named."""
        told = self._dictation.end() if self._dictation else []
        told += self._store()
        self.ended = True
        return [*told, *self._lost()]

    def alive(self) -> None:
        """Give a sign that somebody is there, while nothing is typed."""
        self.desk.alive()

    # What is on the table

    @property
    def _question(self) -> Question:
        return self.form(self.desk.view).questions[self._place]

    def open(self) -> Lines:
        """Read out an item, and ask its first open question; nothing while a page is before it."""
        if self._away():
            return []
        state = self.desk.state()
        if state.over:
            return ["", self.thanks(state.view)]
        self._place = next(iter(self._still_open()), 0)
        head = ["", f"{self.NOUN.capitalize()} {state.view.number} of {state.view.total}.", ""]
        if written := self.note(state.view):
            written = f"Your {self.WRITTEN}: {visible(written)}"
        return [*head, *self.read(state.view), *([written] if written else []), *self._ask()]

    def _ask(self) -> Lines:
        """Return the question in focus with its answers."""
        view, question = self.desk.view, self._question
        choices = self._keys.answers(question, self.options(view))
        return asked(question, choices, self.desk.given(view).get(question.id))

    def _still_open(self) -> list[int]:
        view = self.desk.view
        given = self.desk.given(view)
        places = enumerate(self.form(view).questions)
        return [place for place, question in places if question.id not in given]

    # What is done

    def _answer(self, typed: str) -> Lines:
        choices = self._keys.answers(self._question, self.options(self.desk.view))
        choice = choice_of(choices, typed) or of_label(choices, typed)
        if choice is None:
            return [f"{visible(typed)!r} is no answer here, and no command.", *self._ask()]
        return self._give(choice.value)

    def _give(self, value: Answer) -> Lines:
        number = self.desk.view.number
        self.desk.answer(self._question.id, value)
        return self._after_answer(number)

    def _onward(self) -> Lines:
        """Ask the next open question, or else the one below; after the last one, go on."""
        left = self._still_open()
        if self.desk.state().complete:
            return ["Enter or next goes on."]
        ahead = [place for place in left if place > self._place] or left
        last = self._place + 1 == len(self.form(self.desk.view).questions)
        if ahead:
            self._place = ahead[0]
        elif last:
            return self._turn("next")
        else:
            self._place += 1
        return self._ask()

    def _enter(self) -> Lines:
        """Keep what was answered and go on."""
        if self.desk.state().complete:
            return self._turn("next")
        if self._question.required and self._question.id not in self.desk.given(self.desk.view):
            return ["This question needs an answer.", *self._ask()]
        if self._place + 1 == len(self.form(self.desk.view).questions):
            return self._turn("next")
        self._place += 1
        return self._ask()

    def _up(self) -> Lines:
        self._place = max(0, self._place - 1)
        return self._ask()

    def _undo(self) -> Lines:
        before = self.desk.view.number
        state = self.desk.undo()
        told = [f"{state.hint}.".capitalize()] if state.hint else ["Taken back."]
        if not state.focus:
            return told
        told += self._store()
        ids = [question.id for question in self.form(state.view).questions]
        lines = self.open() if state.view.number != before else []
        self._place = ids.index(state.focus)
        return [*told, *(lines[: 3 + len(self.read(state.view))]), *self._ask()]

    def _turn(self, way: str) -> Lines:
        state = self.desk.forward() if way == "next" else self.desk.back()
        if state.hint or state.failure:
            return [f"{state.hint or 'Not saved: ' + state.failure}.".capitalize()]
        return self.open()

    def _save(self) -> Lines:
        """Save what is ready, and read out the next item if that was the last answer."""
        number = self.desk.view.number
        told = self._store()
        left = self.desk.state().over or self.desk.view.number != number
        return [*told, *self.open()] if told and left else told

    def _store(self) -> Lines:
        """Save what is ready; say so only when it is on disk."""
        if not self.desk.ready:
            return []
        number = self.desk.view.number
        self.desk.save()
        while self.desk.waiting:
            time.sleep(PAUSE)  # in short pieces, so that an interrupt is heard
            self.desk.save()
        if number in self.desk.failed:
            why = self.desk.failed[number]
            return [f"Not saved: {why}. What you answered is kept here; save tries again."]
        return ["Saved."]

    # Texts

    def write(self, dictation: Dictation, text: str) -> Lines:
        """Take a text from the command's own line, or from the lines that follow."""
        if self.desk.state().over:
            return ["Type back or stop."]
        if not text:
            self._dictation = dictation
            return [WRITE]
        dictation.hear(text)
        return [*dictation.end(), *dictation.after()]

    def _note_dictation(self) -> Dictation:
        def take(text: str) -> Lines:
            self.desk.note(text)
            return []

        taken = f"{self.WRITTEN.capitalize()} taken."
        return Dictation(take, lambda: [taken, *self._save()])

    def _write_answer(self, text: str) -> Lines:
        question, number = self._question, self.desk.view.number
        if question.kind != "text":
            return [
                f"This question is answered with a key; {self.WRITTEN} writes a {self.WRITTEN}."
            ]

        def take(text: str) -> Lines:
            self.desk.answer(question.id, text)
            return []

        return self.write(Dictation(take, lambda: self._after_answer(number)), text)

    def _after_answer(self, number: int) -> Lines:
        told = self._save()
        left = self.desk.state().over or self.desk.view.number != number
        return told if left or number in self.desk.failed else [*told, *self._onward()]

    # The end

    def _stop(self) -> Lines:
        told = self._store()
        lost = self._lost()
        self.ended = self._sure or not lost
        self._sure = True
        return told if self.ended else [*told, *lost, "stop once more leaves; anything else stays."]

    def _lost(self) -> Lines:
        if not self.desk.unsaved:
            return []
        numbers = ", ".join(str(number) for number in self.desk.unsaved)
        return [f"Not saved, because it is not complete: {self.NOUN} {numbers}."]
