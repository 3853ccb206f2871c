"""Item text as it is shown: literally, with whatever a terminal would obey made visible.

Texts come from drafters, imports and models. What is shown must be what is there: an escape
sequence, a direction override or a zero-width character may neither act nor hide.
"""

from __future__ import annotations

import re
import unicodedata

# Line breaks, tabs, and a joiner that Persian and Indic spelling needs and that nobody measures.
KEPT = frozenset("\n\t\u200c")
# Invisible by category, yet drawn: Arabic, Syriac and Kaithi signs that enclose digits.
DRAWN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd")
COVERED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
NAMES = {
    "\u00ad": "SHY", "\u061c": "ALM", "\u200b": "ZWSP", "\u200d": "ZWJ", "\u200e": "LRM",
    "\u200f": "RLM", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO",
    "\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
    "\ufeff": "BOM",
}  # fmt: skip
# Emoji joined to families, flags and professions. Elsewhere a joiner is shown by name, because
# whatever follows it would be measured as taking no room.
PICTURE = "[\u2190-\u2bff\U0001f000-\U0001faff]\ufe0f?[\U0001f3fb-\U0001f3ff]?"
FAMILY = re.compile(f"{PICTURE}(?:\u200d{PICTURE})+")


def visible(text: str) -> str:
    r"""Return a text in which nothing acts on the terminal; line breaks and tabs are kept.

    Examples
    --------
    >>> visible("a\x1b[31mb")
    'a␛[31mb'
    >>> visible("1\u202e2")
    '1‹RLO›2'
    """
    if text.isascii() and text.replace("\n", " ").replace("\t", " ").isprintable():
        return text
    shown, at = [], 0
    for family in FAMILY.finditer(text):
        shown += [*map(_shown, text[at : family.start()]), family.group()]
        at = family.end()
    return "".join([*shown, *map(_shown, text[at:])])


def _shown(character: str) -> str:
    if character in KEPT or character in DRAWN:
        return character
    if unicodedata.category(character) not in COVERED:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"‹{NAMES.get(character, f'U+{code:04X}')}›"


def one_line(text: str, width: int) -> str:
    """Return the beginning of a text on one line of at most `width` characters."""
    flat = " ".join(visible(text).split())
    return flat if len(flat) <= width else flat[: max(0, width - 1)].rstrip() + "…"
