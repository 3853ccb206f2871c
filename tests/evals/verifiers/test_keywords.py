from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verifiers import FAIL, PASS
from evals.verifiers.keywords import (
    keyword_once,
    keywords_avoided,
    keywords_used,
    occurrences,
)

CASES = [
    ("start", "art", 0), ("art-house art", "art", 2), ("C++ or C", "c++", 1), ("a.b aXb", "a.b", 1),
    ("(x)", "(x)", 1), ("", "a", 0), ("STRASSE", "straße", 1), ("river_bank", "river", 1),
    ("e\u0301lan", "élan", 1), ("resum\u0301", "resum", 0), ("ha ha ha ha", "ha ha", 2),
    ("naïve", "na", 0), ("word9", "word", 0), ("İstanbul", "i̇stanbul", 1), ("कि", "क", 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "keyword", "count"), CASES)
def test_whole_words_are_counted(text: str, keyword: str, count: int) -> None:
    """Substrings, patterns, accents and scripts: only a whole word is an occurrence."""
    assert occurrences(text, keyword) == count


@given(st.lists(st.sampled_from(["river", "rivers", "art", "start", "Art"]), max_size=12))
def test_between_spaces_it_is_plain_counting(words: list[str]) -> None:
    """Where words stand apart, counting is comparing."""
    assert occurrences(" ".join(words), "art") == sum(word.lower() == "art" for word in words)


@given(st.text(), st.text(min_size=1).filter(str.strip))
def test_any_text_has_a_count(text: str, keyword: str) -> None:
    """No text and no keyword breaks the count, and it never exceeds plain substring counting."""
    folded = [
        unicodedata.normalize("NFC", unicodedata.normalize("NFC", each).casefold())
        for each in (text, keyword)
    ]
    assert (
        0 <= occurrences(text, keyword) <= len(re.findall(f"(?={re.escape(folded[1])})", folded[0]))
    )


def test_readings_carry_share_and_evidence() -> None:
    """The share is of the list, and what is missing or used is named."""
    used = keywords_used("Sun and moon", ("sun", "moon", "stars"))
    assert (used.verdict, used.score, used.evidence) == (FAIL, 2 / 3, "missing: stars")
    avoided = keywords_avoided("A free gift", ("cheap", "free"))
    assert (avoided.verdict, avoided.score, avoided.evidence) == (FAIL, 0.5, "used: free")
    assert keywords_avoided("Quiet", ("cheap", "free")).verdict == PASS
    assert keyword_once("one and one", "one").evidence == "2 x one"
