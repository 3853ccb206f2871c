"""Asking a judge about replies: nothing twice, everything kept, what cannot be read tried again.

What a judge still lacks is computed from the study file, so an interrupted call goes on by being
called again. It uses the same backends, patience, limits and caps as a run.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass

from core.errors import Busy, InputError
from core.judging import Judge, Scope
from db.connection import DatabaseError
from db.file import StudyFile
from db.run_sessions import Ending
from evals.asking import once
from evals.attempts import Attempt, Policy
from evals.backends import Backend, opened
from evals.budget import Budget, Caps, Estimate
from evals.gate import Gate, tokens_of
from evals.judges.bench import Bench
from evals.judges.docket import Asked, Case, Docket, cases
from evals.judges.rubric import Rubric, rubric_to_json
from evals.judges.summary import JudgeSummary
from evals.keeper import Keeper
from evals.models import MAX_TOKENS, ModelSpec, Prompt, config
from evals.plan import require_askable
from evals.pool import drain
from evals.record import Tell
from evals.registered import judge_plan


def dry(study: StudyFile, spec: ModelSpec, rubric: Rubric, docket: Docket) -> str:
    """Say in words what a judge would be asked and what it may cost; nothing is asked or stored."""
    with opened(spec) as backend:
        known = study.judges.find(
            rubric.hash,
            backend.spec.name,
            backend.spec.kind,
            config(backend.spec, backend.build),
        )
    left = cases(rubric, 0, docket, _judged(study, known) if known else ())
    estimate = Estimate(
        calls=len(left),
        tokens_in=sum(tokens_of(case.prompt) for case in left),
        tokens_out=None,
        at_most=len(left) * (spec.max_tokens or MAX_TOKENS),
        prices=spec.prices,
    )
    return f"{spec.name}: {estimate.words}"


def judge(
    study: StudyFile,
    spec: ModelSpec,
    rubric: Rubric,
    docket: Docket,
    *,
    workers: int = 4,
    policy: Policy | None = None,
    caps: Caps | None = None,
    tell: Tell | None = None,
    warn: Callable[[str], None] | None = None,
) -> JudgeSummary:
    """Ask a judge about every reply that has no verdict of it yet.

    Raises
    ------
    InputError
        When an item lacks what the rubric asks for; nothing is asked then.
    Refused
        When another process asks the same judge just now, or the study knows the rubric's name
        and version with another text.
    Unavailable
        When the judge cannot be reached, or answers nothing at all.
    KeyboardInterrupt
        After Ctrl-C, when everything in flight is stored.
    """
    if workers < 1:
        raise InputError("a judge needs at least one worker")
    require_askable(spec)
    cases(rubric, 0, docket)  # what cannot be asked is said before a model is opened
    with opened(spec) as backend:
        asked = backend.spec
        document, recorded = rubric_to_json(rubric), config(asked, backend.build)
        entry = study.judges.take(document, asked.name, asked.kind, recorded)
        study.judges.recover(entry)
        budget = Budget(asked, caps or Caps(), study.judges.spent(entry.id))
        begun = (
            _a_call(study, entry, docket.scope) if _needed(study, entry, rubric, docket) else None
        )
        with study.deferred_sync() as sync, begun or nullcontext() as call:
            # From here on nobody else asks this judge, so what is left now is left.
            done = _judged(study, entry)
            left = cases(rubric, entry.id, docket, done)
            bench = Bench(
                rubric,
                Keeper(study.judges, sync, warn),
                {case.prompt.key: case.key for case in left},
                budget,
                name=asked.name,
                before=len(done & _wanted(docket)),
                tell=tell,
            )
            if call is not None and left:
                session = _Session(backend, bench, budget, left, workers, policy or Policy())
                asyncio.run(_ask_all(session, call))
    return _summary(study, entry, docket, bench, budget)


def _needed(study: StudyFile, entry: Judge, rubric: Rubric, docket: Docket) -> bool:
    """Whether there is anything to ask, or a scope that no call of the judge has told yet."""
    left = cases(rubric, entry.id, docket, _judged(study, entry))
    return bool(left) or docket.scope not in study.judges.scopes(entry.id)


@dataclass(frozen=True, slots=True)
class _Session:
    """What one call of a judge is made of."""

    backend: Backend
    bench: Bench
    budget: Budget
    left: Sequence[Case]
    workers: int
    policy: Policy


@contextmanager
def _a_call(study: StudyFile, entry: Judge, scope: Scope) -> Iterator[int]:
    """Be the one call of a judge, which says in the end how it ended."""
    call = study.judges.begin(entry, scope, judge_plan(study, entry))
    ending: Ending = "failed"
    try:
        yield call
        ending = "finished"
    except KeyboardInterrupt:
        ending = "interrupted"
        raise
    finally:
        # Where the file takes nothing, the next call of this judge ends it.
        with suppress(DatabaseError, Busy):
            study.judges.end(call, ending)


async def _ask_all(work: _Session, call: int) -> None:
    """Ask one prompt alone, so that a wrong address costs one request, then all others."""
    backend, budget, bench = work.backend, work.budget, work.bench
    most = backend.spec.limits.concurrency or backend.most
    workers = max(1, min(work.workers, backend.most, most, len(work.left)))
    gate, left = Gate(backend.spec.limits, workers), deque(work.left)

    async def take(stop: asyncio.Event) -> Prompt | None:
        if stop.is_set() or not left:
            return None
        prompt = left.popleft().prompt
        return prompt if await budget.room(prompt) else None

    async def keep(prompt: Prompt, attempt: Attempt | None) -> None:
        budget.settle(prompt, attempt.reply if attempt else None)
        if attempt is not None:
            await bench.keep(prompt, attempt, call)

    async with backend.asks(workers) as asks:
        through = [gate.through(ask) for ask in asks]
        await drain(once(take), [bench.reach.first(through[0])], keep, work.policy)
        await drain(take, through, keep, work.policy)


def _judged(study: StudyFile, entry: Judge) -> frozenset[Asked]:
    last = study.judges.last(entry.id)
    return frozenset((said.generation, said.sample) for said in last if said.verdict is not None)


def _wanted(docket: Docket) -> frozenset[Asked]:
    times = range(1, docket.scope.times + 1)
    readable = [reply.generation.id for reply in docket.replies if reply.readable]
    return frozenset((number, time) for number in readable for time in times)


def _summary(
    study: StudyFile, entry: Judge, docket: Docket, bench: Bench, budget: Budget
) -> JudgeSummary:
    mine, wanted = _wanted(docket), len(docket.replies) * docket.scope.times
    last = [s for s in study.judges.last(entry.id) if (s.generation, s.sample) in mine]
    return JudgeSummary(
        judge=entry,
        replies=wanted,
        verdicts=sum(said.verdict is not None for said in last),
        unreadable=sum(said.verdict is None and said.state != "error" for said in last),
        errors=sum(said.state == "error" for said in last),
        no_answer=wanted - len(mine),
        asked=bench.states.total(),
        capped=budget.exhausted,
        tokens=budget.tokens,
        cost=budget.cost,
    )
