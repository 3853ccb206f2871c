"""How a setup stands after a call, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass

from core.choices import ChoiceSetup
from core.words import counted


@dataclass(frozen=True, slots=True)
class ChoiceSummary:
    """How a setup stands after a call.

    Attributes
    ----------
    items
        What was to be scored.
    scored, unscorable, errors
        Items with their log-probabilities; those that can never have any under this setup; those
        for which a request failed. The next call asks again about the last.
    asked, forward_calls
        What this call took.
    why_unscorable, why_error
        The first of each, with its item.
    """

    setup: ChoiceSetup
    items: int
    scored: int
    unscorable: int
    errors: int
    asked: int
    forward_calls: int
    why_unscorable: str
    why_error: str

    @property
    def words(self) -> str:
        """What a person is told at the end."""
        said = (
            f"setup {self.setup.id} ({self.setup.model}, {self.setup.build['route']}): "
            f"{self.scored} of {self.items} items scored, {self.unscorable} cannot be, "
            f"{self.errors} failed; {counted(self.asked, 'item')} asked just now, "
            f"{counted(self.forward_calls, 'forward call')}"
        )
        return f"{said}; cannot be scored: {self.why_unscorable}" if self.unscorable else said

    @property
    def why_incomplete(self) -> str:
        """Why items have no scores yet, and what to do; empty when none is left."""
        if not self.errors:
            return ""
        return (
            f"{counted(self.errors, 'item')} failed ({self.why_error}); the same command tries "
            "again"
        )
