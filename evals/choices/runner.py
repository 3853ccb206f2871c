"""Asking for the choice probabilities of frozen items: nothing twice, everything kept.

What a setup still lacks is computed from the study file, so an interrupted call goes on by being
called again. The study knows a setup by everything that decides its numbers, so another build never
continues what one began.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from core.choices import ChoiceSetup
from core.errors import Busy, InputError, Unavailable
from core.words import counted
from db.connection import DatabaseError
from db.file import StudyFile
from db.run_sessions import Ending
from evals.asking import once
from evals.attempts import Attempt, Policy
from evals.choices.bench import ChoiceBench
from evals.choices.docket import Case, Docket
from evals.choices.measure import asking, plan
from evals.choices.open import opened_scorer
from evals.choices.routes import Broken, Scorer, Unscorable
from evals.choices.summary import ChoiceSummary
from evals.choices.words import Wanted
from evals.gate import Gate
from evals.keeper import Keeper
from evals.models import ModelSpec, Prompt
from evals.pool import drain
from evals.record import Progress


def config_of(scorer: Scorer, wanted: Wanted) -> dict[str, Any]:
    """Return what a setup records beside its build."""
    spec = scorer.spec
    return {**wanted.document, "asked_for": spec.called, "system_prompt": spec.system}


def ask_choices(
    study: StudyFile,
    spec: ModelSpec,
    docket: Docket,
    *,
    workers: int = 4,
    policy: Policy | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
) -> ChoiceSummary:
    """Ask for every item that has no scores under this setup yet.

    Raises
    ------
    Refused
        When another process asks under the same setup just now.
    Unavailable
        When the model cannot be reached, gives no log-probabilities of given tokens, or fails
        throughout.
    KeyboardInterrupt
        After Ctrl-C, when everything in flight is stored.
    """
    if workers < 1:
        raise InputError("asking needs at least one worker")
    with opened_scorer(spec) as scorer:
        asked = config_of(scorer, docket.wanted)
        setup = study.choices.take(scorer.spec.name, scorer.kind, scorer.build, asked)
        study.choices.recover(setup)
        done = _settled(study, setup, docket)
        left = docket.cases(setup.id, tuple(done))
        with study.deferred_sync() as sync:
            bench = ChoiceBench(
                Keeper(study.choices, sync, warn),
                name=scorer.spec.name,
                before=len(done),
                expected=len(docket.items),
                progress=progress,
            )
            if left or docket.scope not in study.choices.scopes(setup.id):
                work = _Work(scorer, bench, docket.wanted, left, workers, policy or Policy())
                _in_a_call(study, setup, docket, work)
    return _summary(study, setup, docket, bench)


def dry(study: StudyFile, spec: ModelSpec, docket: Docket) -> str:
    """Say in words what asking would take. Texts are tokenised; no item passes through a model."""
    with opened_scorer(spec) as scorer:
        asked = config_of(scorer, docket.wanted)
        known = study.choices.find(scorer.spec.name, scorer.kind, scorer.build, asked)
        done = _settled(study, known, docket) if known else frozenset[int]()
        left = docket.cases(0, tuple(done))
        calls, tokens, why = asyncio.run(_counted(scorer, docket.wanted, left))
    said = (
        f"{scorer.spec.name}, {scorer.build['route']}: {counted(len(left), 'item')}, "
        f"{counted(calls, 'forward call')} over {counted(tokens, 'token')}"
    )
    return said if not why else f"{said}; {counted(len(why), 'item')} cannot be scored: {why[0]}"


async def _counted(
    scorer: Scorer, wanted: Wanted, left: Sequence[Case]
) -> tuple[int, int, list[str]]:
    """Return forward calls, the tokens that they read, and why items cannot be scored."""
    calls = tokens = 0
    why: list[str] = []
    async with scorer.routes(1) as (route, *_):
        for case in left:
            try:
                planned = await plan(route, scorer.spec, case, wanted)
            except Unscorable as error:
                why.append(f"{case.name}: {error}")
                continue
            except Broken as broken:
                raise Unavailable(f"{case.name}: {broken.attempt.reply.error}") from None
            calls += (each := route.calls(planned.paths))
            tokens += each * len(planned.prompt)
    return calls, tokens, why


@dataclass(frozen=True, slots=True)
class _Work:
    """What one call is made of."""

    scorer: Scorer
    bench: ChoiceBench
    wanted: Wanted
    left: Sequence[Case]
    workers: int
    policy: Policy


def _in_a_call(study: StudyFile, setup: ChoiceSetup, docket: Docket, work: _Work) -> None:
    """Ask everything in a call of its own that says how it ended."""
    call = study.choices.begin(setup, docket.scope)
    ending: Ending = "failed"
    try:
        if work.left:
            asyncio.run(_ask_all(work, call))
        ending = "finished"
    except KeyboardInterrupt:
        ending = "interrupted"
        raise
    finally:
        # Where the file takes nothing, the next call of this setup ends it.
        with suppress(DatabaseError, Busy):
            study.choices.end(call, ending)


async def _ask_all(work: _Work, call: int) -> None:
    """Ask one item alone, so that a wrong address costs one request, then all others."""
    scorer, bench = work.scorer, work.bench
    most = scorer.spec.limits.concurrency or scorer.most
    workers = max(1, min(work.workers, scorer.most, most, len(work.left)))
    gate, left = Gate(scorer.spec.limits, workers), deque(work.left)
    cases: Mapping[int, Case] = {case.key.wave_item: case for case in work.left}

    async def take(stop: asyncio.Event) -> Prompt | None:
        return None if stop.is_set() or not left else left.popleft().prompt

    async def keep(prompt: Prompt, attempt: Attempt | None) -> None:
        await bench.keep(prompt, attempt, call)

    async with scorer.routes(workers) as routes:
        asks = [asking(route, scorer.spec, cases, work.wanted) for route in routes]
        through = [gate.through(ask) for ask in asks]
        await drain(once(take), [bench.reach.first(through[0])], keep, work.policy)
        await drain(take, through, keep, work.policy)


def _settled(study: StudyFile, setup: ChoiceSetup, docket: Docket) -> frozenset[int]:
    wanted = {item.id for item in docket.items}
    last = study.choices.last(setup.id)
    return frozenset(
        score.wave_item for score in last if score.state != "error" and score.wave_item in wanted
    )


def _summary(
    study: StudyFile, setup: ChoiceSetup, docket: Docket, bench: ChoiceBench
) -> ChoiceSummary:
    wanted = {item.id: item.name for item in docket.items}
    last = [score for score in study.choices.last(setup.id) if score.wave_item in wanted]
    why = {
        state: next((f"{wanted[s.wave_item]}: {s.error}" for s in last if s.state == state), "")
        for state in ("unscorable", "error")
    }
    return ChoiceSummary(
        setup=setup,
        items=len(docket.items),
        scored=sum(score.state == "ok" for score in last),
        unscorable=sum(score.state == "unscorable" for score in last),
        errors=sum(score.state == "error" for score in last),
        asked=bench.states.total(),
        forward_calls=bench.calls,
        why_unscorable=why["unscorable"],
        why_error=why["error"],
    )
