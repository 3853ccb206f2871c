"""Which words differ between two texts. Pure; what the audit screen highlights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

# A word, a run of blanks, or one sign; characters of scripts without blanks stand alone.
PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\s+|[^\W\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]+")


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
    first, second = PIECE.findall(left), PIECE.findall(right)
    sides: tuple[list[Segment], list[Segment]] = ([], [])
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        _add(sides[0], first[a:b], differs=kind != "equal")
        _add(sides[1], second[c:d], differs=kind != "equal")
    return tuple(sides[0]), tuple(sides[1])


def _add(segments: list[Segment], pieces: list[str], *, differs: bool) -> None:
    """Add a run; blanks at the ends of a differing run are not marked."""
    text = "".join(pieces)
    core = text.strip()
    if not differs or not core:
        segments += [Segment(text, differs=False)] * bool(text)
        return
    start = text.index(core)
    for part, marked in ((text[:start], False), (core, True), (text[start + len(core) :], False)):
        segments += [Segment(part, marked)] * bool(part)
