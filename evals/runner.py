"""Running a model on frozen items: nothing missing, nothing twice, everything kept.

A run is one model configuration on one set of frozen items. What it still lacks is computed from
the study file, so an interrupted run goes on by being called again, and errors are tried again.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from core.errors import CheckFailed, InputError, NotFound, Refused
from core.runs import GenerationKey, Message, Run, State
from core.study import WaveItem
from db.file import StudyFile
from evals.attempts import Policy
from evals.backends import Backend, opened
from evals.models import ModelSpec, Prompt, config
from evals.pool import drain
from evals.record import Record
from evals.registered import require_plan, standing

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """How a run stands after a call.

    Attributes
    ----------
    expected, present
        Keys that the run consists of, and those that have an answer.
    states
        Generations by state; errors among them.
    errors
        Keys whose last attempt failed; they are tried again by the next call.
    seconds
        What this call took.
    """

    run: int
    expected: int
    present: int
    states: Mapping[State, int]
    errors: int
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether every key has an answer; then the run is closed."""
        return self.present == self.expected


def run(
    study: StudyFile,
    spec: ModelSpec,
    *,
    conditions: Sequence[str],
    samples: int,
    waves: Sequence[int] | None = None,
    workers: int = 4,
    progress: Progress | None = None,
    policy: Policy | None = None,
    exploratory: bool = True,
) -> RunSummary:
    """Ask a model every frozen prompt that has no answer yet.

    Parameters
    ----------
    study
        An open study; its connection stays in the calling thread.
    spec
        The model. With another configuration it is another run.
    conditions, samples, waves
        What is asked, and how often; all waves unless some are named.
    workers
        Requests at a time.
    progress
        Called with (answered, expected), first before anything is asked.
    policy
        How patiently a request is repeated.
    exploratory
        Whether a new run is called so; otherwise it must conform to the preregistration.

    Raises
    ------
    Refused
        When a run that is not exploratory is not preregistered.
    CheckFailed
        When something frozen is not what it was; nothing is asked then.
    Unavailable
        When the model cannot be reached, or answers nothing at all.
    KeyboardInterrupt
        After Ctrl-C, when everything in flight is stored.
    """
    began = perf_counter()
    _check(conditions, samples, workers)
    items = _frozen(study, conditions, waves)
    if not exploratory:
        require_plan(study)
    with opened(spec) as backend:
        entry = _start(study, backend, items, conditions, samples, exploratory=exploratory)
        expected = prompts(entry.id, items, samples)
        record = Record(study.runs, entry, expected, progress)
        if record.missing:
            asyncio.run(_ask_all(backend, record, workers, policy or Policy()))
    if not record.missing and study.runs.run(entry.id).closed_at is None:
        study.runs.close(entry.id)
    return _summary(study, entry, record, perf_counter() - began)


def prompts(run: int, items: Sequence[WaveItem], samples: int) -> tuple[Prompt, ...]:
    """Return every request of a run: the first sample of all items, then the second, ...

    So a run that is interrupted has the same number of samples of each item, give or take one.
    """
    rendered = [(item.id, *_rendered(item)) for item in items]
    return tuple(
        Prompt(GenerationKey(run, item, prompt_hash, sample), messages)
        for sample in range(1, samples + 1)
        for item, prompt_hash, messages in rendered
    )


def _frozen(
    study: StudyFile, conditions: Sequence[str], waves: Sequence[int] | None
) -> tuple[WaveItem, ...]:
    faults = study.waves.faults()
    if faults:
        more = f" ({len(faults)} differences in all)" if len(faults) > 1 else ""
        raise CheckFailed(f"{faults[0]}{more}; no model was asked")
    items = study.waves.standing(waves)
    if not items:
        raise Refused("nothing is frozen yet, and models are run on frozen items only")
    known = {item.condition for item in items}
    for condition in conditions:
        if condition not in known:
            raise NotFound(f"no frozen item is {condition}; there is {', '.join(sorted(known))}")
    return tuple(item for item in items if item.condition in conditions)


def _check(conditions: Sequence[str], samples: int, workers: int) -> None:
    if not conditions or samples < 1 or workers < 1:
        raise InputError("a run needs at least one condition, one sample and one worker")


def _start(
    study: StudyFile,
    backend: Backend,
    items: Sequence[WaveItem],
    conditions: Sequence[str],
    samples: int,
    *,
    exploratory: bool,
) -> Run:
    numbers = {wave.id: wave.number for wave in study.waves.all()}
    asked = {
        "suite": study.info.suite,
        "conditions": sorted(set(conditions)),
        "samples": samples,
        "waves": sorted({numbers[item.wave] for item in items}),
    }
    recorded = {**config(backend.spec, backend.build), **asked}
    name, kind = backend.spec.name, backend.spec.kind
    if exploratory or study.runs.known(name, kind, recorded):  # what was begun stays what it is
        return study.runs.start(name, kind, recorded)
    return study.runs.start(name, kind, recorded, standing(study, name, recorded))


def _rendered(item: WaveItem) -> tuple[str, tuple[Message, ...]]:
    """Return the hash and the messages of a frozen prompt, exactly as frozen."""
    turns: Any = item.document.get("messages")
    prompt_hash = item.document.get("prompt_hash")
    if not turns or not prompt_hash:
        name = f"{item.scenario}/{item.condition}"
        raise Refused(f"{name} was frozen without a prompt, so no model can be asked")
    return prompt_hash, tuple(Message(turn["role"], turn["content"]) for turn in turns)


async def _ask_all(backend: Backend, record: Record, workers: int, policy: Policy) -> None:
    """Ask one prompt alone, so that a wrong address costs one request, then all others."""
    queue = deque(record.missing)
    first = deque([queue.popleft()])
    async with backend.asks(max(1, min(workers, backend.most, len(queue)))) as asks:
        await drain(first, [record.reached(asks[0])], record.keep, policy)
        await drain(queue, asks, record.keep, policy)
    record.require_answers()


def _summary(study: StudyFile, entry: Run, record: Record, seconds: float) -> RunSummary:
    stored = study.runs.generations(entry.id)
    states = Counter(generation.state for generation in stored)
    return RunSummary(
        run=entry.id,
        expected=record.expected,
        present=record.expected - len(record.missing),
        states=dict(states),
        errors=states["error"],
        seconds=round(seconds, 3),
    )
