"""What a run has and lacks while it goes on, and when it is no use to go on."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from time import monotonic

from core.errors import Unavailable
from core.runs import Answered, Kept, Run, State
from db.run_counts import RunCountStore
from evals.attempts import Attempt
from evals.budget import Budget
from evals.keeper import Keeper
from evals.models import Prompt
from evals.reach import Reach, why
from evals.standing import Standing

HOPELESS = 5  # different items that failed, while no item ever had an answer
LATELY = 30.0  # seconds over which the rate is taken

Progress = Callable[[int, int], None]
Tell = Callable[[Standing], None]


class Record:
    """Keeps each reply as it comes, and counts; the keys themselves stay in the study file."""

    def __init__(
        self,
        counts: RunCountStore,
        keeper: Keeper[Answered],
        run: Run,
        *,
        expected: int,
        budget: Budget,
        progress: Progress | None = None,
        tell: Tell | None = None,
    ) -> None:
        self._counts, self._keeper, self._run, self._budget = counts, keeper, run, budget
        self._progress, self._say = progress, tell
        self.expected = expected
        self.states: Counter[State] = Counter()
        self._recent: deque[float] = deque(maxlen=4096)
        self._failed: set[int] = set()
        self.reach = Reach(run.model, lambda: f"{self.present} of {self.expected} answers")
        self.refresh()

    @property
    def present(self) -> int:
        """Keys that have an answer."""
        return self.states.total() - self.states["error"]

    def refresh(self) -> None:
        """Count anew in the study file, where other processes store as well."""
        self.recount()
        self._tell()

    def recount(self) -> None:
        """Count anew, without a word."""
        self.states = Counter(self._counts.states(self._run.id))

    async def keep(self, prompt: Prompt, attempt: Attempt, session: int) -> None:
        """Store what came of one prompt; return when it is durable.

        Raises
        ------
        Unavailable
            When the model went away, or has answered nothing of what was asked so far.
        """
        self.reach.require(attempt)
        kept = await self._keeper.keep(Answered(prompt.key, attempt.reply, session))
        self._count(attempt, kept)
        self._note(prompt, attempt)
        self._tell()

    def standing(self) -> Standing:
        """Return how the run stands now."""
        return Standing(
            self.expected,
            self.present,
            dict(self.states),
            self._rate(),
            self._budget.tokens,
            self._budget.cost,
        )

    def require_answers(self) -> None:
        """Raise ``Unavailable`` when all was asked and no key of the run has an answer."""
        if self.expected and not self.present and self.states["error"] >= self.expected:
            raise Unavailable(f"{self._run.model} gave no usable answer; see the errors of its run")

    def _count(self, attempt: Attempt, kept: Kept) -> None:
        if kept == "dropped":
            return  # another process was first; its answer stands, and is counted before long
        if kept == "replaced":
            self.states["error"] -= 1
        self.states[attempt.reply.state] += 1
        if not attempt.fault:
            self._recent.append(monotonic())

    def _note(self, prompt: Prompt, attempt: Attempt) -> None:
        if attempt.fault and self.present == 0:
            self._failed.add(prompt.key.wave_item)
        self.reach.note(attempt)
        if len(self._failed) >= HOPELESS and self.present == 0:
            raise Unavailable(
                f"{self._run.model} gave no usable answer to {len(self._failed)} items; "
                f"the last error: {why(attempt)}"
            )

    def _rate(self) -> float | None:
        since = monotonic() - LATELY
        while self._recent and self._recent[0] < since:
            self._recent.popleft()
        if len(self._recent) < 2:
            return None
        return (len(self._recent) - 1) / max(monotonic() - self._recent[0], 1e-9)

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.present, self.expected)
        if self._say is not None:
            self._say(self.standing())
