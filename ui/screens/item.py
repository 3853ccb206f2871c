"""One thing to judge, its questions, and whether the answer is on disk.

The rating and the audit screen are this screen with different contents. It draws a frozen state
and posts what the person did; each fact carries the number that it is about, so that nothing can
land on the next item.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen

from core.forms import Answer, Choice, Form, Question
from ui.facts import Answered, Asked, Noted
from ui.guard import KeyGuard
from ui.headings import RATING
from ui.keys import SHIPPED, Keys
from ui.saving import SAVING
from ui.screens.help import HelpScreen
from ui.screens.note import NoteScreen
from ui.state import Shown, State
from ui.text import one_line
from ui.widgets.form_view import FormView
from ui.widgets.key_line import Hint, KeyLine
from ui.widgets.message_line import MessageLine
from ui.widgets.reading_pane import ReadingPane
from ui.widgets.rule import Rule
from ui.widgets.top_line import TopLine

HELD = "that key was still held from the one before; press it again"
FAR = 1_000_000
V = TypeVar("V", bound=Shown)


class ItemScreen(Screen[None], Generic[V]):
    """Text above, questions below, state of saving at the foot."""

    HEADING = RATING
    WRITTEN = "comment"
    NOUN = "item"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "point(1)", show=False),
        Binding("shift+tab", "point(-1)", show=False),
        Binding("enter,space", "pick", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("home", f"line(-{FAR})", show=False),
        Binding("end", f"line({FAR})", show=False),
    ]
    # What the keys do that a person can map to others; the names are those of the settings.
    ACTS: ClassVar[Mapping[str, str]] = {
        "up": "question(-1)", "down": "question(1)", "back": "ask('back')", "next": "ask('on')",
        "comment": "note", "undo": "ask('undo')", "retry": "ask('again')", "help": "help",
        "stop": "ask('stop')", "scroll_up": "line(-1)", "scroll_down": "line(1)",
    }  # fmt: skip

    def __init__(
        self, state: State[V], keys: Keys = SHIPPED, guard: KeyGuard | None = None
    ) -> None:
        super().__init__()
        self._keys = keys
        self.state = state
        self._guard = guard or KeyGuard()
        self._leaving = False  # the last answer is given, and the next item is on its way

    @property
    @abstractmethod
    def form(self) -> Form:
        """The questions."""

    @property
    @abstractmethod
    def options(self) -> tuple[str, ...]:
        """The option labels of the item on the screen."""

    @property
    @abstractmethod
    def answers(self) -> Mapping[str, Answer]:
        """What was answered so far."""

    @property
    @abstractmethod
    def note(self) -> str:
        """The comment or note so far."""

    @abstractmethod
    def make_pane(self) -> ReadingPane:
        """Return the pane that shows the item."""

    @abstractmethod
    def fill_pane(self) -> None:
        """Put the item on the screen into the pane."""

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield TopLine(self.HEADING)
        yield Rule(id="above")
        yield self.make_pane()
        yield Rule(id="below")
        yield FormView(self.form, self.options, self._keys)
        yield MessageLine()
        with Vertical(id="foot"):
            yield Rule()
            yield KeyLine()

    def on_mount(self) -> None:
        """Draw the first item."""
        self._open()

    def show(self, state: State[V]) -> None:
        """Draw a state; a new item begins at its first open question."""
        before, self.state = self.state.view.number, state
        if state.mark != SAVING:
            self._leaving = False
        if not self.is_mounted:
            return
        if state.view.number != before:
            self._guard.leave()
            self._open()
        else:
            if state.focus:
                self.query_one(FormView).focus_on(state.focus)
            self._draw()

    def _open(self) -> None:
        form = self.query_one(FormView)
        self.fill_pane()
        form.show(self.options, self.answers)
        form.focus_open()
        if self.state.focus:
            form.focus_on(self.state.focus)
        self._guard.open(time.monotonic())
        self._draw()

    def _draw(self) -> None:
        view = self.state.view
        self.query_one(TopLine).show(view.number, view.done, view.total)
        self.query_one(FormView).show(self.options, self.answers)
        line = self.query_one(MessageLine)
        if self.state.failure:
            line.say(
                f"Not saved: {self.state.failure}. What you answered is kept here.", failed=True
            )
        else:
            rest = f"Enter or {self._keys.of('next')} goes on" if self.state.complete else ""
            line.say(self.state.hint or rest or self.told_below())
        keys = self.query_one(KeyLine)
        keys.offer(*self.hints())
        keys.mark(self.state.mark)

    def told_below(self) -> str:
        """Return what stands under the questions: the beginning of the comment."""
        return f"{self.WRITTEN.capitalize()}: {one_line(self.note, 60)}" if self.note else ""

    def hints(self) -> tuple[Hint, ...]:
        """Return the keys for the last line."""
        key = self._keys.of
        again = (Hint(key("retry"), "try again", 0),) if self.state.failure else ()
        return (
            *again,
            Hint(self._keys.in_short(self.form, self.options), "answer", 5),
            Hint(self._keys.pair("up", "down", ""), "", 4),
            Hint(self._keys.pair("back", "next"), "", 3),
            Hint(key("comment"), self.WRITTEN, 6),
            Hint(key("help"), "all keys", 1),
            Hint(key("stop"), "stop", 0),
        )

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Return all keys for the help."""
        key, pair = self._keys.of, self._keys.pair
        return (
            (self._keys.in_short(self.form, self.options), "answer the question in focus"),
            (pair("up", "down"), "another question"),
            ("Tab Enter", "highlight an answer, and give it"),
            (pair("back", "next"), f"the {self.NOUN} before, the next {self.NOUN}"),
            (key("undo"), "take back the last answer"),
            (f"PgUp PgDn {pair('scroll_down', 'scroll_up')}", "scroll the text"),
            (key("comment"), f"write a {self.WRITTEN}"),
            (key("retry"), "try again to save"),
            (key("stop"), "stop; what is saved stays saved"),
        )

    async def on_key(self, event: events.Key) -> None:
        """Take an answer key for the question in focus, or a command."""
        form = self.query_one(FormView)
        typed = event.character if event.is_printable and event.character else event.key
        choice, command = form.choice_of(typed), self._keys.command(typed)
        if choice is None and command not in self.ACTS:
            return
        event.stop()
        event.prevent_default()
        if choice is not None:
            self._answer(form.question, choice, event.key, event.time)
        else:
            await self.run_action(self.ACTS[command])

    def _answer(self, question: Question, choice: Choice, key: str, at: float) -> None:
        if self._leaving or not self._guard.accepts(key, at):
            self.query_one(MessageLine).say("" if self._leaving else HELD)
        else:
            self._give(question.id, choice.value)

    def _give(self, question: str, value: Answer) -> None:
        """Move on at once, so that quick keys find the next question, and post the answer."""
        form = self.query_one(FormView)
        self._leaving = form.give(question, value) and not self.state.view.saved
        self.post_message(Answered(self, self.state.view.number, question, value))

    @on(FormView.Picked)
    def _picked(self, event: FormView.Picked) -> None:
        event.stop()
        if event.choice is None:
            self.action_pick()
        else:
            self._answer(event.question, event.choice, "mouse", event.time)

    @on(ReadingPane.Scrolled)
    def _scrolled(self, event: ReadingPane.Scrolled) -> None:
        event.stop()
        self.query_one("#above", Rule).say(_lines(event.above, "above"))
        self.query_one("#below", Rule).say(_lines(event.below, "more · PgDn"))

    def action_question(self, count: int) -> None:
        """Move the focus to another question."""
        self.query_one(FormView).move(count)

    def action_point(self, count: int) -> None:
        """Highlight another answer."""
        self.query_one(FormView).point(count)

    def action_pick(self) -> None:
        """Give the highlighted answer, or write a text."""
        form = self.query_one(FormView)
        if form.question.kind == "text":
            self.write(form.question)
        elif form.pointed is None and self.state.complete:
            self.action_ask("on")
        elif form.pointed is None:
            form.point(1)
        else:
            self._answer(form.question, form.pointed, "enter", time.monotonic())

    def write(self, question: Question) -> None:
        """Ask for a text in a dialogue, where no key does anything but write."""
        given = str(self.answers.get(question.id, ""))

        def done(text: str | None) -> None:
            if text is not None and text != given:
                self._give(question.id, text)

        self.app.push_screen(NoteScreen(question.text, given), done)

    def action_note(self) -> None:
        """Write a comment or note."""
        number, given = self.state.view.number, self.note

        def done(text: str | None) -> None:
            if text is not None and text != given:
                self.post_message(Noted(self, number, text))

        if not self._leaving:
            title = f"{self.WRITTEN.capitalize()} on {self.NOUN} {number}"
            self.app.push_screen(NoteScreen(title, given), done)

    def action_line(self, count: int) -> None:
        """Scroll the text by lines."""
        self.query_one(ReadingPane).scroll_lines(count)

    def action_page(self, count: int) -> None:
        """Scroll the text by screens."""
        self.query_one(ReadingPane).scroll_pages(count)

    def action_ask(self, wish: str) -> None:
        """Say what the person wants; while an answer is on its way to disk, only to stop."""
        if not self._leaving or wish == "stop":
            self.post_message(Asked(self, self.state.view.number, wish))

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen(self.keys()))


def _lines(count: int, where: str) -> str:
    if not count:
        return ""
    return f"{count} line{'s' if count > 1 else ''} {where}"
