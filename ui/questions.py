"""Where the questions of a form stand on the screen: pure, from form, labels and width.

Every line begins with a gutter of three cells, which marks the question in focus. Likert scales of
one form stand under each other; the options of an item stand on a row of their own, and further
answers in the same columns below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from core.forms import Choice, Form, Question
from ui.keys import SHIPPED, Keys
from ui.text import visible
from ui.wrapping import wrap

GUTTER = 3
INDENT = GUTTER + 1
GAPS = (7, 5, 3, 1)
FIELD = 24  # cells that a written answer has at least
Role = Literal["space", "question", "key", "label", "anchor", "field"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line; `choice` is the answer that it belongs to, by place."""

    text: str
    role: Role = "space"
    choice: int | None = None

    @property
    def width(self) -> int:
        """Its width in cells."""
        return cell_len(self.text)


Line = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One question as it stands: its answers, and its lines."""

    question: Question
    choices: tuple[Choice, ...]
    lines: tuple[Line, ...]

    @property
    def head(self) -> int:
        """The line on which the question begins."""
        return next(at for at, line in enumerate(self.lines) if len(line) > 1)


def lay_out(
    form: Form,
    options: tuple[str, ...],
    width: int,
    *,
    spaced: bool = False,
    keys: Keys = SHIPPED,
) -> tuple[Block, ...]:
    """Return the blocks of a form for an item with these option labels, `width` cells wide.

    `spaced` puts an empty line between questions.
    """
    width = max(width, 12)
    options = tuple(visible(label).replace("\n", " ").replace("\t", " ") for label in options)
    scales = _Scales([q for q in form.questions if q.kind == "likert"], width, keys)
    blocks: list[Block] = []
    for question in form.questions:
        choices = keys.answers(question, options)
        if question.kind == "likert":
            lines = scales.lines(question, choices)
        elif question.kind == "text":
            lines = _writing(question, width)
        else:
            first = min(len(options), len(choices)) if question.item_options else 0
            lines = [*_heading(question, width), *_grid(choices, first, width)]
        if spaced and blocks:
            lines = [(_space(GUTTER),), *lines]
        blocks.append(Block(question, choices, tuple(lines)))
    return tuple(blocks)


def _heading(question: Question, width: int) -> list[Line]:
    return [
        (_space(GUTTER), Part(line, "question")) for line in wrap(question.text, width - GUTTER)
    ]


def _writing(question: Question, width: int) -> list[Line]:
    """Set a question that is answered in writing, with its field beside it where there is room."""
    heading, field = _heading(question, width), Part("", "field", 0)
    if len(heading) == 1 and cell_len(question.text) + GUTTER + 2 + FIELD <= width:
        return [(*heading[0], _space(2), field)]
    return [*heading, (_space(INDENT + 1), field)]


def _grid(choices: Sequence[Choice], first: int, width: int) -> list[Line]:
    """Set answers in columns: the first ones on rows of their own, the others below them."""
    groups = [group for group in (choices[:first], choices[first:]) if group]
    for columns in range(max(len(group) for group in groups), 0, -1):
        rows = [g[at : at + columns] for g in groups for at in range(0, len(g), columns)]
        widths = [
            max(cell_len(row[column].label) for row in rows if column < len(row))
            for column in range(columns)
        ]
        for gap in GAPS:
            if INDENT + sum(widths) + 4 * columns + gap * (columns - 1) <= width:
                return _rows(choices, rows, widths, gap)
    return [line for place, c in enumerate(choices) for line in _wrapped(c, place, width)]


def _rows(
    choices: Sequence[Choice], rows: Sequence[Sequence[Choice]], widths: Sequence[int], gap: int
) -> list[Line]:
    lines = []
    for row in rows:
        line = [_space(INDENT)]
        for column, choice in enumerate(row):
            place = choices.index(choice)
            line += [
                Part(f" {choice.key} ", "key", place),
                Part(f" {choice.label}", "label", place),
            ]
            if column + 1 < len(row):
                line.append(_space(widths[column] - cell_len(choice.label) + gap))
        lines.append(tuple(line))
    return lines


def _wrapped(choice: Choice, place: int, width: int) -> list[Line]:
    """Set one answer whose label is too long for a line."""
    pieces = wrap(choice.label, width - INDENT - 4)
    head = (
        _space(INDENT), Part(f" {choice.key} ", "key", place), Part(f" {pieces[0]}", "label", place)
    )  # fmt: skip
    return [head, *((_space(INDENT + 4), Part(piece, "label", place)) for piece in pieces[1:])]


class _Scales:
    """The Likert scales of a form, aligned: on one line each where there is room for all."""

    def __init__(self, questions: Sequence[Question], width: int, keys: Keys) -> None:
        self._width = width
        self._text = max((cell_len(q.text) for q in questions), default=0)
        self._low = max((cell_len(q.low) for q in questions), default=0)
        numbers = max((_scale_width(keys.answers(q, ())) for q in questions), default=0)
        high = max((cell_len(q.high) for q in questions), default=0)
        whole = self._low + 1 + numbers + 1 + high
        self._one = GUTTER + self._text + 2 + whole < width
        self._two = INDENT + 1 + whole < width

    def lines(self, question: Question, choices: Sequence[Choice]) -> list[Line]:
        low = Part(" " * (self._low - cell_len(question.low)) + question.low, "anchor")
        high = Part(f" {question.high}", "anchor")
        scale = _numbers(choices)
        if self._one:
            text = Part(question.text, "question")
            pad = _space(self._text - text.width + 2)
            return [(_space(GUTTER), text, pad, low, _space(1), *scale, high)]
        heading = _heading(question, self._width)
        if self._two:
            return [*heading, (_space(INDENT + 1), low, _space(1), *scale, high)]
        ends = f"{choices[0].key} {question.low} – {choices[-1].key} {question.high}"
        below = [
            (_space(INDENT + 1), Part(line, "anchor"))
            for line in wrap(ends, self._width - INDENT - 1)
        ]
        return [*heading, (_space(INDENT), *scale), *below]


def _numbers(choices: Sequence[Choice]) -> list[Part]:
    parts: list[Part] = []
    for place, choice in enumerate(choices):
        parts += [_space(1)] * bool(place)
        parts.append(Part(f" {choice.key} ", "key", place))
    return parts


def _scale_width(choices: Sequence[Choice]) -> int:
    return sum(cell_len(choice.key) + 2 for choice in choices) + len(choices) - 1


def _space(cells: int) -> Part:
    return Part(" " * cells)
