"""Which key does what, as a person mapped it, and which answer a character means.

Digits count whatever keyboard they come from: the digit row of a French one without Shift, digits
of other scripts, the number pad.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.settings import Settings

if TYPE_CHECKING:  # keys are loaded before the first painting, forms after it
    from core.forms import Choice, Form, Question

FRENCH = dict(zip("&é\"'(-è_ç", "123456789", strict=True))
SIGNS = {"left": "←", "right": "→", "up": "↑", "down": "↓", "pageup": "PgUp", "pagedown": "PgDn"}


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


def choice_of(choices: Sequence[Choice], typed: str) -> Choice | None:
    """Return the answer that a key gives; one that is offered as it was typed comes first."""
    for key in (typed, typed.lower(), plain_key(typed)):
        for choice in choices:
            if choice.key == key:
                return choice
    return None


def of_label(choices: Sequence[Choice], typed: str) -> Choice | None:
    """Return the answer whose words were typed in full, if there is just one."""
    found = [choice for choice in choices if choice.label.casefold() == typed.casefold()]
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one person."""

    settings: Settings = field(default_factory=Settings)

    def of(self, command: str) -> str:
        """Return the key of a command as it is shown."""
        key = self.settings.commands[command]
        return SIGNS.get(key, key if len(key) == 1 else key.capitalize())

    def pair(self, one: str, other: str, between: str = " ") -> str:
        """Return the keys of two commands that belong together."""
        return f"{self.of(one)}{between}{self.of(other)}"

    def command(self, typed: str) -> str:
        """Return the command of a key, as it was typed or in lower case; empty when it has none."""
        for key in (typed, typed.lower()):
            for command, mapped in self.settings.commands.items():
                if key == mapped:
                    return command
        return ""

    def answers(self, question: Question, options: tuple[str, ...]) -> tuple[Choice, ...]:
        """Return the answers to a question, with their keys."""
        mapped = self.settings.answers
        return tuple(
            replace(choice, key=mapped[place]) if place < len(mapped) else choice
            for place, choice in enumerate(question.answers(options))
        )

    def in_short(self, form: Form, options: tuple[str, ...]) -> str:
        """Return the answer keys of a form in short: ``a-e 1-5``, ``y n``."""
        short: dict[str, None] = {}
        for question in form.questions:
            keys = [choice.key for choice in self.answers(question, options)]
            if not keys:
                continue
            run = len(keys) > 2 and not self.settings.answers
            short[f"{keys[0]}-{keys[-1]}" if run else " ".join(keys)] = None
        longest = max(short, key=len, default="")
        return longest if self.settings.answers else " ".join(short)


SHIPPED = Keys()
