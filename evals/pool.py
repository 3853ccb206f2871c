"""A fixed pool of workers over one source, which stops without losing what is in flight."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from evals.attempts import Ask, Attempt, Policy, persist
from evals.models import Prompt

GRACE = 30.0  # seconds that requests in flight are waited for after a stop

Take = Callable[[asyncio.Event], Awaitable[Prompt | None]]
Keep = Callable[[Prompt, Attempt | None], Awaitable[None]]


async def drain(
    take: Take, asks: Sequence[Ask], keep: Keep, policy: Policy, grace: float = GRACE
) -> None:
    """Ask every prompt of the source, and hand over each attempt as it comes.

    Cancelling (Ctrl-C) and an exception from `keep` stop the pool alike: nothing new is taken, no
    attempt is repeated, what is in flight is waited for and kept, then the reason goes on. A prompt
    that was given up is handed over without an attempt.
    """
    stop = asyncio.Event()
    workers = [asyncio.create_task(_work(take, ask, keep, policy, stop)) for ask in asks]
    try:
        await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        stop.set()
        await _finish(workers, grace)
    for worker in workers:
        failure = None if worker.cancelled() else worker.exception()
        if failure is not None:
            raise failure


async def _finish(workers: Sequence[asyncio.Task[None]], grace: float) -> None:
    _, late = await asyncio.wait(workers, timeout=grace)
    for worker in late:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)


async def _work(take: Take, ask: Ask, keep: Keep, policy: Policy, stop: asyncio.Event) -> None:
    while not stop.is_set():
        prompt = await take(stop)
        if prompt is None:
            return
        await keep(prompt, await persist(ask, prompt, policy, stop))
