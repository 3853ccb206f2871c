"""Words that must occur once, be used, or be avoided.

A keyword occurs where its characters stand, whatever their case, with no letter, digit or
combining mark beside them. So "art" is not in "start" and "lantern" not in "lanterns", while
"harbor" is in "harbor's" and "ember" in "_ember_". Letters are compared as Unicode (NFC), so the
two ways to write "é" are one. Occurrences do not overlap: "ha ha" is once in "ha ha ha". All of
the visible text counts: headings, code and quotations too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from core.verifiers import FAIL, PASS, Reading


def occurrences(text: str, keyword: str) -> int:
    """Count the occurrences of a keyword as a whole word.

    Examples
    --------
    >>> occurrences("The smart start of art class", "art")
    1
    >>> occurrences("C++ and c++", "c++")
    2
    """
    text, keyword = _plain(text), _plain(keyword)
    found, start = 0, text.find(keyword)
    while start >= 0:
        end = start + len(keyword)
        whole = not _joined(text, start) and not _joined(text, end)
        found += whole
        start = text.find(keyword, end if whole else start + 1)
    return found


def keyword_once(text: str, keyword: str) -> Reading:
    """Pass a text that uses a keyword exactly once (WISE, section 3, arXiv 2610.05278)."""
    found = occurrences(text, keyword)
    return Reading(PASS if found == 1 else FAIL, f"{found} x {keyword}")


def keywords_used(text: str, keywords: tuple[str, ...]) -> Reading:
    """Score the share of the keywords that a text uses (MOSAIC, appendix D.2)."""
    missing = [word for word in keywords if not occurrences(text, word)]
    return _share(len(keywords) - len(missing), len(keywords), "missing", missing)


def keywords_avoided(text: str, keywords: tuple[str, ...]) -> Reading:
    """Score the share of the forbidden words that a text leaves out (MOSAIC, appendix D.2)."""
    used = [word for word in keywords if occurrences(text, word)]
    return _share(len(keywords) - len(used), len(keywords), "used", used)


def _share(good: int, total: int, what: str, words: Iterable[str]) -> Reading:
    listed = ", ".join(words)
    score = good / total if total else 1.0  # nothing asked for, nothing missed
    return Reading(PASS if good == total else FAIL, listed and f"{what}: {listed}", score)


def _plain(text: str) -> str:
    if text.isascii():  # the same result, five times as fast
        return text.lower()
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded)


def _joined(text: str, at: int) -> bool:
    """Whether a boundary would cut a word: word characters stand on both of its sides."""
    return 0 < at < len(text) and _is_word(text[at - 1]) and _is_word(text[at])


def _is_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"
