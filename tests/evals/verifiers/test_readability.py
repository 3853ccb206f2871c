from __future__ import annotations

import pytest

from core.verifiers import FAIL, PASS, UNDETERMINED
from evals.verifiers.readability import counts, flesch, reading_ease

# Ours: 36 words, 4 sentences, 41 syllables, counted by hand.
PLAIN = (
    "The boat went down the river at dawn. We sat at the back and ate warm bread. "
    "A small boy on the bank gave us a wave and ran along. Nobody had seen him there before."
)


def test_counts_of_a_plain_text() -> None:
    """Words and sentences are those that a reader would count."""
    words, sentences, syllables = counts(PLAIN)
    assert (words, sentences) == (36, 4)
    assert syllables == 41


def test_inside_the_range_scores_one() -> None:
    """The soft score is 1 inside the range and falls beside it."""
    ease = reading_ease(*counts(PLAIN))
    inside, near = (int(ease) - 5, int(ease) + 5), (int(ease) - 25, int(ease) - 9)
    assert flesch(PLAIN, inside, 30).verdict == PASS
    assert flesch(PLAIN, inside, 30).score == 1.0
    beside = flesch(PLAIN, near, 30)
    assert beside.verdict == FAIL
    assert beside.score == pytest.approx(1 - (ease - near[1]) / 20)
    assert flesch(PLAIN, (1, 10), 30).score == 0.0


@pytest.mark.parametrize("text", ["", "Too short.", "🙂" * 40, "Слово за словом. " * 20])
def test_what_cannot_be_read_is_undetermined(text: str) -> None:
    """No words, too few, or another script: no number is made up."""
    reading = flesch(text, (70, 80), 30)
    assert (reading.verdict, reading.score) == (UNDETERMINED, None)
