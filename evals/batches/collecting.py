"""Collecting the results of a batch that is over: every line kept, every request accounted for.

Results are stored as they come, some hundred to a transaction. A call that ends in the middle loses
nothing: the next one reads the results again and passes over what it knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.batches import Batch, BatchRequest, Outcome, Result, StrayLine
from core.clock import now
from core.errors import CheckFailed, Unavailable
from core.hashing import canonical, digest_bytes
from core.runs import Answered, Reply
from core.words import counted
from evals.batches.lines import Line
from evals.batches.protocol import Remote
from evals.batches.wire import CutOff, Refusal
from evals.batches.work import Changed, Work, same_body
from evals.providers.catalogue import PROVIDERS

GROUP = 200  # results to a transaction
DOWNLOADS = 3  # tries of one call to read the results to their end
GONE = {404, 410}
SAID: Mapping[str, Outcome] = {
    "errored": "errored", "expired": "expired", "cancelled": "cancelled",
}  # fmt: skip
UNASKED: Mapping[str, Outcome] = {"expired": "expired", "cancelled": "cancelled"}
STRAYS = {
    "unknown": "of a request that was never sent",
    "twice": "about a request that had one already",
    "unreadable": "that cannot be read",
    "held": "with an answer to a key that has one",
    "withdrawn": "about an item that was withdrawn",
}


def finish(work: Work, batch: Batch, remote: Remote) -> None:
    """Bring a batch that is over to its end in the study file.

    Raises
    ------
    Unavailable
        When its results may not be read with this key.
    CheckFailed
        When its requests cannot be made again as they were.
    """
    if remote.refused:
        work.study.batches.end(batch.id, "failed", remote.refused)
        work.trouble(f"batch {batch.id} was refused as a whole: {remote.refused}")
        return
    try:
        complete = _collect(work, batch, remote)
    except Refusal as error:
        if error.status not in GONE:
            raise Unavailable(f"the results of batch {batch.id} cannot be had: {error}") from None
        work.study.batches.end(batch.id, "gone", str(error))
        lost = work.study.batches.outcomes(batch.id).get("lost", 0)
        work.trouble(f"the results of batch {batch.id} are gone ({error}): {lost:,} are lost")
        return
    if complete:
        work.study.batches.end(batch.id, "collected", left=UNASKED.get(remote.status))
        _tell(work, batch)


def _collect(work: Work, batch: Batch, remote: Remote) -> bool:
    """Read and store the results; return whether they came to their end.

    A download may end early and look whole. So where lines are missing it is read again, and only
    what is in none of the downloads is taken for missing.
    """
    said, known = "", 0
    for number in range(1, DOWNLOADS + 1):
        if number > 1:
            work.wire.rest(work.rhythm.before_trying_again(number - 1, None) or 0.0)
        try:
            _read(work, batch, remote)
            said = ""
        except CutOff as error:
            said = str(error)
        known = sum(work.study.batches.outcomes(batch.id).values())
        if not said and (known == batch.requests or remote.status in UNASKED):
            break
    if not said:
        return True
    work.trouble(
        f"the results of batch {batch.id} came cut off ({said}): {known:,} of {batch.requests:,} "
        "are kept; the same command fetches them again"
    )
    return False


def _read(work: Work, batch: Batch, remote: Remote) -> None:
    group: list[Result] = []
    try:
        for result in _results(work, batch, remote):
            group.append(result)
            if len(group) >= GROUP:
                _store(work, batch, group)
                group = []
    finally:
        _store(work, batch, group)  # what came before a cut was whole


def _store(work: Work, batch: Batch, group: list[Result]) -> None:
    if group:
        work.study.run_sessions.renew(work.session)
        work.study.batches.collect(batch.id, group)


def _results(work: Work, batch: Batch, remote: Remote) -> Iterator[Result]:
    """Yield what is new; keep every line that is nobody's answer."""
    requests = {request.place: request for request in work.study.batches.requests(batch.id)}
    seen: set[int] = set()
    for raw in work.provider.results(work.wire, remote):
        line = work.provider.read(raw)
        place = batch.place(line.name)
        if line.says == "unreadable":
            work.study.batches.stray(batch.id, StrayLine("unreadable", raw))
        elif place is None:
            work.study.batches.stray(batch.id, StrayLine("unknown", raw))
        elif place in seen:
            work.study.batches.stray(batch.id, StrayLine("twice", raw))
        else:
            seen.add(place)
            if requests[place].outcome is None:
                yield _result(work, batch, requests[place], line, raw)


def _result(work: Work, batch: Batch, request: BatchRequest, line: Line, raw: bytes) -> Result:
    sealed = digest_bytes(raw)
    if request.key.wave_item not in work.questions:
        work.study.batches.stray(batch.id, StrayLine("withdrawn", raw))
        return Result(request.place, "withdrawn", sealed)
    reply = _reply(work, batch, request, line, raw)
    outcome = SAID.get(line.says) or ("errored" if reply.state == "error" else "answered")
    answered = Answered(request.key, reply, work.session)
    return Result(request.place, outcome, digest_bytes(reply.body), answered)


def _reply(work: Work, batch: Batch, request: BatchRequest, line: Line, raw: bytes) -> Reply:
    """Return the reply that a line brings: the one that its body alone would have been.

    How long the model took is not known: `seconds` is 0, and the times are those of the batch.
    """
    try:
        body = same_body(work, request)
    except Changed as error:
        raise CheckFailed(f"batch {batch.id} cannot be read: {error}; use that one") from None
    sent = {"batch": batch.remote, "custom_id": line.name, "body": body}
    if line.says == "body":
        reply = PROVIDERS[work.spec.provider].read(line.body, work.spec.prefill)
    elif line.says == "errored":
        reply = Reply("error", error=line.error)
    else:  # it was never asked, and nobody pays for it
        reply = Reply("error", error=line.error, tokens_in=0, tokens_out=0)
    reply = replace(
        reply,
        started_at=batch.submitted_at or batch.prepared_at,
        ended_at=now(),
        request=canonical(sent),
        body=raw,
    )
    return work.wire.mask.reply(reply)


def _tell(work: Work, batch: Batch) -> None:
    """Say what a batch brought, and what of its results is out of order."""
    outcomes = work.study.batches.outcomes(batch.id)
    came = ", ".join(f"{n:,} {outcome}" for outcome, n in outcomes.items())
    work.say(f"batch {batch.id} is collected: {came}")
    if missing := outcomes.get("missing", 0):
        work.say(f"batch {batch.id}: the results have no line for {missing:,} of its requests")
    for kind, n in work.study.batches.strays(batch.id).items():
        work.say(f"batch {batch.id}: {counted(n, 'line')} {STRAYS[kind]}, kept and not counted")
