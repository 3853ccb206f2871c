"""Keeping choice scores as they come, counting them, and seeing when it is no use to go on."""

from __future__ import annotations

from collections import Counter

from core.choices import ChoiceState, Scored
from core.errors import Unavailable
from evals.attempts import Attempt
from evals.choices.measure import Measured
from evals.keeper import Keeper
from evals.models import Prompt
from evals.reach import Reach, why
from evals.record import HOPELESS, Progress


class ChoiceBench:
    """What one call has brought so far."""

    def __init__(
        self,
        keeper: Keeper[tuple[int, Scored]],
        *,
        name: str,
        before: int,
        expected: int,
        progress: Progress | None,
    ) -> None:
        self._keeper, self._progress = keeper, progress
        self._name, self._before, self._expected = name, before, expected
        self.states: Counter[ChoiceState] = Counter()
        self.calls = 0
        self.reach = Reach(name, lambda: f"{self.settled} of {self._expected} items")
        self._tell()

    @property
    def settled(self) -> int:
        """Items that need not be asked again."""
        return self._before + self.states["ok"] + self.states["unscorable"]

    async def keep(self, _prompt: Prompt, attempt: Attempt | None, call: int) -> None:
        """Store what came of one item; return when it is durable.

        Raises
        ------
        Unavailable
            When the model went away, or has given nothing of what was asked so far.
        """
        if not isinstance(attempt, Measured) or attempt.scored is None:
            return  # given up between two attempts: the next call asks
        self.reach.require(attempt)
        await self._keeper.keep((call, attempt.scored))
        self.states[attempt.scored.state] += 1
        self.calls += attempt.scored.forward_calls
        self._note(attempt)
        self._tell()

    def _note(self, attempt: Attempt) -> None:
        self.reach.note(attempt)
        if self.states["error"] >= HOPELESS and self.states.total() == self.states["error"]:
            raise Unavailable(
                f"{self._name} gave no choice probability; the last error: {why(attempt)}"
            )

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.settled, self._expected)
