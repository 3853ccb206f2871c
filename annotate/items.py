"""The items of a rater's way, as a desk works on them: the pages in between do not concern it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from annotate.sitting import RatingView
from annotate.stages import Stages
from core.forms import Answer
from ui.state import Sitting


class Items(Sitting[RatingView], Protocol):
    """What a rater's desk works on: a sitting alone, or one with pages around it."""

    def save(
        self,
        answers: Mapping[str, Answer],
        comment: str = "",
        seconds: float = 0.0,
        wait: float | None = None,
    ) -> object:
        """Store the answers to the current item."""


class StagedItems:
    """Moves through the stages, and shows the item that comes next whatever page is before it."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages

    @property
    def over(self) -> bool:
        """Whether the person has gone past the last item."""
        return self._stages.sitting.over

    def view(self) -> RatingView:
        """Return the current item."""
        return self._stages.sitting.view()

    def forward(self) -> RatingView:
        """Go to the next item; a page may stand before it."""
        self._stages.forward()
        return self.view()

    def back(self) -> RatingView:
        """Go to the item before, or from a page back to an item."""
        self._stages.back()
        return self.view()

    def save(
        self,
        answers: Mapping[str, Answer],
        comment: str = "",
        seconds: float = 0.0,
        wait: float | None = None,
    ) -> object:
        """Store the answers to the current item."""
        return self._stages.save(answers, comment, seconds, wait)

    def alive(self) -> None:
        """Give a sign that somebody is there."""
        self._stages.alive()

    def leave(self) -> None:
        """End the sitting."""
        self._stages.leave()
