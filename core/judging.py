"""Judging as records: which judge was asked about which reply, and what it said.

A judge is a model configuration under one rubric; another rubric or another configuration is
another judge. What it said about a reply is an attempt: one that cannot be read, or that failed,
stays, and the next call makes another attempt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
    """Which judge is asked about which generation, and for the how manieth time on purpose."""

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
    """How the last attempt of a judge at one generation stands."""

    judge: int
    generation: int
    sample: int
    attempt: int
    state: State
    visible_text: str
    verdict: str | None
    score: float | None


@dataclass(frozen=True, slots=True)
class JudgingCall:
    """One call of a judge, from its start to its end."""

    id: int
    judge: int
    started_at: str
    ended_at: str | None
    ended: str | None
