"""Which model is asked, and how: the part of a run that is known before the first request.

Light on purpose: the command line reads it for its help, so no HTTP client is imported here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from core.errors import InputError
from core.hashing import seed_from
from core.runs import GenerationKey, Message, Prices

Kind = Literal["embedded", "chat", "scripted"]
ProviderName = Literal["compatible", "openai", "anthropic", "gemini"]

EMBEDDED = "SmolLM2-135M-Instruct"
PREFILL = "Answer:"  # measured: without it 0-3 of 30 replies keep to the form
TEMPERATURE = 0.7  # Core-100, section 5, Protocol
MAX_TOKENS = 4096  # HOB, App. D; a provider's own default may be 16, or no bound at all
KEY_ENV = "WAVELOCK_API_KEY"
CHOICES = "use embedded, scripted, or the URL of an OpenAI-compatible endpoint"
PROVIDER_DEFAULT = "provider default"  # what a run records of a field that is not sent

# llama.cpp's own sampling defaults, sent in full so that a later build cannot change them. The
# prompt cache is off because partly cached prompts give other probabilities.
_EMBEDDED_EXTRA = (("cache_prompt", False), ("min_p", 0.05), ("top_k", 40))
_VERSION = re.compile(r"v\d+\w*")


@dataclass(frozen=True, slots=True)
class Limits:
    """What an endpoint is asked for at most; ``None`` where nothing is known. No configuration.

    `batch_requests` is how many requests one batch may hold, where the provider's queue is small.
    """

    concurrency: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    batch_requests: int | None = None


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model, where it is, and how it samples.

    Attributes
    ----------
    name
        What runs and tables call it.
    base_url
        For ``chat``: what the provider's path (``/chat/completions``) is appended to.
    provider
        For ``chat``: whose protocol is spoken.
    api_model
        For ``chat``: the model id exactly as the endpoint is asked for it.
    key_env
        The environment variable that holds the key; the key itself is never part of a value.
    temperature, top_p, max_tokens, seed, reasoning_effort
        ``None``: not sent, so that the provider's default holds.
    system
        A system prompt before the frozen messages; empty: none is sent.
    prefill
        The beginning of the assistant's turn, written by us; part of the visible text.
    extra
        Further fields of the request body, by name.
    timeout, limits, prices, batch_prices
        Seconds that one request may take in all, and what bounds and costs a run, one by one or by
        batch; no part of the configuration.
    """

    name: str
    kind: Kind
    base_url: str = ""
    api_model: str = ""
    key_env: str = KEY_ENV
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    prefill: str = ""
    extra: tuple[tuple[str, Any], ...] = ()
    timeout: float = 300.0
    provider: ProviderName = "compatible"
    system: str = ""
    reasoning_effort: str | None = None
    limits: Limits = Limits()
    prices: Prices | None = None
    batch_prices: Prices | None = None

    @property
    def called(self) -> str:
        """The model id that the endpoint is asked for."""
        return self.api_model or self.name


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request that a run has to make: its key, and the frozen messages."""

    key: GenerationKey
    messages: tuple[Message, ...]

    def seed(self, base: int | None) -> int | None:
        """Return the seed of this sample, a different one for every sample of every prompt."""
        if base is None:
            return None
        return seed_from(base, self.key.prompt_hash, self.key.sample) % 2**31


def config(spec: ModelSpec, build: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run records of its model: everything that could change a reply, never a key.

    Parameters
    ----------
    spec
        The model as it is asked.
    build
        Facts about the program that answers, where they are known (the embedded model).
    """
    left = PROVIDER_DEFAULT if spec.kind == "chat" else None
    decoding = {
        "temperature": spec.temperature,
        "top_p": spec.top_p,
        "max_tokens": spec.max_tokens,
        "seed": spec.seed,
        "reasoning_effort": spec.reasoning_effort,
    }
    recorded = {
        "model": spec.called,
        "kind": spec.kind,
        "provider": spec.provider if spec.kind == "chat" else spec.kind,
        "endpoint": spec.base_url,
        "system_prompt": spec.system,
        "prefill": spec.prefill,
        "extra": dict(spec.extra),
        **{name: left if value is None else value for name, value in decoding.items()},
    }
    return {**recorded, "build": dict(build)}


def parse_model(
    text: str,
    *,
    api_model: str | None = None,
    temperature: float | None = TEMPERATURE,
    top_p: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    prefill: str | None = None,
    key_env: str | None = None,
    system: str = "",
    reasoning_effort: str | None = None,
) -> ModelSpec:
    """Return the model that ``--model`` names.

    Parameters
    ----------
    text
        ``embedded``, ``scripted`` or a URL, with or without ``/v1`` or ``/chat/completions``.
    api_model
        The id that the endpoint knows the model by. Without it the endpoint is asked, when it
        is opened, which one it serves.
    temperature, top_p, seed
        ``None`` leaves it to the provider; the embedded model has defaults of its own.
    max_tokens
        ``None`` is our default, 0 leaves it to the provider.
    prefill
        ``None`` is the default of the kind: ``Answer:`` for the embedded model, else nothing.
    system, reasoning_effort
        Sent only when given; the embedded model does not reason.

    Raises
    ------
    InputError
        When it is none of the three, or a setting is out of its range.
    """
    check_decoding(temperature, top_p, max_tokens)
    match text.strip():
        case "scripted":
            return ModelSpec("scripted", "scripted", key_env="")
        case "embedded":
            return ModelSpec(
                EMBEDDED,
                "embedded",
                key_env="",
                temperature=temperature,
                top_p=0.95 if top_p is None else top_p,
                max_tokens=max_tokens or 256,
                seed=seed or 0,
                prefill=PREFILL if prefill is None else prefill,
                system=system,
                extra=_EMBEDDED_EXTRA,
            )
        case address:
            return ModelSpec(
                api_model or "",
                "chat",
                base_url=base_url(address),
                api_model=api_model or "",
                key_env=key_env or KEY_ENV,
                temperature=temperature,
                top_p=top_p,
                max_tokens=MAX_TOKENS if max_tokens is None else max_tokens or None,
                seed=seed,
                prefill=prefill or "",
                system=system,
                reasoning_effort=reasoning_effort,
            )


def check_decoding(temperature: float | None, top_p: float | None, max_tokens: int | None) -> None:
    """Refuse a setting that no endpoint could mean."""
    if temperature is not None and not (math.isfinite(temperature) and temperature >= 0):
        raise InputError(f"a temperature is 0 or more, not {temperature}")
    if top_p is not None and not 0 < top_p <= 1:
        raise InputError(f"top-p is above 0 and at most 1, not {top_p}")
    if max_tokens is not None and max_tokens < 0:
        raise InputError(f"max-tokens is 1 or more (0: the provider's default), not {max_tokens}")


def base_url(text: str) -> str:
    """Return the address that ``/chat/completions`` is appended to.

    Raises
    ------
    InputError
        When it is no address, or carries a key.
    """
    parts = _split(text)
    path = parts.path.rstrip("/")
    if path.endswith("/chat/completions"):
        path = path.removesuffix("/chat/completions")
    elif not any(_VERSION.fullmatch(segment) for segment in path.split("/")):
        path += "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and text.isprintable()
        parts.port  # noqa: B018  (reading it is the check: a port out of range raises)
    except ValueError:
        known = False
    if not known or " " in text:
        raise InputError(f"“{text}” is no model; {CHOICES}, such as http://127.0.0.1:8080/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise InputError(
            f"the URL of a model may carry no key and no query; put the key into {KEY_ENV}"
        )
    return parts
