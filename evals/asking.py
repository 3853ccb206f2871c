"""One session of a run: workers, leases, limits and caps put together, from start to end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic

from core.errors import Busy, Refused
from db.connection import DatabaseError
from db.run_sessions import Ending, RunSessionStore
from evals.attempts import Attempt, Policy
from evals.backends import Backend
from evals.budget import Budget
from evals.gate import Gate
from evals.models import Prompt
from evals.plan import Plan
from evals.pool import Take, drain
from evals.record import Record
from evals.source import Source

SPREAD = 1.0  # seconds at most over which the workers begin
SIGN = 20.0  # seconds between two signs that the session goes on; a lease outlasts five misses


@dataclass(frozen=True, slots=True)
class Asking:
    """What a session of a run is made of."""

    backend: Backend
    plan: Plan
    record: Record
    budget: Budget
    sessions: RunSessionStore
    run: int
    workers: int
    policy: Policy


def ask_all(work: Asking) -> None:
    """Ask everything that has no answer, in a session of its own that says how it ended."""
    most = work.backend.spec.limits.concurrency or work.backend.most
    workers = max(1, min(work.workers, work.backend.most, most, work.plan.expected))
    session = work.sessions.begin(work.run, workers, work.backend.spec.prices)
    source = Source(
        work.sessions,
        session,
        run=work.run,
        questions=work.plan.questions,
        samples=work.plan.samples,
        workers=workers,
    )
    ending: Ending = "failed"
    try:
        _require_alone(work, session)
        asyncio.run(_ask_all(work, source, workers))
        ending = "finished"
    except KeyboardInterrupt:
        ending = "interrupted"
        raise
    finally:
        # Where the file takes nothing, the session ends by itself before long.
        with suppress(DatabaseError, Busy):
            work.sessions.end(source.session, ending)


def _require_alone(work: Asking, session: int) -> None:
    """Refuse a cap beside another process, whose requests under way it could not reserve.

    Looked at after the session began: of two that begin at once, the later one sees the other.
    """
    others = [each for each in work.sessions.of_run(work.run) if each.live and each.id < session]
    if work.budget.capped and others:
        raise Refused(
            f"another process asks run {work.run} just now, so a cap could not be kept; wait until "
            "it has ended, or go on without a cap"
        )


async def _ask_all(work: Asking, source: Source, workers: int) -> None:
    """Ask one prompt alone, so that a wrong address costs one request, then all others."""
    gate = Gate(work.backend.spec.limits, workers)

    async def take(stop: asyncio.Event) -> Prompt | None:
        prompt = await source.take(stop)
        return prompt if prompt and await work.budget.room(prompt) else None

    async def keep(prompt: Prompt, attempt: Attempt | None) -> None:
        work.budget.settle(prompt, attempt.reply if attempt else None)
        if attempt is not None:
            await work.record.keep(prompt, attempt, source.session)

    async with work.backend.asks(workers) as asks, _signs(source, work):
        through = [gate.through(ask) for ask in asks]
        began = monotonic()
        await drain(once(take), [work.record.reach.first(through[0])], keep, work.policy)
        took = min(monotonic() - began, SPREAD)
        await drain(take, through, keep, work.policy, spread=took)
    if not work.budget.exhausted:
        work.record.require_answers()


def once(take: Take) -> Take:
    """Return a source of the first prompt alone."""
    taken = False

    async def first(stop: asyncio.Event) -> Prompt | None:
        nonlocal taken
        if taken:
            return None
        taken = True
        return await take(stop)

    return first


@asynccontextmanager
async def _signs(source: Source, work: Asking) -> AsyncIterator[None]:
    """Give signs in the background, so that no other process takes the leases over."""

    async def give() -> None:
        while True:
            await asyncio.sleep(SIGN)
            try:
                work.sessions.renew(source.session)
                work.record.refresh()
            except (DatabaseError, Busy):
                continue  # the disk is full or the file busy; the next sign is in time

    signs = asyncio.create_task(give())
    try:
        yield
    finally:
        signs.cancel()
        await asyncio.gather(signs, return_exceptions=True)
