"""What a provider is: how a prompt is asked in its protocol, and how its answers are read.

Both directions are pure: a prompt becomes an address and a body, a body becomes a reply. Sending
is the same for all (:mod:`evals.chat`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.runs import Message, Reply
from evals.models import ModelSpec, Prompt


@dataclass(frozen=True, slots=True)
class Call:
    """One request: where it goes, and its body. The key is in neither."""

    url: str
    body: dict[str, Any]


class Provider(Protocol):
    """One protocol. Whatever bytes it is given to read, it returns a reply and never raises."""

    @property
    def endpoint(self) -> str:
        """The provider's own address; empty where there is none."""
        ...

    @property
    def lacks(self) -> frozenset[str]:
        """Decoding fields that the protocol has not; they are left out and recorded as such."""
        ...

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers of a request; the only place where the key goes."""
        ...

    def no_prefill(self, spec: ModelSpec) -> str:
        """Return why the assistant's turn cannot be begun for the model, or nothing."""
        ...

    def call(self, spec: ModelSpec, prompt: Prompt) -> Call:
        """Return the request for one prompt."""
        ...

    def read(self, body: bytes, prefill: str = "") -> Reply:
        """Read a body that came with a success status."""
        ...


def turns(spec: ModelSpec, prompt: Prompt) -> tuple[Message, ...]:
    """Return the turns of a request: those that are frozen, as they are, whoever speaks in them.

    A system prompt comes before them if one is asked for, and a prefill after them.
    """
    found = list(prompt.messages)
    if spec.system:
        found.insert(0, Message("system", spec.system))
    if spec.prefill:
        found.append(Message("assistant", spec.prefill))
    return tuple(found)


def sent(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value; what is ``None`` is left to the provider."""
    return {name: value for name, value in fields.items() if value is not None}
