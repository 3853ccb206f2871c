"""One request to each model before a run, and what came of it in words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InputError
from core.runs import GenerationKey, Message, Reply
from evals.attempts import Attempt
from evals.backends import opened
from evals.models import ModelSpec, Prompt
from evals.providers.catalogue import PROVIDERS

ASKED = (Message("user", "Answer with the one word: ready."),)
PROMPT = Prompt(GenerationKey(0, 0, "sha256:models-check", 1), ASKED)


@dataclass(frozen=True, slots=True)
class Checked:
    """What one model did with one request.

    Attributes
    ----------
    fine
        Whether it said something that a run could keep.
    said
        In words: what is wrong and what to do, or what it said.
    """

    model: str
    fine: bool
    state: str
    answered_by: str
    seconds: float
    said: str


def check_models(models: Sequence[ModelSpec]) -> tuple[Checked, ...]:
    """Ask each model once, as a run would ask it; nothing is stored."""
    return tuple(check_model(model) for model in models)


def check_model(spec: ModelSpec) -> Checked:
    """Ask one model once; whatever is wrong with it is said, never raised."""
    why = PROVIDERS[spec.provider].no_prefill(spec) if spec.prefill else ""
    if why:
        return _not_asked(spec, f"its prefill cannot be sent: {why}")
    try:
        attempt = asyncio.run(_asked(spec))
    except InputError as error:
        return _not_asked(spec, str(error))
    reply = attempt.reply
    fine = not attempt.fault
    return Checked(
        spec.name, fine, reply.state, reply.answered_by, reply.seconds, _words(spec, attempt)
    )


def _not_asked(spec: ModelSpec, why: str) -> Checked:
    return Checked(spec.name or spec.base_url, fine=False, state="", answered_by="", seconds=0.0,
                   said=why)  # fmt: skip


async def _asked(spec: ModelSpec) -> Attempt:
    with opened(spec) as backend:
        async with backend.asks(1) as asks:
            return await asks[0](PROMPT)


def _words(spec: ModelSpec, attempt: Attempt) -> str:
    if not attempt.fault:
        return _of_state(spec, attempt.reply)
    said = {
        "unreachable": f"nobody answers at {spec.base_url}",
        "denied": _denied(spec, attempt.reply.error),
        "busy": "it is busy or throttles; try again later, or lower its limits",
        "dropped": "the answer did not come to its end",
        "unusable": 'it cannot be asked like this; a field that it lacks is left out by "default"',
    }
    return f"{said[attempt.fault]}: {attempt.reply.error}"


def _denied(spec: ModelSpec, error: str) -> str:
    if error.startswith(("HTTP 404", "HTTP 405")):
        return f"the address or the model id {spec.called} is wrong"
    if error.startswith("HTTP 402"):
        return "the account has no credit"
    return f"the key in {spec.key_env} is not accepted" if spec.key_env else "it wants a key"


def _of_state(spec: ModelSpec, reply: Reply) -> str:
    said = {
        "empty": f"it said nothing visible ({reply.finish_reason}); raise max_tokens",
        "refused": "it refused a harmless question",
    }
    other = reply.answered_by and reply.answered_by != spec.called
    named = f"; it calls itself {reply.answered_by}" if other else ""
    return said.get(reply.state, "it answers") + named
