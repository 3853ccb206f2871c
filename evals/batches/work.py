"""What one call works with: a run, its session, a provider, and what it says to a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.batches import Batch, BatchRequest
from core.hashing import digest_of
from core.runs import Run
from db.file import StudyFile
from evals.batches.protocol import BatchProvider
from evals.batches.rhythm import Rhythm
from evals.batches.wire import Wire
from evals.models import ModelSpec, Prompt
from evals.providers.catalogue import PROVIDERS
from evals.source import Question

Progress = Callable[[int, int], None]
LONGEST = "x" * len("wavelock-01234567890123456789-100000")  # no name of a request is longer


class Changed(Exception):
    """A request cannot be made again as it was: its item was withdrawn, or our code is another."""


@dataclass(frozen=True, slots=True)
class Work:
    """One call at work on one run.

    Attributes
    ----------
    questions
        The frozen prompts that may be asked, by their items; withdrawn ones are not among them.
    expected
        Keys that the run consists of.
    say
        Told in one line what a person should know.
    troubles
        What went wrong in this call, in the same words.
    unknown
        Batches that the provider does not know; this call leaves them alone.
    """

    study: StudyFile
    spec: ModelSpec
    run: Run
    session: int
    provider: BatchProvider
    wire: Wire
    rhythm: Rhythm
    questions: Mapping[int, Question]
    expected: int
    say: Callable[[str], None]
    progress: Progress | None = None
    troubles: list[str] = field(default_factory=list)
    unknown: set[int] = field(default_factory=set)

    def trouble(self, line: str) -> None:
        """Say what went wrong, and remember that something did."""
        self.troubles.append(line)
        self.say(line)

    def open_batches(self) -> tuple[Batch, ...]:
        """Return the open batches of the run that can be followed."""
        found = self.study.batches.open(self.run.id)
        return tuple(batch for batch in found if batch.id not in self.unknown)


def body_of(spec: ModelSpec, prompt: Prompt) -> dict[str, Any]:
    """Return the body of a request, as it would go out alone."""
    return PROVIDERS[spec.provider].call(spec, prompt).body


def size_of(provider: BatchProvider, spec: ModelSpec, prompt: Prompt) -> int:
    """Return the bytes that a request takes in a file, with the longest name that it may get."""
    return len(provider.request(LONGEST, body_of(spec, prompt)))


def same_body(work: Work, request: BatchRequest) -> dict[str, Any]:
    """Return the body of a request of a batch, which is the one that was prepared.

    Raises
    ------
    Changed
        When it is not.
    """
    question = work.questions.get(request.key.wave_item)
    if question is None:
        raise Changed("an item of it was withdrawn")
    body = body_of(work.spec, Prompt(request.key, question.messages))
    if digest_of(body) != request.body:
        raise Changed("its requests were made by another version of this program")
    return body


def requests_of(work: Work, batch: Batch) -> Sequence[bytes]:
    """Return the requests of a batch as they go out.

    Raises
    ------
    Changed
        When one cannot be made as it was prepared.
    """
    return [
        work.provider.request(batch.name(request.place), same_body(work, request))
        for request in work.study.batches.requests(batch.id)
    ]
