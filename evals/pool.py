"""A fixed pool of workers over one queue, which stops without losing what is in flight."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from evals.attempts import Ask, Attempt, Policy, persist
from evals.models import Prompt

GRACE = 30.0  # seconds that requests in flight are waited for after a stop

Keep = Callable[[Prompt, Attempt], None]


async def drain(
    queue: deque[Prompt],
    asks: Sequence[Ask],
    keep: Keep,
    policy: Policy,
    grace: float = GRACE,
) -> None:
    """Ask every prompt of the queue, and hand over each attempt as it comes.

    Cancelling (Ctrl-C) and an exception from `keep` stop the pool alike: nothing new is taken, no
    attempt is repeated, what is in flight is waited for and kept, then the reason goes on.
    """
    stop = asyncio.Event()
    workers = [asyncio.create_task(_work(queue, ask, keep, policy, stop)) for ask in asks]
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


async def _work(
    queue: deque[Prompt], ask: Ask, keep: Keep, policy: Policy, stop: asyncio.Event
) -> None:
    while queue and not stop.is_set():
        prompt = queue.popleft()
        attempt = await persist(ask, prompt, policy, stop)
        if attempt is not None:
            keep(prompt, attempt)
