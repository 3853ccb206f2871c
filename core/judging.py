"""Judging as records: which judge was asked about which reply, and what it said.

A judge is a model configuration under one rubric; another rubric or another configuration is
another judge. What it said about a reply is an attempt: one that cannot be read, or that failed,
stays, and the next call makes another attempt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.runs import ModelKind, Reply, State


@dataclass(frozen=True, slots=True)
class Judge:
    """One model configuration under one rubric.

    Attributes
    ----------
    rubric, rubric_hash
        The rubric's name and version, as in ``grade 1``, and the digest of its document.
    model, kind, config
        As for a run.
    hash
        Of all of these; what makes a judge the same one.
    """

    id: int
    rubric: str
    rubric_hash: str
    model: str
    kind: ModelKind
    config: Mapping[str, Any]
    hash: str


@dataclass(frozen=True, slots=True)
class JudgementKey:
    """Which judge is asked about which generation; a sample is a further time, on purpose."""

    judge: int
    generation: int
    prompt_hash: str
    sample: int = 1


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge replied, as it goes into the study file.

    Attributes
    ----------
    verdict
        ``None`` when the reply cannot be read as one; that is never a verdict against anything.
    score
        On the scale of the rubric, where it has one.
    """

    key: JudgementKey
    reply: Reply
    verdict: str | None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How an attempt of a judge at one generation stands, and when it ended."""

    judge: int
    generation: int
    sample: int
    attempt: int
    state: State
    visible_text: str
    verdict: str | None
    score: float | None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Draw:
    """A stratified draw of replies, so that it can be told and made again.

    Attributes
    ----------
    per_cell
        Replies that the parser can read, of each model and condition.
    nonconforming
        Whether all replies that it cannot read are drawn as well.
    drawn
        The generations, once they are drawn; part of what the ledger says of a call.
    """

    per_cell: int
    nonconforming: bool
    seed: int
    drawn: tuple[int, ...] = ()

    def same(self, other: Draw | None) -> bool:
        """Whether another draw was to be made alike, whatever came of it."""
        return other is not None and replace(other, drawn=self.drawn) == self


@dataclass(frozen=True, slots=True)
class Scope:
    """Which replies a judge is to judge; ``None`` where nothing was narrowed down.

    `times` is how often it is asked about each.
    """

    runs: tuple[int, ...]
    conditions: tuple[str, ...] | None = None
    samples: int | None = None
    draw: Draw | None = None
    times: int = 1

    def holds(self, run: int, condition: str, sample: int, generation: int) -> bool:
        """Whether a reply is among them."""
        return (
            run in self.runs
            and (self.conditions is None or condition in self.conditions)
            and (self.samples is None or sample <= self.samples)
            and (self.draw is None or generation in self.draw.drawn)
        )


def scope_to_json(scope: Scope) -> dict[str, Any]:
    """Return a scope as plain values, for canonical JSON; what was not asked for is left out."""
    conditions = scope.conditions
    return {
        "runs": list(scope.runs),
        "conditions": None if conditions is None else list(conditions),
        "samples": scope.samples,
        **({"draw": {**asdict(scope.draw), "drawn": list(scope.draw.drawn)}} if scope.draw else {}),
        **({"times": scope.times} if scope.times > 1 else {}),
    }


def scope_from_json(found: Mapping[str, Any]) -> Scope:
    """Return the scope of what :func:`scope_to_json` gave."""
    conditions, draw = found["conditions"], found.get("draw")
    return Scope(
        tuple(found["runs"]),
        None if conditions is None else tuple(conditions),
        found["samples"],
        Draw(**{**draw, "drawn": tuple(draw["drawn"])}) if draw else None,
        found.get("times", 1),
    )


@dataclass(frozen=True, slots=True)
class PanelVerdicts:
    """What a panel says of replies, where a suite takes that for a score.

    Attributes
    ----------
    rubric
        Its name and version.
    judges
        The members, by number.
    verdicts
        By generation: what more than half of all members said.
    without
        By generation, why there is no verdict: ``open``, ``unreadable`` or ``no-majority``. Such a
        reply is counted, and never as one that fails.
    caveats
        What every title on these verdicts must say.
    exploratory
        Why the verdicts are exploratory; nothing where they are preregistered.
    """

    rubric: str
    judges: tuple[int, ...]
    verdicts: Mapping[int, str]
    without: Mapping[int, str]
    caveats: tuple[str, ...] = ()
    exploratory: str = ""
