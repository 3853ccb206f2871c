from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verifiers import FAIL, PASS
from evals.verifiers.lengths import (
    paragraph_count,
    paragraph_sentences,
    sentence_maximum,
    sentence_variation,
    word_count,
    word_range,
)
from evals.verifiers.units import sentences, syllables

SYLLABLES = {
    "a": 1, "the": 1, "about": 2, "asked": 1, "wanted": 2, "create": 2, "area": 2, "table": 2,
    "people": 2, "something": 2, "stopped": 1, "boxes": 2, "houses": 2, "rhythm": 1, "strength": 1,
    "beautiful": 3, "open": 2, "apple": 2, "window": 2, "university": 5, "don't": 1, "café": 2,
}  # fmt: skip


@pytest.mark.parametrize(("word", "count"), SYLLABLES.items())
def test_syllables(word: str, count: int) -> None:
    """Hand-counted words; "area" has three in speech, and two by this rule: it is pinned."""
    assert syllables(word) == count


@given(st.text(max_size=60))
def test_any_word_has_syllables(word: str) -> None:
    """Counting is total, and even "nth" is spoken somehow."""
    assert syllables(word) >= 1


@given(st.lists(st.text("abc—#'’", min_size=1, max_size=5), max_size=30), st.integers(1, 30))
def test_words_are_what_white_space_parts(words: list[str], target: int) -> None:
    """The count is the number of pieces, whatever they are."""
    reading = word_count(" \n".join(words), target)
    assert (reading.verdict == PASS) is (len(words) == target)
    assert reading.evidence == f"{len(words)} words"
    assert (word_range(" ".join(words), (8, 12)).verdict == PASS) is (8 <= len(words) <= 12)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dr. Lee came at 5 p.m. in St. Ives. They ate.", 2), ("Wait... Who? Me!", 3),
        ("One\nTwo", 2), ("***\n---", 0), ("", 0), ("3.5 metres. Done.", 2), ("no end", 1),
    ],
)  # fmt: skip
def test_sentences(text: str, found: int) -> None:
    """Abbreviations and decimals end nothing; line ends do; marks alone are no sentence."""
    assert len(sentences(text)) == found


def test_every_paragraph_must_comply() -> None:
    """One and three sentences are not two on average."""
    reading = paragraph_sentences("It rained.\n\nWe left. We sang. We slept.", (2, 4))
    assert (reading.verdict, reading.score) == (FAIL, 0.5)
    assert reading.evidence == "sentences: 1, 3"
    assert paragraph_sentences("", (2, 4)).score == 0.0


def test_paragraphs_are_lines_that_are_not_blank() -> None:
    """Blank lines, blanks and carriage returns make no paragraph."""
    assert paragraph_count("One.\r\n\r\n \t\nTwo.\r", (2, 2)).verdict == PASS


def test_long_sentences_are_named() -> None:
    """The share of short sentences, and the longest one."""
    reading = sentence_maximum("One two three. One two three four five.", 3)
    assert (reading.verdict, reading.score) == (FAIL, 0.5)
    assert reading.evidence == "longest sentence: 5 words"


def test_variation_is_the_spread_of_lengths() -> None:
    """Equal sentences vary by nothing; the scale is the item's."""
    assert sentence_variation("One two. One two.", 10).score == 0.0
    assert sentence_variation("", 10).score == 0.0
    spread = sentence_variation("One. One two three.", 1)
    assert (spread.verdict, spread.score) == (PASS, 1.0)
    assert spread.evidence == "standard deviation 1.00 words"
    assert sentence_variation("One. One two three.", 10).score == pytest.approx(0.1)
