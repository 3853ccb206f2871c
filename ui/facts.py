"""What a person did on a screen with an item. Each fact says which item it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen

if TYPE_CHECKING:  # facts are loaded before the first painting, forms after it
    from core.forms import Answer


class Fact(Message):
    """Something that was done about the item with this number."""

    def __init__(self, screen: Screen[None], number: int) -> None:
        super().__init__()
        self.screen = screen
        self.number = number

    @property
    def control(self) -> Screen[None]:
        """The screen on which it was done."""
        return self.screen


class Answered(Fact):
    """A question was answered."""

    def __init__(self, screen: Screen[None], number: int, question: str, value: Answer) -> None:
        super().__init__(screen, number)
        self.question = question
        self.value = value


class Noted(Fact):
    """A comment or note was written."""

    def __init__(self, screen: Screen[None], number: int, text: str) -> None:
        super().__init__(screen, number)
        self.text = text


class Looked(Fact):
    """The differing words of a pair were highlighted."""


class Asked(Fact):
    """The person wants to go ``on`` or ``back``, to try ``again``, or to ``stop``."""

    def __init__(self, screen: Screen[None], number: int, wish: str) -> None:
        super().__init__(screen, number)
        self.wish = wish
