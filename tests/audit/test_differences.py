"""Differing words: all of them, and nothing but them."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit.differences
from audit.differences import differing

TEXT = st.text(st.sampled_from("ab 日本,.\n\u0301"))


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
    ],
)
def test_examples(left: str, right: str, marked: tuple[list[str], list[str]]) -> None:
    """Whole words are marked, signs apart from words, and single characters of Japanese."""
    sides = differing(left, right)
    assert tuple([s.text for s in side if s.differs] for side in sides) == marked


def test_examples_in_the_text_are_true() -> None:
    """What the docstring shows is what happens."""
    assert doctest.testmod(audit.differences).failed == 0
