"""Running a model by batch: submit what is missing, follow it, collect it, again and again.

The same command goes on: it collects what has ended, and submits what failed or expired.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from core.batches import Asked, Batch
from core.errors import Busy, Refused
from core.hashing import digest_of
from core.runs import Run, State
from core.words import counted
from db.connection import DatabaseError
from db.file import StudyFile
from db.run_counts import Spent
from db.run_sessions import Ending
from evals.backends import Backend, opened
from evals.batches.catalogue import batches_of
from evals.batches.estimate import (
    free_of,
    keys_of,
    planned_by_batch,
    prompts_of,
    require_room,
    unanswered,
)
from evals.batches.following import attend, follow, tell
from evals.batches.rhythm import Rhythm
from evals.batches.splitting import split
from evals.batches.submitting import send
from evals.batches.wire import Wire
from evals.batches.work import Progress, Work, body_of, size_of
from evals.budget import Caps
from evals.keys import key_of
from evals.models import ModelSpec
from evals.plan import Plan, identity
from evals.registered import require_plan, standing


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """How a batch run stands after a call.

    Attributes
    ----------
    open
        Batches that may bring something yet.
    troubles
        What went wrong in this call.
    cost
        At the batch prices; ``None`` without.
    """

    run: int
    expected: int
    present: int
    states: Mapping[State, int]
    open: tuple[Batch, ...]
    troubles: tuple[str, ...]
    tokens: int
    cost: float | None

    @property
    def complete(self) -> bool:
        """Whether every key has an answer; then the run is closed."""
        return self.present == self.expected

    @property
    def fine(self) -> bool:
        """Whether nothing went wrong, and what is missing is under way."""
        under_way = sum(batch.requests for batch in self.open)
        return not self.troubles and self.present + under_way >= self.expected

    @property
    def words(self) -> str:
        """What a person is told at the end."""
        states = ", ".join(f"{n} {state}" for state, n in self.states.items() if n)
        said = f"run {self.run}, by batch: {self.present} of {self.expected} answered"
        said += f" ({states})" if states else ""
        said += f"; {self.tokens:,} tokens"
        said += "" if self.cost is None else f", ${self.cost:.4f}"
        if self.open:
            names = ", ".join(str(batch.id) for batch in self.open)
            said += f"; open: batch {names}; the same command collects, --wait follows"
        return said

    @property
    def why_incomplete(self) -> str:
        """Why keys have no answer, and what to do."""
        under_way = sum(batch.requests for batch in self.open)
        missing = self.expected - self.present - under_way
        if missing > 0:
            return f"{counted(missing, 'request')} failed; the same command submits them again"
        return f"{self.troubles[0]}" if self.troubles else "answers are missing"


def run_by_batch(
    study: StudyFile,
    spec: ModelSpec,
    *,
    conditions: Sequence[str],
    samples: int,
    waves: Sequence[int] | None = None,
    caps: Caps | None = None,
    wait: bool = False,
    rhythm: Rhythm | None = None,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
    recorded: Mapping[str, Any] | None = None,
    exploratory: bool = True,
) -> BatchSummary:
    """Collect what has ended, submit what is missing, and follow it if asked to.

    A key is submitted once in a call: what fails is submitted again by the next one.

    Parameters
    ----------
    wait
        Whether to follow the open batches until all have ended.
    rhythm
        How patiently.
    progress, say
        Called with (answered, expected), and with what a person should know.

    Raises
    ------
    Refused
        When the provider takes no batches, the run may not be asked (see
        :func:`evals.runner.run`), or it may pass a cap.
    Unavailable
        When the provider cannot be reached, or does not take a batch.
    """
    provider = batches_of(spec)
    plan = planned_by_batch(
        study, spec, conditions=conditions, samples=samples, waves=waves, recorded=recorded
    )
    if not exploratory:
        require_plan(study)
    with opened(spec) as backend:
        within = caps or Caps()
        entry = _entry(study, backend, plan, within, exploratory=exploratory)
        with _session(study, entry, backend.spec) as session:
            patience = rhythm or Rhythm()

            def sign() -> None:
                if not study.run_sessions.renew(session):
                    raise Refused(
                        "another process took this one for dead; the same command goes on"
                    )

            wire = Wire(backend.spec, key_of(backend.spec), patience, sign)
            work = Work(
                study=study,
                spec=backend.spec,
                run=entry,
                session=session,
                provider=provider,
                wire=wire,
                rhythm=patience,
                questions={question.wave_item: question for question in plan.questions},
                expected=plan.expected,
                say=say or (lambda _: None),
                progress=progress,
            )
            try:
                _go(work, plan, within, wait=wait)
            finally:
                wire.close()
    return _summary(work)


def _go(work: Work, plan: Plan, caps: Caps, *, wait: bool) -> None:
    _tell_of_others(work)
    for batch in work.open_batches():
        attend(work, batch)
    _submit(work, plan, caps)
    tell(work)
    if wait:
        follow(work)
    states = work.study.run_counts.states(work.run.id)
    if sum(states.values()) - states.get("error", 0) == plan.expected:
        work.study.runs.close(work.run.id)


def _submit(work: Work, plan: Plan, caps: Caps) -> None:
    """Submit every key that has no answer and is in no open batch."""
    missing = unanswered(work.study, tuple(keys_of(plan, work.run.id)))
    free = free_of(work.study, missing)
    if not free:
        return
    spent = work.study.run_counts.spent(work.run.id)
    require_room(work.spec, caps, spent, prompts_of(plan, missing))
    sized = (
        (Asked(prompt.key, digest_of(body_of(work.spec, prompt))),
         size_of(work.provider, work.spec, prompt))
        for prompt in prompts_of(plan, free)
    )  # fmt: skip
    limits = work.provider.limits.at_most(work.spec.limits.batch_requests)
    for file in split(sized, limits):
        batch = work.study.batches.prepare(work.run.id, work.session, file)
        if batch is not None:
            send(work, batch)


def _entry(study: StudyFile, backend: Backend, plan: Plan, caps: Caps, *, exploratory: bool) -> Run:
    """Return the run that this is; what was begun stays what it is.

    Raises
    ------
    Refused
        When it is new and would pass a cap, conforms to no plan, or was dropped.
    """
    name, kind, config = identity(backend.spec, backend.build, plan)
    entry = study.runs.find(name, kind, config)
    if entry is None:
        require_room(backend.spec, caps, Spent(0, 0), prompts_of(plan, keys_of(plan, 0)))
        under = None if exploratory else standing(study, name, config)
        entry = study.runs.start(name, kind, config, under)
    if entry.id in study.run_drops.all():
        raise Refused(f"run {entry.id} ({entry.model}) was dropped; it takes no more answers")
    return entry


@contextmanager
def _session(study: StudyFile, run: Run, spec: ModelSpec) -> Any:
    """Be at work on a run, in a session that says how it ended."""
    session = study.run_sessions.begin(run.id, 1, spec.batch_prices)
    ending: Ending = "failed"
    try:
        yield session
        ending = "finished"
    except KeyboardInterrupt:
        ending = "interrupted"
        raise
    finally:
        with suppress(DatabaseError, Busy):
            study.run_sessions.end(session, ending)


def _tell_of_others(work: Work) -> None:
    """Say which open batches this command does not follow: theirs are other conditions or waves."""
    passed_over = {work.run.id, *work.study.run_drops.all()}
    others = [batch for batch in work.study.batches.open() if batch.run not in passed_over]
    for run in sorted({batch.run for batch in others}):
        names = ", ".join(str(batch.id) for batch in others if batch.run == run)
        work.say(
            f"note: run {run} has open batches as well ({names}); its own command collects them"
        )


def _summary(work: Work) -> BatchSummary:
    study, run = work.study, work.run.id
    states, spent = study.run_counts.states(run), study.run_counts.spent(run)
    prices = work.spec.batch_prices
    return BatchSummary(
        run=run,
        expected=work.expected,
        present=sum(states.values()) - states.get("error", 0),
        states=states,
        open=study.batches.open(run),
        troubles=tuple(work.troubles),
        tokens=spent.tokens_in + spent.tokens_out,
        cost=prices.cost(spent.tokens_in, spent.tokens_out) if prices else None,
    )
