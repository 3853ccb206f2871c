"""Model runs as records: what was asked, what came back, and what was read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ModelKind = Literal["embedded", "chat", "scripted", "imported"]
State = Literal["ok", "truncated", "empty", "refused", "error"]
Kept = Literal["added", "replaced", "dropped"]
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

    @property
    def imported(self) -> bool:
        """Whether its generations came from a file: nothing here says how many there must be."""
        return self.kind == "imported"

    @property
    def finished(self) -> bool:
        """Whether every prompt has its answer; of an imported run nobody expects any more."""
        return self.closed_at is not None or self.imported


@dataclass(frozen=True, slots=True)
class ModelSet:
    """Models that an analysis is over, declared with a reason; the newest version stands."""

    name: str
    version: int
    models: tuple[str, ...]
    reason: str
    created_at: str


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
    attempts, tokens_in, tokens_out
        Over all attempts that it took; tokens are ``None`` where nobody stated them.
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
    attempts: int = 1
    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply under its key, as it goes into the study file."""

    key: GenerationKey
    reply: Reply
    session: int | None = None


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

    @property
    def silent(self) -> bool:
        """Whether it shows nothing that could be an answer."""
        if self.state in {"empty", "refused", "error"}:
            return True
        return self.state == "truncated" and not self.visible_text.strip()


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens, of what is sent and of what comes back."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return what tokens cost, in dollars.

        Examples
        --------
        >>> Prices(1.0, 5.0).cost(1_000_000, 200_000)
        2.0
        """
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


@dataclass(frozen=True, slots=True)
class RunSession:
    """One process at work on a run, from its start to its end.

    Attributes
    ----------
    live
        Whether it goes on, as far as anybody can tell.
    ended
        How: ``finished``, ``interrupted``, ``failed`` or ``lost``; nothing while it goes on.
    """

    id: int
    run: int
    workers: int
    prices: Prices | None
    started_at: str
    until: str
    ended_at: str | None
    ended: str | None
    live: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run has in one condition, state by state.

    Attributes
    ----------
    duplicates
        Rows beyond the first under one item and sample; the file refuses them, this counts them.
    """

    condition: str
    states: Mapping[State, int]
    duplicates: int = 0

    @property
    def rows(self) -> int:
        """All generations, errors among them."""
        return sum(self.states.values())

    @property
    def answered(self) -> int:
        """Generations in which a model said something, or said that it would not."""
        return self.rows - self.states.get("error", 0)


@dataclass(frozen=True, slots=True)
class Drop:
    """A run that was dropped, why, and by which rule (empty: by decision)."""

    run: int
    reason: str
    rule: Mapping[str, Any]
    at: str


@dataclass(frozen=True, slots=True)
class Score:
    """What one version of one verifier read in one generation."""

    generation: int
    verifier: str
    version: str
    verdict: str
    evidence: str = ""
    score: float | None = None
