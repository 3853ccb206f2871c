"""What is to be asked next: keys in a fixed order, leased a few at a time, never all in memory."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.runs import GenerationKey, Message
from db.run_sessions import RunSessionStore
from evals.attempts import stopped_within
from evals.models import Prompt

AHEAD = 32  # keys that are leased at once, at least; one transaction each time
READ = 500  # keys that are looked up at once
LOOK = 0.5  # seconds between two looks at what another session asks


@dataclass(frozen=True, slots=True)
class Question:
    """One frozen prompt, whatever the sample."""

    wave_item: int
    prompt_hash: str
    messages: tuple[Message, ...]


class Source:
    """Hands out every prompt of a run that has no answer, and leases it.

    The first sample of all items comes first, then the second, ...: a run that is interrupted has
    the same number of samples of each item, give or take one. What another session asks just now is
    waited for; it becomes free when that session ends without an answer.
    """

    def __init__(
        self,
        sessions: RunSessionStore,
        session: int,
        *,
        run: int,
        questions: Sequence[Question],
        samples: int,
        workers: int,
    ) -> None:
        self._sessions, self.session, self._run = sessions, session, run
        self._questions = {question.wave_item: question for question in questions}
        self._keys = self._all_keys(samples)
        self._unclaimed: deque[GenerationKey] = deque()
        self._ahead: deque[GenerationKey] = deque()
        self._elsewhere: deque[GenerationKey] = deque()
        self._most = max(AHEAD, workers)
        self._turn = asyncio.Lock()

    async def take(self, stop: asyncio.Event) -> Prompt | None:
        """Return the next prompt; ``None`` when there is none left, or the stop came."""
        async with self._turn:
            while not self._ahead and not stop.is_set():
                if fresh := self._fresh():
                    self._claim(fresh)
                elif not self._elsewhere:
                    return None
                else:
                    waited = [self._elsewhere.popleft() for _ in range(len(self._elsewhere))]
                    self._claim(waited)
                    if not self._ahead and self._elsewhere:
                        await stopped_within(stop, LOOK)
            return None if stop.is_set() else self._prompt(self._ahead.popleft())

    def _fresh(self) -> list[GenerationKey]:
        """Return the next keys without an answer; a resumed run reads past the others quickly."""
        while not self._unclaimed:
            some = list(islice(self._keys, READ))
            if not some:
                return []
            self._unclaimed.extend(self._sessions.unanswered(some))
        return [self._unclaimed.popleft() for _ in range(min(self._most, len(self._unclaimed)))]

    def _claim(self, keys: Sequence[GenerationKey]) -> None:
        claim = self._sessions.claim(self.session, keys)
        self.session = claim.session
        self._ahead.extend(claim.mine)
        self._elsewhere.extend(claim.elsewhere)

    def _prompt(self, key: GenerationKey) -> Prompt:
        return Prompt(key, self._questions[key.wave_item].messages)

    def _all_keys(self, samples: int) -> Iterator[GenerationKey]:
        for sample in range(1, samples + 1):
            for question in self._questions.values():
                yield GenerationKey(self._run, question.wave_item, question.prompt_hash, sample)
