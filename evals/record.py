"""What a run has and lacks while it goes on, and when it is no use to go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.errors import Refused, Unavailable
from core.runs import Run
from db.runs import RunStore
from evals.attempts import Ask, Attempt
from evals.models import Prompt

HOPELESS = 5  # different items that failed, while no item ever had an answer
GONE = 3  # requests in a row that found nobody, each after all its attempts


class Record:
    """Stores each reply as it comes, and knows which keys have no answer yet."""

    def __init__(
        self,
        store: RunStore,
        run: Run,
        prompts: Sequence[Prompt],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._store, self._run, self._progress = store, run, progress
        answered = store.answered(run.id)
        self._missing = {p.key: p for p in prompts if p.key not in answered}
        self.expected = len(prompts)
        self._failed: set[int] = set()
        self._unreachable = 0
        self._tell()

    @property
    def missing(self) -> tuple[Prompt, ...]:
        """The prompts that have no answer, in the order of asking."""
        return tuple(self._missing.values())

    def keep(self, prompt: Prompt, attempt: Attempt) -> None:
        """Store what came of one prompt, in one transaction.

        Raises
        ------
        Unavailable
            When the model went away, or has answered nothing of what was asked so far.
        """
        self._add(prompt, attempt)
        if attempt.fault:
            self._note(prompt, attempt)
        else:
            self._missing.pop(prompt.key, None)
            self._unreachable = 0
        self._tell()

    def reached(self, ask: Ask) -> Ask:
        """Return an ask that gives up, before anything is stored, when no request can succeed."""

        async def asked(prompt: Prompt) -> Attempt:
            attempt = await ask(prompt)
            if attempt.fault in {"unreachable", "denied"}:
                raise Unavailable(f"{self._run.model} cannot be asked: {_why(attempt)}")
            return attempt

        return asked

    def require_answers(self) -> None:
        """Raise ``Unavailable`` when all was asked and no key of the run has an answer."""
        if self.expected and len(self._missing) == self.expected:
            raise Unavailable(f"{self._run.model} gave no usable answer; see the errors of its run")

    def _add(self, prompt: Prompt, attempt: Attempt) -> None:
        try:
            self._store.store(prompt.key, attempt.reply)
        except Refused:
            # Another process on the same run was first; its answer stands, ours is dropped.
            if prompt.key not in self._store.answered(self._run.id):
                raise
            self._missing.pop(prompt.key, None)

    def _note(self, prompt: Prompt, attempt: Attempt) -> None:
        self._failed.add(prompt.key.wave_item)
        self._unreachable = self._unreachable + 1 if attempt.fault == "unreachable" else 0
        if self._unreachable >= GONE:
            kept = self.expected - len(self._missing)
            raise Unavailable(
                f"{self._run.model} went away ({_why(attempt)}); {kept} of {self.expected} answers "
                "are kept, and the same command goes on"
            )
        if len(self._failed) >= HOPELESS and len(self._missing) == self.expected:
            raise Unavailable(
                f"{self._run.model} gave no usable answer to {len(self._failed)} items; "
                f"the last error: {_why(attempt)}"
            )

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.expected - len(self._missing), self.expected)


def _why(attempt: Attempt) -> str:
    return attempt.reply.error or attempt.fault
