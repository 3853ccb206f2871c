r"""What texts are counted in: words, lines, paragraphs, sentences, syllables.

- A **word** is what stands between white space (any that Python knows): "trade-off" is one word, a
  free-standing dash or "#" is one too, a text in a script without spaces is one.
- A **line** ends at ``\n``, ``\r`` or both. A **paragraph** is a line that is not blank.
- **Sentences** are found by nupunkt within each line; a piece without a letter or digit is none.
- **Syllables** of an English word: hyphenation (pyphen) cuts it into pieces, and in each piece
  groups of vowels are counted, leaving out a silent "-e", "-es" or "-ed". The patterns alone never
  part a single letter from the start of a word, so "about" would have one syllable.
"""

from __future__ import annotations

import re
from functools import lru_cache

import pyphen
from nupunkt import sent_tokenize

_LINE = re.compile(r"\r\n|\r|\n")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_VOWELS = re.compile(r"[aeiouyàáâäæèéêëìíîïòóôöœùúûü]+")
_SILENT = re.compile(r"(?<=[^aeiouy])e$|(?<=[^aeiouysxz])es$|(?<=[^aeiouytd])ed$")
_HYPHENATION = pyphen.Pyphen(lang="en_US")


def words(text: str) -> list[str]:
    """Return the words of a text (WISE, appendix R: Python's white-space splitting)."""
    return text.split()


def lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in _LINE.split(text) if line.strip()]


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text (MOSAIC, appendix D.1: split at one or more line ends)."""
    return lines(text)


def sentences(text: str) -> list[str]:
    """Return the sentences of an English text; a line end always ends one."""
    pieces = (str(piece) for line in lines(text) for piece in sent_tokenize(line))
    return [piece for piece in pieces if any(map(str.isalnum, piece))]


def lexical_words(text: str) -> list[str]:
    """Return the words that have letters, without the marks around them: what can be spoken."""
    return _LETTERS.findall(text)


@lru_cache(maxsize=50_000)
def syllables(word: str) -> int:
    """Count the syllables of an English word.

    Examples
    --------
    >>> [syllables(word) for word in ("about", "asked", "create", "something", "table")]
    [2, 1, 2, 2, 2]
    """
    pieces = _HYPHENATION.inserted(word.lower(), hyphen="\n").split("\n")
    return sum(max(1, len(_VOWELS.findall(_SILENT.sub("", piece)))) for piece in pieces)
