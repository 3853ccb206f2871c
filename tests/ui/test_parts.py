"""The small parts of the frame."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.color import Color

import ui.keys
import ui.saving
import ui.text
import ui.widgets.top_line
from ui.theme import DARK, LIGHT, PLAIN, THEMES, preferred
from ui.widgets.key_line import Hint, fitting
from ui.widgets.top_line import bar

HINTS = (
    Hint("a-e 1-5", "answer", 5), Hint("m", "comment", 6), Hint("?", "all keys", 1),
    Hint("q", "stop", 0),
)  # fmt: skip


@pytest.mark.parametrize("module", [ui.keys, ui.text, ui.saving, ui.widgets.top_line])
def test_examples_in_the_text_are_true(module: ModuleType) -> None:
    """What a docstring shows is what happens."""
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed


@given(st.integers(1, 5000), st.data())
def test_a_bar_is_full_only_at_the_end(total: int, data: st.DataObject) -> None:
    """A bar is empty before the first, full after the last, and neither in between."""
    done = data.draw(st.integers(0, total))
    drawn = bar(done, total)
    assert len(drawn) == 15
    assert (drawn == "█" * 15) == (done == total)
    assert ("█" in drawn) == (done > 0)


def test_keys_leave_in_the_order_of_their_rank() -> None:
    """When room is short, stopping and help are the last keys to go."""
    shown = [tuple(hint.key for hint in fitting(HINTS, width)) for width in (80, 40, 22, 7)]
    assert shown == [("a-e 1-5", "m", "?", "q"), ("a-e 1-5", "?", "q"), ("?", "q"), ("q",)]


@given(st.integers(0, 100))
def test_keys_never_overflow(width: int) -> None:
    """Whatever the width, what is shown fits."""
    kept = fitting(HINTS, width)
    assert sum(cell_len(h.text) for h in kept) + 2 * max(0, len(kept) - 1) <= width or not kept


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    r, g, b = (
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
        for c in Color.parse(color).normalized
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_the_item_is_the_loudest(theme: object) -> None:
    """Contrast falls from item to text to quiet words to frame, and all words can be read."""
    assert isinstance(theme, type(DARK))
    shades = (theme.variables["item"], str(theme.foreground), theme.variables["quiet"])
    item, text, quiet = (_contrast(shade, str(theme.background)) for shade in shades)
    line = _contrast(theme.variables["line"], str(theme.background))
    assert item > text > quiet > line
    assert quiet >= 4.5
    for told in (theme.accent, theme.success, theme.error):
        assert _contrast(str(told), str(theme.background)) >= 4.5


@pytest.mark.parametrize(
    ("environment", "theme"),
    [
        ({}, DARK), ({"NO_COLOR": ""}, PLAIN), ({"TEXTUAL_COLOR": "monochrome"}, PLAIN),
        ({"COLORFGBG": "0;15"}, LIGHT), ({"COLORFGBG": "15;0"}, DARK),
        ({"WAVELOCK_THEME": "light", "NO_COLOR": "1"}, LIGHT), ({"WAVELOCK_THEME": "odd"}, DARK),
    ],
)  # fmt: skip
def test_the_terminal_is_believed(environment: dict[str, str], theme: object) -> None:
    """A choice wins, then NO_COLOR, then what the terminal says of its background."""
    assert preferred(environment) == getattr(theme, "name", None)


@pytest.mark.parametrize(
    ("environment", "theme"),
    [({}, LIGHT), ({"COLORFGBG": "15;0"}, LIGHT), ({"NO_COLOR": ""}, PLAIN)],
)
def test_the_settings_choose_a_theme(environment: dict[str, str], theme: object) -> None:
    """What a person has chosen for good goes before what the terminal says, after NO_COLOR."""
    assert preferred(environment, "light") == getattr(theme, "name", None)


def test_all_themes_know_the_same_names() -> None:
    """No rule of a style sheet fails under another theme."""
    assert (
        len({frozenset(t.variables) >= {"item", "quiet", "line", "item-style"} for t in THEMES})
        == 1
    )
