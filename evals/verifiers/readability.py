"""How easily an English text reads: Flesch Reading Ease.

206.835 - 1.015 words/sentences - 84.6 syllables/words (Flesch 1948). Words are those with letters,
sentences and syllables those of :mod:`evals.verifiers.units`. The score is not capped: very plain
texts exceed 100.
"""

from __future__ import annotations

from core.verifiers import FAIL, PASS, UNDETERMINED, Reading
from evals.verifiers.units import lexical_words, sentences, syllables

FEWEST_WORDS = 30  # below that one long word moves the score across a range of ten points
FORGIVEN = 20.0  # points beside the range at which the soft score has fallen to 0


def reading_ease(words: int, sentences: int, syllables: int) -> float:
    """Return Flesch Reading Ease from counts; needs at least one word and one sentence.

    Examples
    --------
    >>> round(reading_ease(6, 1, 6), 3)
    116.145
    """
    return 206.835 - 1.015 * words / sentences - 84.6 * syllables / words


def counts(text: str) -> tuple[int, int, int]:
    """Return the words, sentences and syllables of a text."""
    found = lexical_words(text)
    return len(found), len(sentences(text)), sum(syllables(word) for word in found)


def flesch(text: str, between: tuple[int, int], fewest_words: float) -> Reading:
    """Score how near the reading ease is to a range (MOSAIC, appendix D.2).

    1 inside, falling to 0 at 20 points beside it (ours: the paper prints no scale). Undetermined
    below `fewest_words`, and where less than half of the letters are Latin ones.
    """
    words, in_sentences, in_syllables = counts(text)
    if words < max(1, fewest_words):
        return Reading(UNDETERMINED, f"{words} words are too few")
    if not _is_latin(text):
        return Reading(UNDETERMINED, "not in Latin letters")
    ease = reading_ease(words, max(1, in_sentences), in_syllables)
    beside = max(between[0] - ease, ease - between[1], 0.0)
    score = max(0.0, 1 - beside / FORGIVEN)
    return Reading(PASS if beside == 0 else FAIL, f"reading ease {ease:.1f}", score)


def _is_latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(char < "\u0250" for char in letters) >= len(letters)
