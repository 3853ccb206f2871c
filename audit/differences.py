"""Which words differ between two texts. Pure; what the audit screen highlights."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Scripts that are written without blanks between words; their characters stand alone. Thai, Lao,
# Myanmar and Khmer; kana and Han.
ALONE = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),
    (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
Sort = Literal["word", "alone", "blank", "sign", "mark"]
SAME = "The two texts are the same, word by word."
ONLY_BLANKS = "No word differs; the texts differ only in blanks or line breaks."


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of text that is the same on both sides, or is not."""

    text: str
    differs: bool


def differing(left: str, right: str) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Split both texts into what they share and what differs; joined, they are the texts again.

    Examples
    --------
    >>> left, right = differing("bring the couch now", "bring the lamp now")
    >>> [segment.text for segment in left if segment.differs]
    ['couch']
    >>> [segment.text for segment in right if segment.differs]
    ['lamp']
    """
    first, second = pieces(left), pieces(right)
    start = _shared(first, second)
    end = _shared(first[start:][::-1], second[start:][::-1])
    inner = first[start : len(first) - end], second[start : len(second) - end]
    sides: tuple[list[Segment], list[Segment]] = ([], [])
    for side in sides:
        _add(side, first[:start], differs=False)
    # Pairs are minimal, so that little is left for the matcher, which takes long for much.
    matcher = SequenceMatcher(None, *inner, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        _add(sides[0], inner[0][a:b], differs=kind != "equal")
        _add(sides[1], inner[1][c:d], differs=kind != "equal")
    for side in sides:
        _add(side, first[len(first) - end :], differs=False)
    return tuple(sides[0]), tuple(sides[1])


def told_without_marks(left: str, right: str) -> str:
    """Return in words why nothing is marked; empty when something is."""
    if any(segment.differs for side in differing(left, right) for segment in side):
        return ""
    return SAME if left == right else ONLY_BLANKS


def pieces(text: str) -> list[str]:
    """Split a text into words, blanks, signs, and characters that stand alone.

    An accent, a vowel sign or a joiner stays with what it belongs to: it cannot be read alone.

    Examples
    --------
    >>> pieces("it is, 猫が")
    ['it', ' ', 'is', ',', ' ', '猫', 'が']
    """
    found: list[str] = []
    before: Sort = "alone"
    for character in text:
        sort = _sort(character)
        if found and (sort == "mark" or (sort == before and sort != "alone")):
            found[-1] += character
        else:
            found.append(character)
        before = before if sort == "mark" else sort
    return found


def _sort(character: str) -> Sort:
    if character.isspace():
        return "blank"
    if character.isascii():
        return "word" if character.isalnum() or character == "_" else "sign"
    category = unicodedata.category(character)
    if category[0] == "M" or category == "Cf":
        return "mark"
    if any(first <= ord(character) <= last for first, last in ALONE):
        return "alone"
    return "word" if character.isalnum() else "sign"


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many pieces both begin with."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _add(segments: list[Segment], pieces: Sequence[str], *, differs: bool) -> None:
    """Add a run; blanks at the ends of a differing run are not marked."""
    text = "".join(pieces)
    core = text.strip()
    if not differs or not core:
        segments += [Segment(text, differs=False)] * bool(text)
        return
    start = text.index(core)
    for part, marked in ((text[:start], False), (core, True), (text[start + len(core) :], False)):
        segments += [Segment(part, marked)] * bool(part)
