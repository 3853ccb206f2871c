"""The judges under one rubric, and what each of them said: read here, so that all layers may ask.

A vote is a verdict, ``unreadable``, or ``open`` where a judge has not been asked, or the request
failed. Panels are made here and never stored: the same judgements can be counted as any panel of
judges under one rubric.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InputError, NotFound
from core.judging import Judge, Judgement
from core.panels import OPEN, UNREADABLE, majority
from core.runs import Run
from core.study import UNVALIDATED
from db.file import StudyFile
from db.judges import JudgeStore

Votes = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges under one rubric, in the order of their numbers.

    Attributes
    ----------
    rubric
        Its name and version.
    verdicts
        What a reply can be judged to be.
    """

    rubric: str
    verdicts: tuple[str, ...]
    judges: tuple[Judge, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What tables call the judges: by number and model."""
        return tuple(f"judge {judge.id} ({judge.model})" for judge in self.judges)

    @property
    def name(self) -> str:
        """What tables call the whole: a judge, or a panel of so many."""
        return self.labels[0] if len(self.judges) == 1 else f"panel of {len(self.judges)}"


def panels(
    store: JudgeStore, rubric: str | None = None, judges: Sequence[int] = ()
) -> tuple[Panel, ...]:
    """Return the panels of a study: all judges under each rubric, or those that are named.

    Parameters
    ----------
    rubric
        A rubric's name, with its version where there are several.
    judges
        Numbers of judges.

    Raises
    ------
    NotFound
        When there is no such rubric or judge.
    """
    everybody = store.all()
    unknown = set(judges) - {judge.id for judge in everybody}
    if unknown:
        raise NotFound(f"there is no judge {min(unknown)}; see wavelock judge status")
    chosen = [judge for judge in everybody if not judges or judge.id in judges]
    named = [
        j for j in chosen if rubric is None or rubric in {j.rubric, j.rubric.rsplit(" ", 1)[0]}
    ]
    if rubric is not None and not named:
        known = ", ".join(dict.fromkeys(judge.rubric for judge in chosen)) or "none yet"
        raise NotFound(f"nothing was judged under “{rubric}”; there is {known}")
    return tuple(
        Panel(mine[0].rubric, _verdicts(store.rubric(sealed)), mine)
        for sealed in dict.fromkeys(judge.rubric_hash for judge in named)
        if (mine := tuple(judge for judge in named if judge.rubric_hash == sealed))
    )


def votes(store: JudgeStore, panel: Panel) -> dict[int, Votes]:
    """Return the votes of a panel's members on each generation that any of them was asked about."""
    said = [first_said(store, judge) for judge in panel.judges]
    asked = sorted({generation for mine in said for generation in mine})
    return {one: tuple(vote_of(mine.get(one)) for mine in said) for one in asked}


def first_said(store: JudgeStore, judge: Judge) -> dict[int, Judgement]:
    """Return for each generation how a judge's first sample stands; further ones are no votes."""
    return {each.generation: each for each in store.last(judge.id) if each.sample == 1}


def vote_of(said: Judgement | None) -> str:
    """Return how a judge's last attempt at a reply counts."""
    if said is None or said.state == "error":
        return OPEN
    return said.verdict or UNREADABLE


def verdict_of(cast: Sequence[str]) -> str:
    """Return what a strict majority of all members says, or why there is none."""
    if OPEN in cast:
        return OPEN
    return majority([None if vote == UNREADABLE else vote for vote in cast])


def evidence_caveats(
    study: StudyFile, runs: Collection[int], judges: Sequence[Judge]
) -> tuple[str, ...]:
    """Return what every title on verdicts must say: of the items, the runs and the judges."""
    waves = study.waves.all()
    kinds = {wave.kind for wave in waves}
    rounds = {name for wave in waves for name in wave.header.get("rounds", {})}
    found = ["simulated ratings"] if "simulated" in kinds else []
    if any(study.rounds.named(name).source == "imported" for name in rounds):
        found.append("imported ratings")
    found += [UNVALIDATED] if "declared" in kinds else []
    those = [run for run in study.runs.all() if run.id in runs]
    return (*found, *_careful("run", those), *_careful("judge", judges))


def _careful(noun: str, those: Sequence[Run | Judge]) -> Iterator[str]:
    """Say which runs or judges are fakes, and whose answers were begun for them."""
    fakes = [str(each.id) for each in those if each.kind == "scripted"]
    if len(fakes) == 1:
        yield f"{noun} {fakes[0]} is a fake, no model"
    elif fakes:
        yield f"{noun}s {', '.join(fakes)} are fakes, no models"
    brought = [str(each.id) for each in those if each.kind == "imported"]
    if brought:
        yield f"{noun}{'s' if len(brought) > 1 else ''} {', '.join(brought)}: imported outputs"
    for each in those:
        if each.config.get("prefill"):
            yield f"{noun} {each.id}: prefilled with {each.config['prefill']!r}"


def _verdicts(document: Mapping[str, Any]) -> tuple[str, ...]:
    if document.get("scale"):
        return ("pass", "fail")
    labels = document.get("labels")
    if not isinstance(labels, dict):
        raise InputError(
            "a stored rubric has neither labels nor a scale; see wavelock ledger verify"
        )
    return tuple(dict.fromkeys(labels.values()))
