"""What judges are asked about: replies of runs, by visible text alone, with their frozen items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import CheckFailed, InputError, NotFound, Refused
from core.hashing import digest_of
from core.judging import Draw, JudgementKey, Scope
from core.runs import GenerationKey
from core.study import WaveItem
from db.file import StudyFile
from evals.judges.asking import question_to_judge
from evals.judges.drawing import drawn
from evals.judges.reply import Reply
from evals.judges.rubric import Rubric
from evals.models import Prompt

Asked = tuple[int, int]  # a generation, and the how manieth time a judge is asked about it


@dataclass(frozen=True, slots=True)
class Case:
    """One request to a judge."""

    key: JudgementKey
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Docket:
    """The replies that are to be judged, and how they were chosen."""

    scope: Scope
    replies: tuple[Reply, ...]


def docket(
    study: StudyFile,
    runs: Sequence[int],
    *,
    conditions: Sequence[str] | None = None,
    samples: int | None = None,
    draw: Draw | None = None,
    times: int = 1,
) -> Docket:
    """Return what some runs answered, in the order of runs, items and samples.

    Replies to items that were withdrawn are left out.

    Parameters
    ----------
    conditions
        All, unless some are named.
    samples
        The first so many samples of each item; all unless given.
    draw
        The stratified draw to make among these; one that a call has made alike stands.
    times
        How often a judge is asked about each reply.

    Raises
    ------
    CheckFailed
        When something frozen is not what it was: a judge would be told something else.
    Refused
        When a run was dropped, or nothing can be drawn yet.
    NotFound
        When there is no such run or condition.
    """
    if samples is not None and samples < 1:
        raise InputError("--samples-of is 1 or more")
    if times < 1 or (draw and draw.per_cell < 1):
        raise InputError("--samples and --per-cell are 1 or more")
    if faults := study.waves.faults():
        raise CheckFailed(f"{faults[0]}; no judge was asked")
    items = {item.id: item for item in study.waves.standing()}
    _require_conditions(items, conditions)
    dropped = study.run_drops.all()
    found = []
    narrowed = None if conditions is None else tuple(sorted(set(conditions)))
    scope = Scope(tuple(sorted(set(runs))), narrowed, samples, None, times)
    for number in scope.runs:
        if study.runs.run(number).id in dropped:
            raise Refused(f"run {number} was dropped; what it said is not judged")
        for generation in study.runs.generations(number):
            item = items.get(generation.wave_item)
            where = (generation.sample, generation.id)
            if item and scope.holds(number, item.condition, *where):
                found.append(Reply(generation, item.condition, item.scenario, item.document))
    if draw is None:
        return Docket(scope, tuple(found))
    made = drawn(study, replace(scope, draw=draw), found)
    wanted = tuple(reply for reply in found if reply.generation.id in made.drawn)
    return Docket(replace(scope, draw=made), wanted)


def cases(
    rubric: Rubric, judge: int, wanted: Docket, done: Collection[Asked] = ()
) -> tuple[Case, ...]:
    """Return the requests that a judge still needs: none for a reply with nothing to read.

    Parameters
    ----------
    done
        Generations that have their verdict, each with the number of the time.
    """
    return tuple(
        _case(rubric, judge, reply, time)
        for time in range(1, wanted.scope.times + 1)
        for reply in wanted.replies
        if reply.readable and (reply.generation.id, time) not in done
    )


def _case(rubric: Rubric, judge: int, reply: Reply, time: int) -> Case:
    generation = reply.generation
    messages = question_to_judge(rubric, reply.document, generation.visible_text)
    sent = digest_of([{"role": turn.role, "content": turn.content} for turn in messages])
    # What limits, caps and seeds know a request by; it is stored under the key of the judgement.
    asked = GenerationKey(
        generation.run, generation.wave_item, sent, time, f"judged {generation.id}"
    )
    return Case(JudgementKey(judge, generation.id, sent, time), Prompt(asked, messages))


def _require_conditions(items: Mapping[int, WaveItem], conditions: Sequence[str] | None) -> None:
    known = {item.condition for item in items.values()}
    for condition in conditions or ():
        if condition not in known:
            raise NotFound(f"no frozen item is {condition}; there is {', '.join(sorted(known))}")
