"""Differing words: all of them, and nothing but them."""

from __future__ import annotations

import doctest
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit.differences
from audit.differences import differing, told_without_marks

TEXT = st.text(st.sampled_from("ab 日本,.\n\u0301कि👨\u200d👩ไท้"))


@given(TEXT, TEXT)
def test_joined_the_segments_are_the_texts(left: str, right: str) -> None:
    """Highlighting changes no character of either text."""
    sides = differing(left, right)
    assert ["".join(segment.text for segment in side) for side in sides] == [left, right]


@given(TEXT, TEXT)
def test_what_is_not_marked_is_shared(left: str, right: str) -> None:
    """Without the marked words and blanks, both texts say the same."""
    sides = differing(left, right)
    rest = ["".join(s.text for s in side if not s.differs).split() for side in sides]
    assert "".join(rest[0]) == "".join(rest[1])


@given(TEXT)
def test_equal_texts_have_no_marks(text: str) -> None:
    """Where nothing differs, nothing is marked."""
    assert not any(segment.differs for side in differing(text, text) for segment in side)


@pytest.mark.parametrize(
    ("left", "right", "marked"),
    [
        ("the couch is here.", "the lamp is here.", (["couch"], ["lamp"])),
        ("on my nightstand", "in my pocket", (["on", "nightstand"], ["in", "pocket"])),
        ("away.", "away?", (["."], ["?"])),
        ("one two", "one big two", ([], ["big"])),
        ("猫が好き", "犬が好き", (["猫"], ["犬"])),
        ("cafe\u0301 now", "cafe now", (["cafe\u0301"], ["cafe"])),
        ("यह कि है", "यह की है", (["कि"], ["की"])),
        ("น้ำร้อน", "น้ำเย็น", (["ร้อ"], ["เย็"])),
        (
            "the 👨\u200d👩\u200d👧 came",
            "the 👨\u200d👩 came",
            (["👨\u200d👩\u200d👧"], ["👨\u200d👩"]),
        ),
        ("خذ الكرسي الآن", "خذ المصباح الآن", (["الكرسي"], ["المصباح"])),
        ("x" * 300, "x" * 299 + "y", (["x" * 300], ["x" * 299 + "y"])),
    ],
)
def test_examples(left: str, right: str, marked: tuple[list[str], list[str]]) -> None:
    """Whole words are marked, signs apart from words, and single characters of Japanese."""
    sides = differing(left, right)
    assert tuple([s.text for s in side if s.differs] for side in sides) == marked


@given(TEXT, TEXT)
def test_no_mark_begins_with_what_belongs_to_the_character_before(left: str, right: str) -> None:
    """An accent or a joiner is never cut off, so that a bracket cannot come in between."""
    for side in differing(left, right):
        for before, after in pairwise(side):
            if before.differs != after.differs and not before.text[-1:].isspace():
                assert unicodedata.category(after.text[0]) not in ("Mn", "Mc", "Me", "Cf")


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        ("one two", "one two", "The two texts are the same"),
        ("one two", "one  two", "differ only in blanks"),
        ("one two", "one\ntwo", "differ only in blanks"),
        ("one two", "one", ""),
    ],
)
def test_where_nothing_is_marked_it_is_said_why(left: str, right: str, told: str) -> None:
    """A reader who asks and sees no mark must not take the texts for equal when they are not."""
    found = told_without_marks(left, right)
    assert (told in found) if told else found == ""


def test_a_long_pair_is_compared_at_once() -> None:
    """Ten thousand characters without blanks and one change need no more than one comparison."""
    left, right = differing(
        "日本語" * 3000 + "猫" + "です" * 500, "日本語" * 3000 + "犬" + "です" * 500
    )
    assert [s.text for s in (*left, *right) if s.differs] == ["猫", "犬"]


def test_examples_in_the_text_are_true() -> None:
    """What the docstring shows is what happens."""
    assert doctest.testmod(audit.differences).failed == 0
