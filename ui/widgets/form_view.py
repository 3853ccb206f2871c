"""The questions of a form with the answers given so far: one key, one answer."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from core.forms import Answer, Choice, Form, Question
from ui.keys import SHIPPED, Keys, choice_of
from ui.questions import GUTTER, INDENT, Block, Line, Part, lay_out
from ui.text import one_line

ROOMY = 30  # from this height on, an empty line stands between questions


class FormView(Widget):
    """Draws a form, knows which question is in focus, and says which answer was picked.

    It keeps its own focus instead of Textual's, so that neither a click beside it nor a dialogue
    nor a resize can take the focus away. When it has less room than lines, it shows those around
    the question in focus.
    """

    ALLOW_SELECT = False

    class Picked(Message):
        """An answer was picked with the mouse."""

        def __init__(self, question: Question, choice: Choice | None) -> None:
            super().__init__()
            self.question = question
            self.choice = choice

    def __init__(self, form: Form, options: tuple[str, ...] = (), keys: Keys = SHIPPED) -> None:
        super().__init__()
        self._keys = keys
        self._form = form
        self._options = options
        self._answers: Mapping[str, Answer] = {}
        self._focus = 0
        self._pointer: int | None = None

    @property
    def question(self) -> Question:
        """The question in focus."""
        return self._form.questions[self._focus]

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The answers to the question in focus."""
        return self._keys.answers(self.question, self._options)

    @property
    def pointed(self) -> Choice | None:
        """The answer that is highlighted."""
        return None if self._pointer is None else self.choices[self._pointer]

    def show(self, options: tuple[str, ...], answers: Mapping[str, Answer]) -> None:
        """Show the answers to an item; the focus stays where it is."""
        self._options, self._answers = options, answers
        self.refresh(layout=True)

    def focus_open(self) -> None:
        """Focus the first question without an answer, or the first of all."""
        for place, question in enumerate(self._form.questions):
            if question.id not in self._answers:
                self._go(place)
                return
        self._go(0)

    def focus_on(self, question: str) -> None:
        """Focus a question by its id."""
        self._go([q.id for q in self._form.questions].index(question))

    def give(self, question: str, value: Answer) -> bool:
        """Show an answer and go to the next open question, or else to the one below.

        Returns
        -------
        bool
            Whether no question is open any more.
        """
        given = {key: answer for key, answer in self._answers.items() if key != question}
        self._answers = given if value == "" else {**given, question: value}
        ids = [q.id for q in self._form.questions]
        here = ids.index(question)
        order = [*range(here + 1, len(ids)), *range(here)]
        ahead = [place for place in order if ids[place] not in self._answers]
        self._go(ahead[0] if ahead else min(here + 1, len(ids) - 1))
        return not ahead and question in self._answers

    def move(self, count: int) -> None:
        """Move the focus up or down."""
        self._go(max(0, min(self._focus + count, len(self._form.questions) - 1)))

    def point(self, count: int) -> None:
        """Highlight the next or the last answer of the question in focus."""
        if not self.choices:
            return
        if self._pointer is None:
            given = self._answers.get(self.question.id)
            values = [choice.value for choice in self.choices]
            self._pointer = values.index(given) if given in values else 0 if count > 0 else -1
            self._pointer %= len(values)
        else:
            self._pointer = (self._pointer + count) % len(self.choices)
        self.refresh()

    def choice_of(self, key: str) -> Choice | None:
        """Return the answer that a key gives to the question in focus."""
        return choice_of(self.choices, key)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Ask for as many lines as the form has."""
        return sum(len(block.lines) for block in self._blocks(width))

    def render(self) -> Content:
        """Draw the lines in sight."""
        return Content("\n").join([line for _, _, line in self._in_sight()])

    def on_click(self, event: events.Click) -> None:
        """Pick the answer under the mouse, or focus the question."""
        event.stop()
        offset = event.get_content_offset(self)
        sight = self._in_sight()
        if offset is None or offset.y >= len(sight):
            return
        block, line, _ = sight[offset.y]
        self._go(self._form.questions.index(block.question))
        place = _under(line, offset.x)
        if place is not None:
            choice = block.choices[place] if block.choices else None
            self.post_message(self.Picked(block.question, choice))

    def _go(self, place: int) -> None:
        self._focus, self._pointer = place, None
        self.refresh()

    def _blocks(self, width: int) -> tuple[Block, ...]:
        spaced = self.app.size.height >= ROOMY
        return lay_out(self._form, self._options, width, spaced=spaced, keys=self._keys)

    def _in_sight(self) -> list[tuple[Block, Line, Content]]:
        blocks = self._blocks(self.content_size.width)
        drawn = [
            (block, line, self._draw(block, line, place == self._focus, first=at == block.head))
            for place, block in enumerate(blocks)
            for at, line in enumerate(block.lines)
        ]
        start = sum(len(block.lines) for block in blocks[: self._focus])
        end = start + len(blocks[self._focus].lines)
        height = self.content_size.height
        middle = (start + end - height) // 2
        top = max(0, min(middle, start, len(drawn) - height))
        return drawn[top : top + height]

    def _draw(self, block: Block, line: Line, here: bool, *, first: bool) -> Content:
        given = self._answers.get(block.question.id)
        pieces: list[tuple[str, str]] = []
        if here and first:
            pieces.append((" ▸ ".ljust(GUTTER), "bold $accent"))
            line = (Part(line[0].text[GUTTER:]), *line[1:])
        for part in line:
            chosen = part.choice is not None and bool(block.choices) and (
                given is not None and block.choices[part.choice].value == given
            )  # fmt: skip
            pointed = here and part.choice is not None and part.choice == self._pointer
            pieces.append(self._style(part, here=here, chosen=chosen, pointed=pointed, given=given))
        return Content.assemble(*pieces)

    def _style(
        self, part: Part, *, here: bool, chosen: bool, pointed: bool, given: Answer | None
    ) -> tuple[str, str]:
        """Return a part as drawn; brackets and marks say what colour says."""
        mark = " reverse" if pointed else ""
        match part.role:
            case "key":
                text = f"[{part.text.strip()}]" if chosen else part.text
                return text, ("bold $accent" if chosen else "$foreground") + mark
            case "label":
                return part.text, "bold $accent" if chosen else "$foreground"
            case "question":
                return part.text, "bold" if here else "$foreground"
            case "field":
                room = max(8, self.content_size.width - INDENT - 2)
                text = one_line(str(given), room) if given else "Enter to write"
                return text, "$foreground" if given else "$quiet"
            case _:
                return part.text, "$quiet"


def _under(line: Line, x: int) -> int | None:
    """Return the place of the answer at a column of a line."""
    at = 0
    for part in line:
        at += part.width
        if x < at:
            return part.choice
    return 0 if line[-1].role == "field" else None
