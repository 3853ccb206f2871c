"""Model runs as records: what was asked, what came back, and what was read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ModelKind = Literal["embedded", "chat", "scripted", "imported"]
State = Literal["ok", "truncated", "empty", "refused", "error"]
STATES: tuple[State, ...] = ("ok", "truncated", "empty", "refused", "error")


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Run:
    """One model configuration on frozen items."""

    id: int
    model: str
    kind: ModelKind
    config: Mapping[str, Any]
    hash: str
    created_at: str
    closed_at: str | None
    digest: str | None


@dataclass(frozen=True, slots=True)
class GenerationKey:
    """What makes a generation the same one: asked once, stored once."""

    run: int
    wave_item: int
    prompt_hash: str
    sample: int
    intervention: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back from a model for one request, raw and read.

    Attributes
    ----------
    state
        ``ok``, or why the reply cannot be scored as it is; apart from any score.
    visible_text
        What a user would see: reasoning apart, a prefill included.
    request, body
        As sent (without keys) and as received.
    """

    state: State
    visible_text: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    answered_by: str = ""
    error: str = ""
    seconds: float = 0.0
    started_at: str = ""
    ended_at: str = ""
    request: str = ""
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Generation:
    """One stored response, as scoring and tables need it."""

    id: int
    run: int
    wave_item: int
    prompt_hash: str
    intervention: str
    sample: int
    state: State
    visible_text: str


@dataclass(frozen=True, slots=True)
class Score:
    """What one version of one verifier read in one generation."""

    generation: int
    verifier: str
    version: str
    verdict: str
    evidence: str = ""
    score: float | None = None
