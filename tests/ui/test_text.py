"""What is shown is what is there, and none of it acts on the terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.text import FAMILY, KEPT, one_line, visible

BIDI = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
FAMILIES = "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 می\u200cخواهم ❤\ufe0f"
ANY = st.text(st.characters(codec=None, exclude_categories=()))


@given(ANY)
def test_nothing_that_acts_is_left(text: str) -> None:
    """No C0 or C1 control but tab and newline, no bidi override and no lone surrogate is left."""
    shown = visible(text)
    left = {c for c in shown if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}}
    assert left <= {"\n", "\t"}
    assert not BIDI & set(shown)
    shown.encode("utf-8")


@given(ANY)
def test_every_character_can_still_be_told(text: str) -> None:
    """Covering never drops a character, and lines stay lines."""
    shown = visible(text)
    assert len(shown) >= len(text)
    assert shown.count("\n") == text.count("\n")
    assert len(shown.splitlines()) == len(text.split("\n")) - text.endswith("\n") - (not text)


@given(ANY)
def test_it_settles(text: str) -> None:
    """What is visible already is left as it is."""
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with\ttab\nand line", "plain, with\ttab\nand line"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("a\r\nb\x7f", "a␍\nb␡"),
        ("\x9b2J", "‹U+009B›2J"),
        ("no\u200bspace\ufeff", "no‹ZWSP›space‹BOM›"),
        ("\u202eevil\u202c", "‹RLO›evil‹PDF›"),
        ("one\u2028two", "one‹U+2028›two"),
        ("\ud800", "‹U+D800›"),
        ("tag\U000e0041", "tag‹U+E0041›"),
        (FAMILIES, FAMILIES),
        ("a\u200db \u200d👩", "a‹ZWJ›b ‹ZWJ›👩"),
        ("日本語 עברית العربية", "日本語 עברית العربية"),
    ],
)  # fmt: skip
def test_examples(text: str, shown: str) -> None:
    """Names are given where there are any, and people's writing is not touched."""
    assert visible(text) == shown


@given(ANY)
def test_widths_add_up(text: str) -> None:
    """No joiner is left outside a family of emoji, where it would swallow what follows it."""
    assert "\u200d" not in FAMILY.sub("", visible(text))
    assert set("\t\n\u200c") == KEPT


@given(st.text(), st.integers(1, 60))
def test_an_excerpt_is_one_short_line(text: str, width: int) -> None:
    """An excerpt has no line break and never more than its width."""
    excerpt = one_line(text, width)
    assert "\n" not in excerpt
    assert len(excerpt) <= width
