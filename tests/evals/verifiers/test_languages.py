from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verifiers import FAIL, PASS, UNDETERMINED
from evals.verifiers.languages import natural_language, programming_language

THREE = ("en", "fr", "ru")
NATURAL = [
    ("The weather was mild and everybody stayed outside until dark.", "en", PASS),
    ("Il faisait doux et tout le monde est resté dehors jusqu'au soir.", "fr", PASS),
    ("Il faisait doux et tout le monde est resté dehors jusqu'au soir.", "en", FAIL),
    ("Погода была мягкой, и все оставались на улице до темноты.", "ru", PASS),
    ("Погода была мягкой, и все оставались на улице до темноты.", "fr", FAIL),
    ("Das Wetter war mild, und alle blieben bis zum Abend draußen sitzen.", "en", UNDETERMINED),
    ("今日は天気がいいので、みんなが外にいました。", "en", UNDETERMINED),
    ("Hello", "en", UNDETERMINED),
    ("12345 67890", "en", UNDETERMINED),
    ("", "en", UNDETERMINED),
    ("The word Погода means weather, и все это знают давно уже.", "en", UNDETERMINED),
]
PYTHON = """\
def total(numbers):
    found = 0
    for each in numbers:
        found += each
    return found
"""
SCRIPT = """\
const total = (numbers) => {
  let found = 0;
  for (const each of numbers) found += each;
  return found;
};
"""
CODE = [
    (PYTHON, "python", PASS), (SCRIPT, "javascript", PASS), (SCRIPT, "python", FAIL),
    (f"Here is the function:\n```python\n{PYTHON}```\nIt adds numbers.", "python", PASS),
    (f"```\n{SCRIPT}", "javascript", PASS), ("print('hi')", "python", PASS),
    ("console.log('hi')", "javascript", PASS), ("x", "python", UNDETERMINED),
    ("", "python", UNDETERMINED), ("```\n```", "python", UNDETERMINED),
]  # fmt: skip


@pytest.mark.parametrize(("text", "language", "verdict"), NATURAL)
def test_natural_languages(text: str, language: str, verdict: str) -> None:
    """A candidate is recognised; what is none of them is undetermined, not a fail."""
    assert natural_language(text, language, THREE).verdict == verdict


@pytest.mark.parametrize(("text", "language", "verdict"), CODE)
def test_programming_languages(text: str, language: str, verdict: str) -> None:
    """With and without fences; what parses in both goes by its words."""
    assert programming_language(text, language, ("python", "javascript")).verdict == verdict


def test_reading_again_reads_the_same() -> None:
    """Nothing is drawn at random."""
    text = "Message important sur la table."
    assert len({natural_language(text, "fr", THREE) for _ in range(30)}) == 1


@given(st.text(max_size=80))
def test_any_text_has_a_verdict(text: str) -> None:
    """No text breaks a reader."""
    offered = {PASS, FAIL, UNDETERMINED}
    assert natural_language(text, "en", THREE).verdict in offered
    assert programming_language(text, "python", ("python", "javascript")).verdict in offered
