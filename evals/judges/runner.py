"""Asking a judge about replies: nothing twice, everything kept, what cannot be read tried again.

What a judge still lacks is computed from the study file, so an interrupted call goes on by being
called again. It uses the same backends, patience, limits and caps as a run.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
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
from evals.judges.docket import Case, Docket, Reply, cases
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
    done = _judged(study, known) if known else frozenset[int]()
    left = cases(rubric, 0, docket.replies, tuple(done))
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
    wanted = docket.replies
    cases(rubric, 0, wanted, ())  # what cannot be asked is said before a model is opened
    with opened(spec) as backend:
        asked = backend.spec
        document, recorded = rubric_to_json(rubric), config(asked, backend.build)
        entry = study.judges.take(document, asked.name, asked.kind, recorded)
        study.judges.recover(entry)
        done = _judged(study, entry) & {reply.generation.id for reply in wanted}
        left = cases(rubric, entry.id, wanted, tuple(done))
        budget = Budget(asked, caps or Caps(), study.judges.spent(entry.id))
        with study.deferred_sync() as sync:
            bench = Bench(
                rubric,
                Keeper(study.judges, sync, warn),
                {case.prompt.key: case.key for case in left},
                budget,
                name=asked.name,
                before=len(done),
                tell=tell,
            )
            if left or docket.scope not in study.judges.scopes(entry.id):
                session = _Session(backend, bench, budget, left, workers, policy or Policy())
                _in_a_call(study, entry, docket.scope, session)
    return _summary(study, entry, wanted, bench, budget)


@dataclass(frozen=True, slots=True)
class _Session:
    """What one call of a judge is made of."""

    backend: Backend
    bench: Bench
    budget: Budget
    left: Sequence[Case]
    workers: int
    policy: Policy


def _in_a_call(study: StudyFile, entry: Judge, scope: Scope, session: _Session) -> None:
    """Ask everything in a call of its own that says how it ended."""
    call = study.judges.begin(entry, scope, judge_plan(study, entry))
    ending: Ending = "failed"
    try:
        if session.left:
            asyncio.run(_ask_all(session, call))
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
        await drain(once(take), [bench.reached(through[0])], keep, work.policy)
        await drain(take, through, keep, work.policy)


def _judged(study: StudyFile, entry: Judge) -> frozenset[int]:
    last = study.judges.last(entry.id)
    return frozenset(said.generation for said in last if said.verdict is not None)


def _summary(
    study: StudyFile, entry: Judge, wanted: Sequence[Reply], bench: Bench, budget: Budget
) -> JudgeSummary:
    mine = {reply.generation.id for reply in wanted if reply.readable}
    last = [said for said in study.judges.last(entry.id) if said.generation in mine]
    return JudgeSummary(
        judge=entry,
        replies=len(wanted),
        verdicts=sum(said.verdict is not None for said in last),
        unreadable=sum(said.verdict is None and said.state != "error" for said in last),
        errors=sum(said.state == "error" for said in last),
        no_answer=len(wanted) - len(mine),
        asked=bench.states.total(),
        capped=budget.exhausted,
        tokens=budget.tokens,
        cost=budget.cost,
    )
