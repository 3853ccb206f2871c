"""Following open batches: one look at each, or until all have ended."""

from __future__ import annotations

from datetime import datetime

from core.batches import Batch
from core.clock import now
from core.errors import Unavailable
from evals.batches.collecting import finish
from evals.batches.protocol import Remote
from evals.batches.submitting import send
from evals.batches.wire import Refusal
from evals.batches.work import Work


class NotKnown(Unavailable):
    """The provider does not know a batch, or not under this key."""


def attend(work: Work, batch: Batch) -> Batch:
    """Take an open batch one step further, unless another process is at work on it.

    One that was not sent is sent, or found again; one that goes on is looked at; one that is over
    is collected.

    Raises
    ------
    Unavailable
        When the provider cannot be reached.
    """
    store = work.study.batches
    if not store.hold(batch.id, work.session):
        return store.batch(batch.id)
    batch = store.batch(batch.id)
    if not batch.remote:
        batch = send(work, batch)
    if batch.remote and batch.ended is None:
        try:
            remote = look(work, batch)
        except NotKnown as error:
            work.unknown.add(batch.id)
            work.trouble(str(error))
        else:
            if remote.over:
                finish(work, batch, remote)
            else:
                store.seen(batch.id, remote.status, remote.done, remote.failed, remote.expires_at)
    return store.batch(batch.id)


def look(work: Work, batch: Batch) -> Remote:
    """Return how a batch stands at the provider.

    Raises
    ------
    NotKnown
        When it says no. That it does not know the batch may come from another account's key; so
        the batch stays open, until somebody says that it is lost.
    """
    try:
        remote = work.provider.look(work.wire, batch.remote)
    except Refusal as error:
        raise NotKnown(
            f"batch {batch.id} ({batch.remote}) cannot be looked at: {error}; with the key that it "
            f"was sent with it can; if it is lost: wavelock runs cancel {batch.id} --lost REASON"
        ) from None
    if remote.id != batch.remote:
        raise Unavailable(
            f"{work.spec.base_url} answers about no batch when asked for {batch.remote}"
        )
    return remote


def follow(work: Work) -> None:
    """Look at the open batches of the run again and again until none is open.

    The waits grow from `poll` to `most`; news makes them short again. A provider that cannot be
    reached for a while is waited for. What is open long after its end is left to the next call.
    """
    quiet, silent = 0, 0
    before = _seen(work)
    while work.open_batches():
        if _overdue(work):
            work.trouble("a batch is over its time and has not ended; the same command looks again")
            return
        work.wire.rest(work.rhythm.between_looks(quiet))
        try:
            for batch in work.open_batches():
                attend(work, batch)
            silent = 0
        except Unavailable:
            silent += 1
            if silent >= work.rhythm.attempts:
                raise
        now_ = _seen(work)
        quiet, before = (quiet + 1 if now_ == before else 0), now_
        tell(work)


def tell(work: Work) -> None:
    """Show how far the run is: answers that are here, and requests that the provider finished."""
    if work.progress is not None:
        states = work.study.run_counts.states(work.run.id)
        here = sum(states.values()) - states.get("error", 0)
        there = sum(batch.done for batch in work.open_batches())
        work.progress(min(work.expected, here + there), work.expected)


def _seen(work: Work) -> list[tuple[int, str, int, int]]:
    opened = work.open_batches()
    return [(batch.id, batch.status, batch.done, batch.failed) for batch in opened]


def _overdue(work: Work) -> bool:
    """Whether every open batch is long past its end."""
    at = datetime.fromisoformat(now())
    ends = [batch.expires_at for batch in work.open_batches()]
    return all(
        end is not None and (at - datetime.fromisoformat(end)).total_seconds() > work.rhythm.overdue
        for end in ends
    )
