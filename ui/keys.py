"""Which answer a typed character means, whatever keyboard it comes from."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from core.forms import Choice

# The digit row of a French keyboard, as it types without Shift.
FRENCH = dict(zip("&é\"'(-è_ç", "123456789", strict=True))


def plain_key(character: str) -> str:
    """Return a typed character as the key that forms name: lower case, digits as 0 to 9.

    Examples
    --------
    >>> [plain_key(character) for character in ("A", "٣", "５", "é", "?")]
    ['a', '3', '5', '2', '?']
    """
    if len(character) != 1:
        return ""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return FRENCH.get(character.lower(), character.lower())


def choice_of(choices: Sequence[Choice], character: str) -> Choice | None:
    """Return the answer that a character gives; a key that is offered as it is comes first."""
    for key in (character.lower(), plain_key(character)):
        for choice in choices:
            if choice.key == key:
                return choice
    return None


def of_label(choices: Sequence[Choice], typed: str) -> Choice | None:
    """Return the answer whose words were typed in full, if there is just one."""
    found = [choice for choice in choices if choice.label.casefold() == typed.casefold()]
    return found[0] if len(found) == 1 else None
