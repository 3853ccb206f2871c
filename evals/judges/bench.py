"""Keeping what a judge says as it comes, counting it, and seeing when it is no use to go on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from core.errors import Unavailable
from core.judging import Judged, JudgementKey
from core.runs import GenerationKey, State
from evals.attempts import Attempt
from evals.budget import Budget
from evals.judges.rubric import Rubric
from evals.judges.verdict import Verdict, read_verdict
from evals.keeper import Keeper
from evals.models import Prompt
from evals.reach import Reach, why
from evals.record import HOPELESS, Tell
from evals.standing import Standing

_CUT = re.compile(r"\S+$")  # the word in which a truncated text stops


def verdict_of(rubric: Rubric, state: State, text: str) -> Verdict | None:
    """Return what a judge's reply says under a rubric; ``None`` when it cannot be read.

    Of a truncated reply the last word does not count, because nobody knows how it goes on.
    """
    match state:
        case "ok":
            return read_verdict(rubric, text)
        case "truncated":
            return read_verdict(rubric, _CUT.sub("", text))
        case "empty" | "refused" | "error":
            return None


class Bench:
    """What one call of a judge has brought so far."""

    def __init__(
        self,
        rubric: Rubric,
        keeper: Keeper[tuple[int, Judged]],
        keys: Mapping[GenerationKey, JudgementKey],
        budget: Budget,
        *,
        name: str,
        before: int,
        tell: Tell | None,
    ) -> None:
        self._rubric, self._keeper, self._keys, self._budget = rubric, keeper, keys, budget
        self._name, self._before, self._say = name, before, tell
        self.states: Counter[State] = Counter()
        self.read = self.unreadable = 0
        self.reach = Reach(name, lambda: f"{self._before + self.read} verdicts")
        self._tell()

    async def keep(self, prompt: Prompt, attempt: Attempt, call: int) -> None:
        """Read and store what came of one request; return when it is durable.

        Raises
        ------
        Unavailable
            When the judge went away, or has answered nothing of what was asked so far.
        """
        self.reach.require(attempt)
        reply = attempt.reply
        found = verdict_of(self._rubric, reply.state, reply.visible_text)
        said = (found.verdict, found.score) if found else (None, None)
        await self._keeper.keep((call, Judged(self._keys[prompt.key], reply, *said)))
        self.states[reply.state] += 1
        self.read += found is not None
        self.unreadable += found is None and reply.state != "error"
        self._note(attempt)
        self._tell()

    def _note(self, attempt: Attempt) -> None:
        self.reach.note(attempt)
        if self.states["error"] >= HOPELESS and self.states.total() == self.states["error"]:
            raise Unavailable(f"{self._name} gave no usable answer; the last error: "
                              f"{why(attempt)}")  # fmt: skip

    def _tell(self) -> None:
        if self._say is not None:
            present, spent = self._before + self.read + self.unreadable, self._budget
            expected = self._before + len(self._keys)
            self._say(
                Standing(expected, present, dict(self.states), None, spent.tokens, spent.cost)
            )
