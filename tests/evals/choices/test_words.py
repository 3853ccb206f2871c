from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from evals.choices.words import ANCHOR, LEADS, LOWER, Wanted, spellings, wanted, words_of

OPTIONS = [{"action": "heavy", "label": "Drive"}, {"action": "heuristic", "label": "Walk"}]
DOCUMENT: dict[str, Any] = {"scenario": "S01", "condition": "Active", "options": OPTIONS}


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ("labels", [("heavy", "Drive"), ("heuristic", "Walk")]),
        ("letters", [("heavy", "A"), ("heuristic", "B")]),
        ("heavy=Go, heuristic = Stay", [("heavy", "Go"), ("heuristic", "Stay")]),
        ("heuristic=Stay,heavy=Go", [("heuristic", "Stay"), ("heavy", "Go")]),
    ],
)
def test_words_come_from_labels_letters_or_one_map(answers: str, words: Any) -> None:
    """The action of each answer stands beside its word, in the order of the options or the map."""
    assert list(words_of(DOCUMENT, wanted(answers))) == words


def test_letters_follow_the_shown_order() -> None:
    """A letter is the place under which an option was shown, whatever it means."""
    turned = {**DOCUMENT, "options": OPTIONS[::-1]}
    assert words_of(turned, wanted("letters")) == (("heuristic", "A"), ("heavy", "B"))


@pytest.mark.parametrize(
    ("answers", "variants", "told"),
    [
        ("", "", "names no answers; use labels, letters, or words"),
        ("Drive", "", "names no answers"),
        ("heavy=Drive", "", "one answer is no choice"),
        ("heavy=Drive,heuristic=", "", "the answer for heuristic is empty"),
        ("heavy= ,heuristic=Walk", "", "the answer for heavy is empty"),
        ("heavy=Drive,heuristic=Drive", "", "may both be written “Drive”"),
        ("heavy=Drive,heavy=Walk", "", "names an action twice"),
        ("=Drive,heuristic=Walk", "", "names no answers"),
        ("labels", "upper", "there is no variant “upper”; there is plain, space, newline, lower"),
        ("labels", "lower", "is a further case of the others"),
    ],
)
def test_what_names_no_choice_is_one_line(answers: str, variants: str, told: str) -> None:
    """Empty words, duplicates and unknown variants are said before anything is opened."""
    with pytest.raises(InputError, match=told) as raised:
        wanted(answers, variants)
    assert "\n" not in str(raised.value)


def test_words_that_meet_in_lower_case_are_duplicates() -> None:
    """Two answers are told apart by all of their variants, not by their words alone."""
    assert wanted("heavy=US,heuristic=us").words
    with pytest.raises(InputError, match="may both be written “us”"):
        words_of(DOCUMENT, Wanted("words", (("heavy", "US"), ("heuristic", "us")),
                                  variants=("plain", LOWER)))  # fmt: skip


@pytest.mark.parametrize(
    ("document", "answers", "told"),
    [
        ({**DOCUMENT, "options": []}, "labels", "S01/Active offers no two options"),
        ({**DOCUMENT, "options": OPTIONS[:1]}, "letters", "S01/Active offers no two options"),
        (DOCUMENT, "heavy=a,light=b", "S01/Active has no option “light”; it offers heavy, heur"),
        (
            {**DOCUMENT, "options": [OPTIONS[0], {**OPTIONS[1], "label": "Drive"}]},
            "labels",
            "S01/Active: heavy and heuristic may both be written “Drive”",
        ),
        (
            {**DOCUMENT, "options": [OPTIONS[0], {**OPTIONS[1], "label": ""}]},
            "labels",
            "S01/Active: the answer for heuristic is empty",
        ),
    ],
)
def test_an_item_that_has_no_such_words_is_named(document: Any, answers: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        words_of(document, wanted(answers))


def test_items_without_options_take_a_map() -> None:
    """A suite whose items offer nothing is asked for the words that are given."""
    assert words_of({**DOCUMENT, "options": []}, wanted("yes=Yes,no=No"))[0] == ("yes", "Yes")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (None, ANCHOR), (r"\nFinal:", "\nFinal:"), (r"a\\n", "a\\n"), ("\\", "\\"), ("", ""),
        (r"\tx", "\tx"), ("\nAnswer:", "\nAnswer:"), (r"\x", r"\x"),
    ],
)  # fmt: skip
def test_an_anchor_is_read_as_a_shell_passes_it_on(given: str | None, read: str) -> None:
    """Escapes of new line, tab and backslash, and nothing else, are read."""
    assert wanted("labels", anchor=given).anchor == read


@given(st.text(min_size=1), st.sets(st.sampled_from(sorted([*LEADS, LOWER])), min_size=1))
def test_spellings_are_distinct_and_hold_the_word(word: str, named: set[str]) -> None:
    """Each variant is the word behind a blank or none, as it is or in lower case, each once."""
    variants = tuple(name for name in (*LEADS, LOWER) if name in named)
    found = spellings(word, variants)
    assert len(set(found)) == len(found)
    allowed = {lead + case for lead in LEADS.values() for case in (word, word.lower())}
    assert set(found) <= allowed
    assert bool(found) is bool(named & LEADS.keys())
