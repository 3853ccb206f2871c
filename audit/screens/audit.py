"""The audit screen: two texts side by side, and one question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import events

from audit.desk import VERDICT, given
from audit.differences import told_without_marks
from audit.screens.instructions import InstructionsScreen
from audit.sitting import AuditView
from audit.verdict import FORM
from audit.widgets.pair_pane import PairPane
from audit.wording import paragraphs
from core.forms import Answer, Form
from ui.facts import Looked
from ui.headings import AUDIT
from ui.keys import choice_of
from ui.screens.item import ItemScreen
from ui.widgets.form_view import FormView
from ui.widgets.key_line import Hint
from ui.widgets.reading_pane import ReadingPane


class AuditScreen(ItemScreen[AuditView]):
    """Draws a blind pair and posts what the auditor did."""

    HEADING = AUDIT
    WRITTEN = "note"
    NOUN = "pair"
    ACTS: ClassVar[Mapping[str, str]] = {
        **ItemScreen.ACTS, "differences": "differences", "instructions": "instructions",
    }  # fmt: skip

    _marked = False
    _unmarked = ""  # why nothing is marked, when it was asked for

    @property
    def form(self) -> Form:
        """The one question, and room for a note."""
        return FORM

    @property
    def options(self) -> tuple[str, ...]:
        """None: auditors are not asked for an answer to the item."""
        return ()

    @property
    def answers(self) -> Mapping[str, Answer]:
        """The verdict and the note so far."""
        return given(self.state.view)

    @property
    def note(self) -> str:
        """The note so far."""
        return self.state.view.note

    def on_mount(self) -> None:
        """Draw the first pair; who has given no verdict yet reads first what to do."""
        super().on_mount()
        if not self.state.view.done:
            self.action_instructions()

    def action_instructions(self) -> None:
        """Show what auditors are to do, where the round says it."""
        if text := self.state.view.instructions:
            self.app.push_screen(InstructionsScreen(self.HEADING, paragraphs(text)))

    def make_pane(self) -> ReadingPane:
        """Return a pane for two texts."""
        return PairPane()

    def fill_pane(self) -> None:
        """Show the pair, without marks."""
        self._marked = False
        pair = self.state.view.pair
        self.query_one(PairPane).show_pair(pair.left, pair.right)

    def told_below(self) -> str:
        """Return why nothing is marked; the note stands in its own field."""
        return self._unmarked if self._marked else ""

    def hints(self) -> tuple[Hint, ...]:
        """Add the keys for the differences and the instructions."""
        again, (answer, *others, help_, stop) = super().hints()[:-6], super().hints()[-6:]
        marks = Hint(self._keys.of("differences"), "differences", 2)
        told = Hint(self._keys.of("instructions"), "what to do", 7)
        read = (told,) if self.state.view.instructions else ()
        return *again, answer, marks, *others, *read, help_, stop

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Add the keys for the differences and the instructions."""
        first, *others = super().keys()
        own = [(self._keys.of("differences"), "highlight the differing words")]
        if self.state.view.instructions:
            own.append((self._keys.of("instructions"), "read again what to do"))
        return first, *own, *others

    # Textual calls the handler of the base class after this one.
    def on_key(self, event: events.Key) -> None:  # type: ignore[override]
        """Bring the verdict into focus for its keys, since no other question has any."""
        typed = event.character if event.is_printable and event.character else event.key
        if choice_of(self._keys.answers(FORM.questions[0], ()), typed):
            self.query_one(FormView).focus_on(VERDICT)

    def action_differences(self) -> None:
        """Highlight the differing words, or stop doing so."""
        self._marked = not self._marked
        self.query_one(PairPane).mark(marked=self._marked)
        if self._marked:
            pair = self.state.view.pair
            self._unmarked = told_without_marks(pair.left, pair.right)
            self.post_message(Looked(self, self.state.view.number))
        self._draw()
