"""Questions stand where the mock-up has them, and all of them in any width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.forms import Form, Question
from tests.ui.studies import SHORT, core100_form
from ui.questions import lay_out

MOCK_UP = """\
   Which would you do?
     a  Carry it over        b  Rent a van
     c  Both are fine        d  It depends        e  Neither
   How sure are you?          not at all  1   2   3   4   5  completely
   How natural does it read?         odd  1   2   3   4   5  perfectly natural
"""


def text_of(form: Form, options: tuple[str, ...], width: int) -> str:
    lines = [line for block in lay_out(form, options, width) for line in block.lines]
    return "".join("".join(part.text for part in line).rstrip() + "\n" for line in lines)


def test_core100_looks_like_the_mock_up() -> None:
    """At 80 columns the form of Core-100 is set as designed."""
    assert text_of(core100_form(), SHORT, 80) == MOCK_UP


LABELS = st.lists(st.text("abcdef 日本", min_size=1, max_size=40), min_size=0, max_size=4)
ASKED = st.text("abc defg", min_size=1, max_size=50)


@given(LABELS, ASKED, st.integers(24, 160), st.integers(2, 5))
def test_nothing_is_wider_than_the_screen(
    labels: list[str], asked: str, width: int, points: int
) -> None:
    """Any form fits any width, and every answer has its key exactly once."""
    form = Form(
        "any",
        (
            Question("a", "choice", asked, item_options=True, choices=(("x", asked), ("y", "no"))),
            Question("b", "likert", asked, points=points, low="low end", high="the high end"),
            Question("c", "yes-no", asked),
            Question("d", "text", asked, required=False),
        ),
    )
    for block in lay_out(form, tuple(labels), width):
        for line in block.lines:
            assert sum(cell_len(part.text) for part in line) <= width
        keys = [part.text.strip() for line in block.lines for part in line if part.role == "key"]
        assert keys == [choice.key for choice in block.choices]


@pytest.mark.parametrize("width", [80, 60, 44])
def test_scales_stand_under_each_other(width: int) -> None:
    """The first point of every scale of a form is in the same column."""
    columns = {
        line.index(" 1 ")
        for line in text_of(core100_form(), SHORT, width).splitlines()
        if " 1 " in line and " 2 " in line
    }
    assert len(columns) == 1


def test_hostile_labels_stay_on_their_line() -> None:
    """A label with line breaks and escapes is one literal line."""
    shown = text_of(core100_form(), ("a\nb\x1b[31m", "[/"), 80)
    assert "a b␛[31m" in shown
    assert "[/" in shown
