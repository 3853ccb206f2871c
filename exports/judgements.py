"""Judgements for other programs: every attempt of every judge, beside the reply it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.errors import InputError
from core.judging import Judge, Judgement
from core.runs import Generation
from core.study import WaveItem
from db.file import StudyFile
from exports.data import Data, Kind, Value

JUDGE: dict[str, Kind] = {
    "judge": "whole", "model": "text", "model_kind": "text",
    "rubric": "text", "rubric_version": "text", "rubric_hash": "text",
}  # fmt: skip
REPLY: dict[str, Kind] = {
    "run": "whole", "run_model": "text", "run_kind": "text", "dropped": "truth",
    "scenario": "text", "condition": "text", "revision": "whole", "withdrawn": "truth",
    "intervention": "text", "sample": "whole",
}  # fmt: skip
SAID: dict[str, Kind] = {
    "judge_sample": "whole", "attempt": "whole", "last": "truth", "state": "text",
    "verdict": "text", "score": "number", "time": "text",
}  # fmt: skip
TEXT: dict[str, Kind] = {"text": "text"}

Row = dict[str, Value]


def judgements_data(study: StudyFile, *, text: bool = False) -> Data:
    """Return one row per attempt: by judge, then by run, item and sample, oldest attempt first.

    An attempt without a verdict says by its state why: ``error`` where the request failed; else
    what the judge said cannot be read.

    Parameters
    ----------
    text
        Whether what the judge said stands beside what was read in it.

    Raises
    ------
    InputError
        When no judge has said anything.
    """
    items = {item.id: item for item in study.waves.items()}
    runs, dropped = {run.id: run for run in study.runs.all()}, study.run_drops.all()
    replies: dict[int, Row] = {}
    for each in study.runs.generations():
        run = runs[each.run]
        model: Row = {"run_model": run.model, "run_kind": run.kind, "dropped": run.id in dropped}
        replies[each.id] = _reply(each, items[each.wave_item]) | model
    rows = tuple(
        {**_judge(judge, study.judges.rubric(judge.rubric_hash)), **replies[number], **said}
        for judge in study.judges.all()
        for number, said in _in_order(study.judges.said(judge.id), list(replies))
    )
    if not rows:
        raise InputError("nothing to export: no judge has said anything yet")
    return Data({**JUDGE, **REPLY, **SAID, **(TEXT if text else {})}, rows)


def _in_order(said: tuple[Judgement, ...], order: list[int]) -> Iterator[tuple[int, Row]]:
    """Yield what a judge said by generation, in the order of the generations."""
    place = {generation: number for number, generation in enumerate(order)}
    last = {(each.generation, each.sample): each.attempt for each in said}
    for each in sorted(said, key=lambda e: (place[e.generation], e.sample, e.attempt)):
        newest = last[each.generation, each.sample] == each.attempt
        yield each.generation, _said(each) | {"last": newest}


def _judge(judge: Judge, rubric: Mapping[str, Value]) -> Row:
    return {
        "judge": judge.id,
        "model": judge.model,
        "model_kind": judge.kind,
        "rubric": rubric["name"],
        "rubric_version": rubric["version"],
        "rubric_hash": judge.rubric_hash,
    }


def _reply(generation: Generation, item: WaveItem) -> Row:
    return {
        "run": generation.run,
        "scenario": item.scenario,
        "condition": item.condition,
        "revision": int(item.document["revision"]),
        "withdrawn": item.withdrawn,
        "intervention": generation.intervention,
        "sample": generation.sample,
    }


def _said(judgement: Judgement) -> Row:
    return {
        "judge_sample": judgement.sample,
        "attempt": judgement.attempt,
        "state": judgement.state,
        "verdict": judgement.verdict,
        "score": judgement.score,
        "time": judgement.at,
        "text": judgement.visible_text,
    }
