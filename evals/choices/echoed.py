"""Reading the log-probabilities of a prompt from what a completions endpoint sent back.

Two forms are known: ``echo`` with ``logprobs``, where the prompt's tokens come back before the
completion, and ``prompt_logprobs`` beside the completion. An endpoint that accepts either and
ignores it looks like a working one until its numbers are counted, so they are counted: one for
every token that was sent, all there but the first, none above 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.words import counted
from evals.choices.paths import Tokens
from evals.choices.routes import ECHO, PROMPT_LOGPROBS

ASKED: Mapping[str, Mapping[str, Any]] = {
    ECHO: {"echo": True, "logprobs": 1},
    PROMPT_LOGPROBS: {"prompt_logprobs": 0},
}


class NoLogprobs(Exception):
    """An answer holds no log-probabilities of the prompt that could be used; the text says why."""


def request(way: str, model: str, prompt: Sequence[int] | str) -> dict[str, Any]:
    """Return the body that asks for the log-probabilities of a prompt."""
    given = prompt if isinstance(prompt, str) else list(prompt)
    fields = {"model": model, "prompt": given, "max_tokens": 1, "temperature": 0}
    return {**fields, "add_special_tokens": False, **ASKED[way]}


def prompt_logprobs(way: str, answer: Mapping[str, Any], sent: Tokens) -> tuple[float, ...]:
    """Return the log-probability of every token that was sent but the first.

    Raises
    ------
    NoLogprobs
        When they are not there, or are not those of these tokens.
    """
    choice = _choice(answer)
    found = _echoed(choice, len(sent)) if way == ECHO else _beside(choice, sent)
    usage = answer.get("usage")
    stated = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if stated not in (None, len(sent)):
        raise NoLogprobs(
            f"{counted(len(sent), 'token')} of a prompt were sent, and the endpoint counts {stated}"
        )
    return tuple(_checked(value, place) for place, value in enumerate(found[1:], 1))


def echoes(answer: Mapping[str, Any]) -> None:
    """Refuse an answer to a prompt of several words that holds no more than a completion's one.

    Raises
    ------
    NoLogprobs
        When nothing came back of the prompt.
    """
    found = _numbers(_choice(answer))
    if len(found) < 3:
        raise NoLogprobs(
            "echo is accepted and ignored: the log-probabilities are of "
            f"{counted(len(found), 'token')}, and the prompt has more"
        )


def _choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise NoLogprobs("the answer has no choices")
    return choices[0]


def _numbers(choice: Mapping[str, Any]) -> list[Any]:
    """Return the list of an echo; that of llama.cpp's chat form, which knows the reply alone."""
    logprobs = choice.get("logprobs")
    if not isinstance(logprobs, dict):
        raise NoLogprobs("no log-probabilities come back (logprobs is null)")
    found = logprobs.get("token_logprobs", logprobs.get("content"))
    if not isinstance(found, list):
        raise NoLogprobs("the log-probabilities have no list of tokens")
    return found


def _echoed(choice: Mapping[str, Any], sent: int) -> list[Any]:
    found = _numbers(choice)
    if len(found) <= 1 < sent:
        raise NoLogprobs("echo is accepted and ignored: only the reply has log-probabilities")
    if len(found) not in (sent, sent + 1):  # with and without the one token that was generated
        raise NoLogprobs(
            f"{counted(sent, 'token')} of a prompt were sent, and log-probabilities of "
            f"{len(found)} came back"
        )
    return found[:sent]


def _beside(choice: Mapping[str, Any], sent: Tokens) -> list[Any]:
    found = choice.get("prompt_logprobs")
    if not isinstance(found, list):
        raise NoLogprobs("no prompt_logprobs come back")
    if len(found) != len(sent):
        raise NoLogprobs(
            f"{counted(len(sent), 'token')} of a prompt were sent, and log-probabilities of "
            f"{len(found)} came back"
        )
    return [_of_token(entry, token) for entry, token in zip(found, sent, strict=True)]


def _of_token(entry: Any, token: int) -> Any:
    """Return the number beside a token's id, among those of others that might have stood there."""
    found = entry.get(str(token)) if isinstance(entry, dict) else None
    return found.get("logprob") if isinstance(found, dict) else None


def _checked(value: Any, place: int) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NoLogprobs(f"token {place + 1} of the prompt has no log-probability ({value!r})")
    if not math.isfinite(value) or value > 0:
        raise NoLogprobs(
            f"token {place + 1} of the prompt has {value}, which no log-probability is"
        )
    return float(value)
