"""Making a batch at the provider once: written down before, looked for wherever it may be there.

In the study file stands, before the call that makes the batch begins, that it begins, and after it,
what the provider calls the batch. Whoever finds the first without the second looks for the batch at
the provider by its marker: what was accepted is adopted, and only what was not is sent again.
"""

from __future__ import annotations

from datetime import datetime

from core.batches import Batch
from core.clock import now
from core.errors import Unavailable
from core.words import counted
from evals.batches.protocol import Remote, Sought
from evals.batches.wire import Refusal, Unsure
from evals.batches.work import Changed, Work, requests_of

TRIES = 3  # calls of one session that may make one batch, each after a search that found nothing


def send(work: Work, batch: Batch) -> Batch:
    """Make a batch at the provider, or find it there; return how it stands.

    A batch that comes back without a provider's id may be there all the same: it stays open, and
    nobody else asks for its keys, until a later look says which.

    Raises
    ------
    Unavailable
        When the provider cannot be reached, or takes no such batch; in that case it has ended.
    """
    for _ in range(TRIES):
        if batch.tried_at is not None and _found(work, batch):
            break
        remote = _make(work, batch)
        batch = work.study.batches.batch(batch.id)
        if remote is not None:
            _accepted(work, batch, remote, adopted=False)
            break
        if batch.ended is not None:
            break
    else:
        work.trouble(f"batch {batch.id}: {TRIES} calls brought no answer; the same command goes on")
    return work.study.batches.batch(batch.id)


def find(work: Work, batch: Batch) -> Remote | None:
    """Look for a batch that may have been made, when it has had time to be listed.

    Raises
    ------
    Unsure
        When it cannot be known yet.
    """
    tried_at = batch.tried_at or batch.prepared_at
    passed = datetime.fromisoformat(now()) - datetime.fromisoformat(tried_at)
    left = work.rhythm.settle - max(0.0, passed.total_seconds())
    if left > 0:
        work.say(f"looking in {left:.0f} s whether batch {batch.id} was accepted")
        work.wire.rest(left)
    known = frozenset(other.remote for other in work.study.batches.all() if other.remote)
    sought = Sought(batch.marker, batch.requests, batch.file, tried_at, known)
    return work.provider.find(work.wire, sought)


def adopt(work: Work, batch: Batch, remote: Remote) -> None:
    """Take a batch that was found at the provider as the one that was sent."""
    _accepted(work, batch, remote, adopted=True)


def _found(work: Work, batch: Batch) -> bool:
    """Whether no further call may be made: the batch was found, or may be there yet."""
    try:
        remote = find(work, batch)
    except Unsure as error:
        work.trouble(f"batch {batch.id}: nobody can say yet whether it was accepted: {error}")
        return True
    if remote is not None:
        adopt(work, batch, remote)
    return remote is not None


def _make(work: Work, batch: Batch) -> Remote | None:
    """Make a batch; ``None`` when nobody knows what came of it, or it cannot be made any more."""
    store = work.study.batches
    try:
        requests = requests_of(work, batch)
        file = batch.file or work.provider.upload(work.wire, batch.marker, requests)
        store.uploaded(batch.id, file)
        store.trying(batch.id)
        return work.provider.make(work.wire, batch.marker, file, requests)
    except Changed as error:
        store.end(batch.id, "unsent", str(error))
        work.say(f"batch {batch.id} was not sent: {error}; its requests are prepared anew")
    except Unsure as error:
        work.say(f"batch {batch.id}: {error}; whether it was accepted is not known")
    except Refusal as error:
        store.end(batch.id, "unsent", str(error))
        raise Unavailable(f"{work.run.model} takes no such batch: {error}") from None
    return None


def _accepted(work: Work, batch: Batch, remote: Remote, *, adopted: bool) -> None:
    store = work.study.batches
    store.submitted(batch.id, remote.id, adopted=adopted)
    store.seen(batch.id, remote.status, remote.done, remote.failed, remote.expires_at)
    how = "was accepted before, and is found again" if adopted else "is submitted"
    size = counted(batch.requests, "request")
    work.say(f"batch {batch.id} {how}: {size}, {remote.id}")
