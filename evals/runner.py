"""Running a model on frozen items: nothing missing, nothing twice, everything kept.

A run is one model configuration on one set of frozen items. What it still lacks is computed from
the study file, so an interrupted run goes on by being called again, and errors are tried again.
Several processes may work on one run: each key is leased before it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from core.errors import InputError
from core.runs import State
from db.file import StudyFile
from evals.asking import Asking, ask_all
from evals.attempts import Policy
from evals.backends import opened
from evals.budget import Budget, Caps, Estimate
from evals.dropping import require_kept
from evals.keeper import Keeper
from evals.models import ModelSpec
from evals.plan import estimate, identity, planned
from evals.record import Progress, Record, Tell
from evals.registered import require_plan, standing


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
    capped
        Whether a cap ended the call.
    answered_by
        The model ids that the endpoint named; more than one is a change in mid-run.
    tokens, cost
        What the run used over all calls; the cost in dollars, ``None`` without prices.
    """

    run: int
    expected: int
    present: int
    states: Mapping[State, int]
    errors: int
    seconds: float
    capped: bool = False
    answered_by: Sequence[str] = ()
    tokens: int = 0
    cost: float | None = None

    @property
    def complete(self) -> bool:
        """Whether every key has an answer; then the run is closed."""
        return self.present == self.expected

    @property
    def words(self) -> str:
        """What a person is told at the end: counts, states, tokens, cost, and who answered."""
        states = ", ".join(f"{n} {state}" for state, n in self.states.items() if n)
        said = f"run {self.run}: {self.present} of {self.expected} answered"
        said += f" ({states})" if states else ""
        said += f"; {self.tokens:,} tokens"
        said += "" if self.cost is None else f", ${self.cost:.4f}"
        if len(self.answered_by) > 1:
            said += f"; CAREFUL, the model changed in mid-run: {', then '.join(self.answered_by)}"
        return said

    @property
    def why_incomplete(self) -> str:
        """Why keys have no answer, and what to do."""
        missing = self.expected - self.present
        if self.capped:
            return f"the cap is reached, {missing} answers are missing; a higher one goes on"
        return f"{self.errors} requests failed; the same command tries them again"


def dry(
    study: StudyFile,
    spec: ModelSpec,
    *,
    conditions: Sequence[str],
    samples: int,
    waves: Sequence[int] | None = None,
    recorded: Mapping[str, Any] | None = None,
) -> Estimate:
    """Return what a run would still ask and cost; nothing is asked.

    Raises
    ------
    RunDropped
        When it would ask nothing any more.
    """
    plan = planned(study, spec, conditions=conditions, samples=samples, waves=waves, more=recorded)
    return estimate(study, spec, plan)


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
    caps: Caps | None = None,
    tell: Tell | None = None,
    warn: Callable[[str], None] | None = None,
    recorded: Mapping[str, Any] | None = None,
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
    progress, tell
        Called with (answered, expected), and with the whole standing, first before anything is
        asked, then after every reply that is kept.
    policy
        How patiently a request is repeated.
    caps
        What the run may use over all its calls.
    warn
        Told what a person should know while the run goes on.
    recorded
        Further facts for the run's configuration, such as the rule by which it may be dropped.
    exploratory
        Whether a new run is called so; otherwise it must conform to the preregistration.

    Raises
    ------
    Refused
        When a run that is not exploratory is not preregistered, or the run was dropped
        (:class:`core.errors.RunDropped`).
    CheckFailed
        When something frozen is not what it was; nothing is asked then.
    Unavailable
        When the model cannot be reached, or answers nothing at all.
    KeyboardInterrupt
        After Ctrl-C, when everything in flight is stored.
    """
    began = perf_counter()
    if workers < 1:
        raise InputError("a run needs at least one condition, one sample and one worker")
    plan = planned(study, spec, conditions=conditions, samples=samples, waves=waves, more=recorded)
    if not exploratory:
        require_plan(study)
    with opened(spec) as backend:
        name, kind, config = identity(backend.spec, backend.build, plan)
        entry = study.runs.find(name, kind, config)  # what was begun stays what it is
        if entry is None:
            under = None if exploratory else standing(study, name, config)
            entry = study.runs.start(name, kind, config, under)
        require_kept(study, entry)
        budget = Budget(backend.spec, caps or Caps(), study.run_counts.spent(entry.id))
        with study.deferred_sync() as sync:
            record = Record(
                study.run_counts,
                Keeper(study.runs, sync, warn),
                entry,
                expected=plan.expected,
                budget=budget,
                progress=progress,
                tell=tell,
            )
            if record.present < plan.expected:
                sessions, patience = study.run_sessions, policy or Policy()
                ask_all(
                    Asking(backend, plan, record, budget, sessions, entry.id, workers, patience)
                )
                record.recount()
    complete = record.present == plan.expected
    if complete and entry.closed_at is None:
        study.runs.close(entry.id)
    spent = study.run_counts.spent(entry.id)  # by other processes as well
    return RunSummary(
        run=entry.id,
        expected=plan.expected,
        present=record.present,
        states={state: count for state, count in record.states.items() if count},
        errors=record.states["error"],
        seconds=round(perf_counter() - began, 3),
        capped=budget.exhausted,
        answered_by=tuple(study.run_counts.answered_by(entry.id)),
        tokens=spent.tokens_in + spent.tokens_out,
        cost=spec.prices.cost(spent.tokens_in, spent.tokens_out) if spec.prices else None,
    )
