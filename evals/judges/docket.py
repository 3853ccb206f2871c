"""What judges are asked about: replies of runs, by visible text alone, with their frozen items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import CheckFailed, InputError, NotFound, Refused
from core.hashing import digest_of
from core.judging import JudgementKey, Scope
from core.runs import Generation, GenerationKey
from core.study import WaveItem
from db.file import StudyFile
from evals.judges.asking import question_to_judge
from evals.judges.rubric import Rubric
from evals.models import Prompt
from evals.scoring import nothing_to_read

SAMPLE = 1  # a judge is asked once about each reply; the study file has room for more


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that may be judged, with what its item was."""

    generation: Generation
    condition: str
    scenario: str
    document: Mapping[str, Any]

    @property
    def readable(self) -> bool:
        """Whether it shows anything that could be judged."""
        return not nothing_to_read(self.generation)


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
) -> Docket:
    """Return what some runs answered, in the order of runs, items and samples.

    Parameters
    ----------
    conditions
        All, unless some are named.
    samples
        The first so many samples of each item; all unless given.

    Raises
    ------
    CheckFailed
        When something frozen is not what it was: a judge would be told something else.
    Refused
        When a run was dropped.
    NotFound
        When there is no such run or condition.
    """
    if samples is not None and samples < 1:
        raise InputError("--samples-of is 1 or more")
    if faults := study.waves.faults():
        raise CheckFailed(f"{faults[0]}; no judge was asked")
    items = {item.id: item for item in study.waves.items()}
    _require_conditions(items, conditions)
    dropped = study.run_drops.all()
    found = []
    narrowed = None if conditions is None else tuple(sorted(set(conditions)))
    scope = Scope(tuple(sorted(set(runs))), narrowed, samples)
    for number in scope.runs:
        if study.runs.run(number).id in dropped:
            raise Refused(f"run {number} was dropped; what it said is not judged")
        for generation in study.runs.generations(number):
            item = items[generation.wave_item]
            if scope.holds(number, item.condition, generation.sample):
                found.append(Reply(generation, item.condition, item.scenario, item.document))
    return Docket(scope, tuple(found))


def cases(
    rubric: Rubric, judge: int, wanted: Sequence[Reply], done: Sequence[int]
) -> tuple[Case, ...]:
    """Return the requests that a judge still needs: none for a reply with nothing to read.

    Parameters
    ----------
    done
        Generations that have their verdict.
    """
    known = frozenset(done)
    return tuple(
        _case(rubric, judge, reply)
        for reply in wanted
        if reply.readable and reply.generation.id not in known
    )


def _case(rubric: Rubric, judge: int, reply: Reply) -> Case:
    generation = reply.generation
    messages = question_to_judge(rubric, reply.document, generation.visible_text)
    sent = digest_of([{"role": turn.role, "content": turn.content} for turn in messages])
    # What limits, caps and seeds know a request by; it is stored under the key of the judgement.
    asked = GenerationKey(
        generation.run, generation.wave_item, sent, SAMPLE, f"judged {generation.id}"
    )
    return Case(JudgementKey(judge, generation.id, sent, SAMPLE), Prompt(asked, messages))


def _require_conditions(items: Mapping[int, WaveItem], conditions: Sequence[str] | None) -> None:
    known = {item.condition for item in items.values()}
    for condition in conditions or ():
        if condition not in known:
            raise NotFound(f"no frozen item is {condition}; there is {', '.join(sorted(known))}")
