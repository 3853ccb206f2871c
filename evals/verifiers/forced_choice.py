r"""The deterministic choice reader of Core-100: which of the labelled options a reply chose.

The first line of the visible text must be literally ``Answer: X`` with X one of the item's
letters. Everything else is ``nonconforming``: its own verdict, counted, and never a guess. What
the handed cases leave open is decided so:

===================================  =================  =======================================
first line                           verdict            because
===================================  =================  =======================================
``Answer: A`` and blanks or ``\r``    A                  white space at the end is invisible
``Answer: A``, later ``Answer: B``   A                  the first line decides
``Answer: b``                        nonconforming      another letter than the one offered
``**Answer: A**``, ``Answer: B)``    nonconforming      not literally the form that was asked for
an empty line before                 nonconforming      the first line is the empty one
full-width or look-alike letters     nonconforming      other characters
===================================  =================  =======================================

A line ends at ``\n`` or ``\r``; other separators (``U+2028``) are part of the line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import InputError
from core.items import LETTERS
from core.verifiers import Reading

NONCONFORMING = "nonconforming"
_FORM = re.compile(r"Answer: ([A-Z])")
_END = re.compile(r"[\r\n]")
_EVIDENCE = 200  # characters of the line that are kept


@dataclass(frozen=True, slots=True)
class ForcedChoice:
    """Reads the letter of the chosen option, or ``nonconforming``."""

    name: str = "forced-choice"
    version: str = "1"

    def read(self, text: str, document: Mapping[str, Any]) -> Reading:
        """Read one visible text; never raises for a text.

        Raises
        ------
        InputError
            When the item offers no options: there is no choice to read, in any reply to it.
        """
        letters = _letters(document)
        line = _END.split(text, maxsplit=1)[0].rstrip()
        found = _FORM.fullmatch(line)
        verdict = found[1] if found and found[1] in letters else NONCONFORMING
        return Reading(verdict, line[:_EVIDENCE])

    def faults(self, document: Mapping[str, Any]) -> tuple[str, ...]:
        """Say which options the prompt does not offer."""
        options = document.get("options") or ()
        if not options:
            return (f"{self.name}: the item offers no options",)
        prompt = "\n".join(message["content"] for message in document.get("messages", ()))
        return tuple(
            f"{self.name}: the prompt does not say “{option['label']}”, which is an option"
            for option in options
            if option["label"] not in prompt
        )


def _letters(document: Mapping[str, Any]) -> str:
    options = document.get("options")
    if not isinstance(options, list) or not options:
        name = f"{document.get('scenario', 'an item')}/{document.get('condition', '')}".rstrip("/")
        raise InputError(f"{name} offers no options, so forced-choice cannot read replies to it")
    return LETTERS[: len(options)]
