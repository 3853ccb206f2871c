"""Texts of a study: set out, and nothing but data."""

from __future__ import annotations

import doctest

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import ui.prose
from ui.prose import blocks
from ui.widgets.prose_pane import set_out

TEXT = "# Head\n\nOne line\ngoes on.\n\n- a **bold** point\n  on two lines\n- another\n2. second\n"


def shown(text: str, width: int) -> list[str]:
    return [line.plain for line in set_out(text, width)]


def test_the_example_is_true() -> None:
    """What the docstring shows is what happens."""
    failed, tried = doctest.testmod(ui.prose)
    assert tried
    assert not failed


def test_headings_paragraphs_and_lists_are_set_out() -> None:
    """Lines of one paragraph are joined, points hang, and blocks stand apart."""
    assert shown(TEXT, 20) == [
        "Head", "", "One line goes on.", "", "• a bold point on", "  two lines", "• another",
        "2. second",
    ]  # fmt: skip


def test_bold_is_drawn_and_the_rest_is_literal() -> None:
    """Links, emphasis, code and tags stay as they were written."""
    text = "[a](http://x) *b* `c` <b>d</b> [bold]e[/bold] [/ ** f ** &amp;"
    assert shown(text, 200) == [text]
    (line,) = set_out("a **b** c", 80)
    assert [(span.start, span.end) for span in line.spans if "bold" in str(span.style)] == [(2, 3)]


def test_what_would_act_is_visible() -> None:
    """Escape sequences and direction overrides are shown."""
    assert blocks("a\x1b[31m\u202eb")[0].plain == "a␛[31m‹RLO›b"


def test_scripts_without_spaces_are_joined_without_them() -> None:
    """A break in a line of Japanese is no space."""
    assert blocks("日本\n語")[0].plain == "日本語"


@given(st.text(max_size=200), st.integers(4, 90))
def test_any_text_fits_any_width(text: str, width: int) -> None:
    """No line is wider than the room, and no character acts."""
    for line in set_out(text, width):
        assert cell_len(line.plain) <= width
        assert "\x1b" not in line.plain
