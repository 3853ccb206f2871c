"""Chat completions, as OpenAI defined them and many servers speak them: reading and writing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.runs import Reply
from evals.models import ModelSpec, Prompt
from evals.providers.base import Call, sent, turns
from evals.replies import (
    Malformed,
    Parts,
    Usage,
    guarded,
    numbers,
    one_line,
    said_in,
    text_of,
    whole,
)


class Compatible:
    """Servers that speak chat completions: vLLM, llama.cpp, Ollama, OpenRouter, TGI and others."""

    endpoint = ""
    lacks: frozenset[str] = frozenset()
    max_tokens = "max_tokens"

    def headers(self, key: str) -> dict[str, str]:
        """Return the key as a bearer token; local servers need none."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def no_prefill(self, spec: ModelSpec) -> str:
        """Most of these servers continue the assistant's turn; one that does not will say so."""
        return ""

    def call(self, spec: ModelSpec, prompt: Prompt) -> Call:
        """Return the request for one prompt."""
        messages = [{"role": t.role, "content": t.content} for t in turns(spec, prompt)]
        body = {**self.settings(spec, prompt), "messages": messages}
        return Call(f"{spec.base_url}/chat/completions", body)

    def settings(self, spec: ModelSpec, prompt: Prompt) -> dict[str, Any]:
        """Return the fields beside the prompt."""
        fields = {
            "model": spec.called,
            "temperature": spec.temperature,
            "top_p": spec.top_p,
            self.max_tokens: spec.max_tokens,
            "seed": prompt.seed(spec.seed),
            "reasoning_effort": spec.reasoning_effort,
        }
        return sent({**fields, **dict(spec.extra)})

    def read(self, body: bytes, prefill: str = "") -> Reply:
        """Read a completion; see :func:`read`."""
        return read(body, prefill)


class OpenAI(Compatible):
    """OpenAI's own endpoint: another name for the token limit, and no prefill."""

    endpoint = "https://api.openai.com/v1"
    max_tokens = "max_completion_tokens"

    def no_prefill(self, spec: ModelSpec) -> str:
        """Say why a prefill is refused."""
        return "OpenAI answers a last turn of the assistant with a new turn, it does not go on"


def read(body: bytes, prefill: str = "") -> Reply:
    """Read a chat completion, for any bytes at all; never raises.

    Parameters
    ----------
    body
        As received.
    prefill
        The beginning of the turn that we wrote. Some servers repeat it, others do not; in the
        visible text it stands exactly once.
    """
    return guarded(_read, _spent, body, prefill)


def _read(document: Mapping[str, Any]) -> Parts:
    choice, message = _first_choice(document)
    return Parts(
        content=_content(message.get("content")),
        reasoning=_reasoning(message),
        refusal=text_of(message.get("refusal")),
        finish=text_of(choice.get("finish_reason")),
        answered_by=text_of(document.get("model")),
    )


def _spent(document: Mapping[str, Any]) -> Usage:
    stated = numbers(document.get("usage"))
    return Usage(stated, whole(stated.get("prompt_tokens")), whole(stated.get("completion_tokens")))


def _first_choice(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Malformed("the body has no choices")
    choice = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        raise Malformed(f"the endpoint reports: {one_line(said_in(choice)) or 'an error'}")
    message = choice.get("message")
    if message is None and isinstance(choice.get("text"), str):
        return choice, {"content": choice["text"]}  # a text completion
    if not isinstance(message, dict):
        raise Malformed("the first choice has no message")
    return choice, message


def _reasoning(message: Mapping[str, Any]) -> str:
    return text_of(message.get("reasoning_content")) or text_of(message.get("reasoning"))


def _content(value: Any) -> str:
    """Return the text of a message's content: a string, nothing, or a list of parts."""
    if value is None:
        return ""
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, list):
        parts = [part for part in value if isinstance(part, dict)]
        return "".join(text_of(part.get("text")) for part in parts if part.get("type") == "text")
    raise Malformed("the content is neither text nor a list of parts")
