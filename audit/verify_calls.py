"""Whether the calls of judges and of setups are what the ledger says of them, both ways.

A call that has begun and not ended is open, like a run: what it brings is sealed when it ends, by
itself or by the next call of the same judge or setup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.study import LedgerEntry
from db.calls import CallKind, SealedCall


@dataclass(frozen=True, slots=True)
class CallWords:
    """What faults call the parts of a call: what it asked about, what came, and its raw part."""

    about: str
    came: str
    bodies: str


def call_faults(
    kind: CallKind, words: CallWords, calls: Sequence[SealedCall], entries: Sequence[LedgerEntry]
) -> Iterator[str]:
    """Name calls without their entries, entries without their calls, and what does not agree."""
    by_number = {call.id: call for call in calls}
    begun, ended = (
        {int(e.payload.get("call", 0)): e for e in entries if e.event == event}
        for event in (kind.begun, kind.ended)
    )
    for number in sorted((begun.keys() | ended.keys()) - by_number.keys()):
        yield f"call {number} of a {kind.noun} is in the ledger, but not in the study"
    for number, call in by_number.items():
        for fault in _of_call(kind, words, call, begun.get(number), ended.get(number)):
            yield f"call {number} of {kind.noun} {call.caller}: {fault}"


def _of_call(
    kind: CallKind,
    words: CallWords,
    call: SealedCall,
    begun: LedgerEntry | None,
    ended: LedgerEntry | None,
) -> Iterator[str]:
    if begun is None:
        yield "it has begun without an entry"
    elif (begun.payload.get(kind.noun), begun.payload.get("scope")) != (call.caller, call.scope):
        yield f"entry {begun.sequence} names another {kind.noun} or other {words.about}"
    elif begun.at != call.started_at:
        yield f"it began at {begun.at}, not at {call.started_at}"
    if (ended is None) != (call.ended is None):
        yield "it has ended without an entry" if ended is None else "its end was taken back"
    if ended is None:
        return
    if (ended.payload.get("ended"), ended.at) != (call.ended, call.ended_at):
        yield f"how or when it ended is not what entry {ended.sequence} says"
    if {ended.payload.get("digest"), call.digest} != {call.came}:
        yield f"its {words.came} are not those of its end"
    if ended.payload.get("bodies") != call.bodies:
        yield f"its {words.bodies} are not those of its end"
