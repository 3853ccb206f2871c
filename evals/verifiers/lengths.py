"""How long a text is: words, paragraphs, sentences."""

from __future__ import annotations

from statistics import pstdev

from core.verifiers import FAIL, PASS, Reading
from evals.verifiers.units import paragraphs, sentences, words

FULL_SPREAD = 10  # words; the standard deviation that scores 1 (ours: the paper prints no scale)


def word_count(text: str, exactly: int) -> Reading:
    """Pass a text of exactly so many words (WISE, Eq. 3, arXiv 2610.05278)."""
    found = len(words(text))
    return Reading(PASS if found == exactly else FAIL, f"{found} words")


def word_range(text: str, between: tuple[int, int]) -> Reading:
    """Pass a text whose number of words lies between two ends, both allowed (WISE, section 3)."""
    found = len(words(text))
    return Reading(PASS if between[0] <= found <= between[1] else FAIL, f"{found} words")


def paragraph_count(text: str, between: tuple[int, int]) -> Reading:
    """Pass a text of so many paragraphs (MOSAIC, appendix D.1)."""
    found = len(paragraphs(text))
    return Reading(PASS if between[0] <= found <= between[1] else FAIL, f"{found} paragraphs")


def paragraph_sentences(text: str, between: tuple[int, int]) -> Reading:
    """Score the share of paragraphs with so many sentences; all must comply to pass (MOSAIC, D.1).

    A text without a paragraph has none that complies.
    """
    found = [len(sentences(paragraph)) for paragraph in paragraphs(text)]
    good = sum(between[0] <= count <= between[1] for count in found)
    return _share(good, len(found), "sentences: " + ", ".join(map(str, found)))


def sentence_maximum(text: str, at_most: int) -> Reading:
    """Score the share of sentences of at most so many words (MOSAIC, appendix D.3)."""
    found = [len(words(sentence)) for sentence in sentences(text)]
    good = sum(count <= at_most for count in found)
    return _share(good, len(found), f"longest sentence: {max(found, default=0)} words")


def sentence_variation(text: str, full_spread: float) -> Reading:
    """Score how far the lengths of sentences vary (MOSAIC, appendix D.3).

    The score is the standard deviation of the words per sentence over `full_spread`, at most 1. A
    single sentence varies by nothing.
    """
    found = [len(words(sentence)) for sentence in sentences(text)]
    spread = pstdev(found) if found else 0.0
    score = min(1.0, spread / full_spread)
    return Reading(PASS if score == 1 else FAIL, f"standard deviation {spread:.2f} words", score)


def _share(good: int, total: int, evidence: str) -> Reading:
    return Reading(
        PASS if total and good == total else FAIL, evidence, good / total if total else 0.0
    )
