"""A screen before another one, which closes once."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialogue(ModalScreen[T]):
    """Base of the dialogues.

    Over a network several keys may arrive at once. The first that closes a dialogue closes it; the
    others were meant for it as well, and do nothing.
    """

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close with a result, unless it is closed already."""
        return super().dismiss(result) if self.is_current else AwaitComplete()
