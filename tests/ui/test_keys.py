"""Which key gives which answer, on any keyboard and as a person mapped it."""

from __future__ import annotations

import pytest

from core.forms import Choice, Form, Question
from core.settings import parse_settings
from suites.forms import load
from ui.keys import SHIPPED, Keys, choice_of

SCALE = Question("sure", "likert", "Sure?", low="no", high="yes")


@pytest.mark.parametrize(
    "row", ["12345", "&é\"'(", "&É\"'(", "١٢٣٤٥", "۱۲۳۴۵", "१२३४५", "１２３４５"],
    ids=["ascii", "french", "french-capital", "arabic", "persian", "hindi", "fullwidth"],
)  # fmt: skip
def test_digits_of_any_keyboard_count(row: str) -> None:
    """No mapping is needed for a French digit row or for the digits of another script."""
    found = [choice_of(SCALE.answers(), character) for character in row]
    assert [choice.value for choice in found if choice] == [1, 2, 3, 4, 5]


def test_a_key_that_is_offered_comes_before_one_that_is_meant() -> None:
    """When an answer has the key é itself, é gives that answer and not the second."""
    choices = (Choice("one", "One", "1"), Choice("two", "Two", "2"), Choice("e", "E", "é"))
    assert choice_of(choices, "é") == choices[2]


@pytest.mark.parametrize("typed", ["", "²", "½", "enter", "ab", "0", "\x1b", "ß"])
def test_what_is_no_key_gives_nothing(typed: str) -> None:
    """Superscripts, fractions, names and signs are no answers."""
    assert choice_of(SCALE.answers(), typed) is None


def test_mapped_answers_take_the_place_of_the_own_ones() -> None:
    """By place, in every question; what goes beyond the list keeps its key."""
    keys = Keys(parse_settings('[keys]\nanswers = ["f", "g"]', "s"))
    assert [choice.key for choice in keys.answers(SCALE, ())] == ["f", "g", "3", "4", "5"]
    assert choice_of(keys.answers(SCALE, ()), "1") is None


def test_keys_are_shown_as_they_are_mapped() -> None:
    """Signs for arrows, capitals for function keys, ranges only where keys run on."""
    form = load("core100")
    assert SHIPPED.in_short(form, ("Go", "Stay")) == "a-e 1-5"
    assert (SHIPPED.of("back"), SHIPPED.of("help")) == ("←", "?")
    keys = Keys(parse_settings('reduced_keys = true\n[keys]\nanswers = ["f", "g"]', "s"))
    assert keys.of("stop") == "F10"
    assert keys.in_short(form, ("Go", "Stay")) == "f g c d e"
    assert keys.in_short(Form("t", (Question("w", "text", "Why?"),)), ()) == ""
