"""How far apart two texts are, in the three measures that a pair audit reports."""

from __future__ import annotations

from dataclasses import dataclass

from rapidfuzz.distance import Indel, Levenshtein


@dataclass(frozen=True, slots=True)
class Distance:
    """How far two texts are apart.

    Attributes
    ----------
    words
        Words (between blanks) of one and of the other, without sign.
    similarity
        Character similarity: 1 - indel distance / (len a + len b), where the indel distance counts
        inserted and deleted characters (rapidfuzz).
    token_edits
        Levenshtein distance over the words.
    """

    words: int
    similarity: float
    token_edits: int


def distance(one: str, other: str) -> Distance:
    """Measure two texts.

    Examples
    --------
    >>> distance("carry the couch over", "carry the lamp over").token_edits
    1
    """
    left, right = one.split(), other.split()
    return Distance(
        words=abs(len(left) - len(right)),
        similarity=Indel.normalized_similarity(one, other),
        token_edits=Levenshtein.distance(left, right),
    )
