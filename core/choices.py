"""Choice probabilities as records: under which setup they were asked for, and what came back.

A setup is one build of one model under one anchor, one set of answers and one set of variants;
another build is another setup. What it gave for an item is never changed; an attempt that failed
stays, and the next call makes another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Literal

ChoiceKind = Literal["embedded", "chat", "scripted"]
ChoiceState = Literal["ok", "unscorable", "error"]


@dataclass(frozen=True, slots=True)
class ChoiceSetup:
    """One build of one model, and what it was asked for.

    Attributes
    ----------
    build
        What decides a log-probability beside the prompt: route, program, weights, processor,
        template. Numbers of two builds are not compared.
    config
        Anchor, answers and variants, and how the model was reached.
    hash
        Of all of these; what makes a setup the same one.
    """

    id: int
    model: str
    kind: ChoiceKind
    build: Mapping[str, Any]
    config: Mapping[str, Any]
    hash: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to write an answer, as the tokens that it comes to after the anchor.

    Attributes
    ----------
    logprobs
        Of each token, given the prompt, the anchor and the tokens before it.
    left_out
        Why it is no term of the answer's sum; empty when it is one.
    """

    text: str
    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    left_out: str = ""

    @property
    def logprob(self) -> float | None:
        """The log-probability of all tokens in a row; ``None`` where none was taken."""
        return fsum(self.logprobs) if self.logprobs else None


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer means, the word it was asked for by, and the sum over its variants."""

    action: str
    word: str
    logprob: float | None
    variants: tuple[Variant, ...]

    @property
    def counted(self) -> int:
        """How many variants are terms of the sum."""
        return sum(not variant.left_out for variant in self.variants)


@dataclass(frozen=True, slots=True)
class ChoiceKey:
    """Which setup is asked about which frozen item."""

    setup: int
    wave_item: int
    prompt_hash: str


@dataclass(frozen=True, slots=True)
class Scored:
    """What an attempt brought, as it goes into the study file.

    Attributes
    ----------
    state
        ``ok``; ``unscorable``: it cannot be asked like this, and asking again is no use;
        ``error``: a request failed, and is made again.
    error
        Why it is not ``ok``.
    prompt_tokens
        Of the chat-formatted prompt with its anchor; 0 when it was not tokenised.
    forward_calls
        Passes through the model that it took.
    request, body
        As sent (without keys) and as received, exchange by exchange.
    """

    key: ChoiceKey
    state: ChoiceState
    answers: tuple[Answer, ...] = ()
    error: str = ""
    prompt_tokens: int = 0
    forward_calls: int = 0
    seconds: float = 0.0
    started_at: str = ""
    ended_at: str = ""
    request: str = ""
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class ChoiceScore:
    """How the last attempt at one item stands."""

    setup: int
    wave_item: int
    attempt: int
    state: ChoiceState
    answers: tuple[Answer, ...]
    error: str
    prompt_tokens: int

    def logprob(self, action: str) -> float | None:
        """Return the log-probability of an action's answer, where there is one."""
        return next((each.logprob for each in self.answers if each.action == action), None)


@dataclass(frozen=True, slots=True)
class ChoiceScope:
    """Which frozen items were asked about; ``None`` where nothing was narrowed down."""

    conditions: tuple[str, ...]
    waves: tuple[int, ...] | None = None

    def holds(self, condition: str, wave: int) -> bool:
        """Whether an item of a condition and a wave's number is among them."""
        return condition in self.conditions and (self.waves is None or wave in self.waves)


def scope_to_json(scope: ChoiceScope) -> dict[str, Any]:
    """Return a scope as plain values, for canonical JSON."""
    waves = scope.waves
    return {
        "conditions": list(scope.conditions),
        "waves": None if waves is None else list(waves),
    }


def scope_from_json(found: Mapping[str, Any]) -> ChoiceScope:
    """Return the scope of what :func:`scope_to_json` gave."""
    waves = found["waves"]
    return ChoiceScope(tuple(found["conditions"]), None if waves is None else tuple(waves))


def answers_to_json(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return answers as plain values, for canonical JSON; every float as it is."""
    return [
        {
            "action": answer.action,
            "word": answer.word,
            "logprob": answer.logprob,
            "variants": [
                {
                    "text": variant.text,
                    "tokens": list(variant.tokens),
                    "logprobs": list(variant.logprobs),
                    "left_out": variant.left_out,
                }
                for variant in answer.variants
            ],
        }
        for answer in answers
    ]


def answers_from_json(found: Sequence[Mapping[str, Any]]) -> tuple[Answer, ...]:
    """Return the answers of what :func:`answers_to_json` gave."""
    return tuple(
        Answer(
            entry["action"],
            entry["word"],
            entry["logprob"],
            tuple(
                Variant(
                    each["text"],
                    tuple(each["tokens"]),
                    tuple(each["logprobs"]),
                    each["left_out"],
                )
                for each in entry["variants"]
            ),
        )
        for entry in found
    )
