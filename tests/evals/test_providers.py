"""Each protocol in both directions: what is sent for a prompt, and what any bytes come to."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Refused
from core.hashing import canonical, digest_of
from core.runs import STATES, GenerationKey, Message
from evals.mock.protocols import Said, answer
from evals.models import ModelSpec, Prompt, config
from evals.providers.catalogue import PROVIDERS
from evals.runner import run

PROTOCOLS = {
    "compatible": "completions", "openai": "completions", "anthropic": "anthropic",
    "gemini": "gemini",
}  # fmt: skip
NAMES = tuple(PROVIDERS)
TURNS = (
    Message("system", "Be brief."),
    Message("user", "Capital of France? Then say EU."),
    Message("assistant", "EU"),
    Message("user", "Capital of Spain?"),
)
PROMPT = Prompt(GenerationKey(1, 1, "sha256:p", 2), TURNS)
FULL: dict[str, Any] = {
    "temperature": 0.2, "top_p": 0.9, "max_tokens": 120, "seed": 3, "reasoning_effort": "low",
}  # fmt: skip


def spec(provider: Any, **changed: Any) -> ModelSpec:
    return ModelSpec(
        "m", "chat", base_url="http://x.test/v1", api_model="id/1", provider=provider, **changed
    )


def sent(provider: str, **changed: Any) -> tuple[str, dict[str, Any]]:
    call = PROVIDERS[provider].call(spec(provider, **changed), PROMPT)  # type: ignore[index]
    return call.url, call.body


def test_what_a_compatible_server_is_sent() -> None:
    """Every turn as it is, also hard-coded ones of the assistant, and every setting by its name."""
    url, body = sent("compatible", **FULL)
    assert url == "http://x.test/v1/chat/completions"
    assert body == {
        "model": "id/1", "temperature": 0.2, "top_p": 0.9, "max_tokens": 120,
        "seed": PROMPT.seed(3), "reasoning_effort": "low",
        "messages": [{"role": turn.role, "content": turn.content} for turn in TURNS],
    }  # fmt: skip


def test_what_openai_is_sent() -> None:
    """OpenAI has another name for the limit of tokens; everything else is the same."""
    url, body = sent("openai", **FULL)
    assert url == "http://x.test/v1/chat/completions"
    assert body["max_completion_tokens"] == 120
    assert "max_tokens" not in body
    assert body["reasoning_effort"] == "low"


def test_what_anthropic_is_sent() -> None:
    """Anthropic has the system prompt apart, always a limit of tokens, and no seed."""
    url, body = sent("anthropic", **FULL)
    assert url == "http://x.test/v1/messages"
    assert body["system"] == "Be brief."
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
    assert body["output_config"] == {"effort": "low"}
    assert "seed" not in body
    assert sent("anthropic")[1]["max_tokens"] == 4096
    begun = PROVIDERS["anthropic"].call(spec("anthropic", prefill="Answer:"), PROMPT).body
    assert begun["messages"][-1] == {"role": "assistant", "content": "Answer:"}


def test_what_gemini_is_sent() -> None:
    """Gemini calls the assistant a model, and has the settings in a part of their own."""
    url, body = sent("gemini", **FULL)
    assert url == "http://x.test/v1/models/id%2F1:generateContent"
    assert [turn["role"] for turn in body["contents"]] == ["user", "model", "user"]
    assert body["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert body["generationConfig"] == {
        "temperature": 0.2, "topP": 0.9, "maxOutputTokens": 120, "seed": PROMPT.seed(3),
        "thinkingConfig": {"thinkingLevel": "low"},
    }  # fmt: skip
    none = sent("gemini", reasoning_effort="none")[1]["generationConfig"]
    assert none == {"thinkingConfig": {"thinkingBudget": 0}}


@pytest.mark.parametrize("provider", NAMES)
def test_what_is_not_set_is_not_sent(provider: str) -> None:
    """No system prompt and no setting of our own; what is left out is recorded as left out."""
    plain = Prompt(PROMPT.key, (Message("user", "Hi"),))
    body = PROVIDERS[provider].call(spec(provider), plain).body  # type: ignore[index]
    text = canonical(body)
    assert "system" not in text
    for name in ("temperature", "top_p", "topP", "seed", "effort", "thinking"):
        assert name not in text
    recorded = config(spec(provider), {})
    assert recorded["provider"] == provider
    assert recorded["temperature"] == recorded["seed"] == "provider default"
    asked = PROVIDERS[provider].call(spec(provider, system="Be kind."), plain).body  # type: ignore[index]
    assert "Be kind." in canonical(asked)
    assert config(spec(provider, system="Be kind."), {})["system_prompt"] == "Be kind."


@pytest.mark.parametrize("provider", NAMES)
def test_the_key_goes_into_a_header_alone(provider: str) -> None:
    """The key is in a header, never in the address or the body."""
    there = PROVIDERS[provider].headers("sk-canary")  # type: ignore[index]
    assert any("sk-canary" in value for value in there.values())
    assert "sk-canary" not in repr(sent(provider, **FULL))
    assert "sk" not in repr(PROVIDERS[provider].headers(""))  # type: ignore[index]


@pytest.mark.parametrize(
    ("said", "state", "visible", "reasoning"),
    [
        (Said("Answer: A"), "ok", "Answer: A", ""),
        (Said("Answer: A", "Hm."), "ok", "Answer: A", "Hm."),
        (Said("Answ", "", "length"), "truncated", "Answ", ""),
        (Said("", "Hm, let me", "length"), "empty", "", "Hm, let me"),
        (Said("", "", "refusal"), "refused", None, ""),
        (Said("<think>Hm.</think>Answer: B"), "ok", "Answer: B", "Hm."),
        (Said("<think>Hm, never closed", "", "length"), "empty", "", "Hm, never closed"),
    ],
)
@pytest.mark.parametrize("provider", NAMES)
def test_the_same_states_in_every_protocol(
    provider: str, said: Said, state: str, visible: str | None, reasoning: str
) -> None:
    """What a model does is the same state in every protocol; text, thinking and usage apart."""
    reply = PROVIDERS[provider].read(answer(PROTOCOLS[provider], said, 40))  # type: ignore[index]
    assert (reply.state, reply.reasoning) == (state, reasoning)
    assert visible is None or reply.visible_text == visible
    assert (reply.answered_by, reply.tokens_in) == ("mock-1", 11)
    assert reply.tokens_out is not None
    assert reply.finish_reason


def test_gemini_thinks_and_blocks() -> None:
    """Thoughts are paid for and not shown; a blocked prompt is a refusal, not an error."""
    gemini = PROVIDERS["gemini"]
    parts = [{"text": "Hm.", "thought": True}, {"text": "Answer: A"}]
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 90}
    body = {"candidates": [{"content": {"parts": parts}}], "usageMetadata": usage}
    reply = gemini.read(json.dumps(body).encode())
    assert (reply.visible_text, reply.reasoning) == ("Answer: A", "Hm.")
    assert (reply.tokens_in, reply.tokens_out) == (5, 92)
    blocked = gemini.read(b'{"promptFeedback": {"blockReason": "SAFETY"}}')
    assert (blocked.state, blocked.finish_reason) == ("refused", "SAFETY")
    assert gemini.read(b"{}").error == "the body has no candidates"


def test_anthropic_counts_its_cache() -> None:
    """Tokens read from a cache were sent as well."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 2}
    body = {"content": [{"type": "text", "text": "A"}], "usage": usage}
    assert PROVIDERS["anthropic"].read(json.dumps(body).encode()).tokens_in == 43


@pytest.mark.parametrize(
    ("provider", "extra", "why"),
    [
        ("openai", (), "a new turn"),
        ("gemini", (), "a new turn"),
        ("anthropic", (("thinking", {"type": "enabled", "budget_tokens": 1024}),), "that thinks"),
    ],
)
def test_a_prefill_that_cannot_be_sent_is_refused(
    make_study: Any, provider: Any, extra: Any, why: str
) -> None:
    """Where a provider cannot go on with a turn, prefilled or frozen, nothing is asked."""
    one = spec(provider, extra=extra)
    begun = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Final:"}]
    settings_ = {"conditions": ("Active",), "samples": 1}
    with pytest.raises(Refused, match=f"takes no prefill: .*{why}.*without a prefill"):
        run(make_study(), replace(one, prefill="Answer:"), **settings_)
    frozen = make_study(messages=begun, prompt_hash=digest_of(begun))
    with pytest.raises(Refused, match="ends with the assistant's turn"):
        run(frozen, one, **settings_)


def good(provider: str) -> bytes:
    return answer(PROTOCOLS[provider], Said("Answer: A", "Hm."), 40)


def spoiled(body: bytes, draw: random.Random) -> bytes:
    """Break a good body in one of the ways in which bodies break."""
    place, other = draw.randrange(len(body)), draw.randrange(len(body))
    match draw.randrange(7):
        case 0:
            return body[:place]
        case 1:
            return body[:place] + bytes([draw.randrange(256)]) + body[place + 1 :]
        case 2:
            return body[min(place, other) : max(place, other)]
        case 3:
            return body.replace(b'"', b"'", draw.randrange(1, 9))
        case 4:
            return json.dumps(_swapped(json.loads(body), draw)).encode()
        case 5:
            return draw.randbytes(draw.randrange(64))
        case _:
            return body + body


def _swapped(value: Any, draw: random.Random) -> Any:
    """Put a value of another type somewhere into a document."""
    odd = [None, 7, -1.5, True, "x", [], {}, [None], {"error": 1}, 10**30, "\ud800"]
    if isinstance(value, dict) and value and draw.random() < 0.8:
        key = draw.choice(list(value))
        return {**value, key: _swapped(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.8:
        place = draw.randrange(len(value))
        return [*value[:place], _swapped(value[place], draw), *value[place + 1 :]]
    return draw.choice(odd)


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("provider", NAMES)
def test_malformed_bodies(provider: str, count: int) -> None:
    """Whatever comes is one of the five states, every error says why, and all can be stored."""
    draw, body, errors = random.Random(provider), good(provider), 0
    for _ in range(count):
        reply = PROVIDERS[provider].read(spoiled(body, draw), "Answer:")  # type: ignore[index]
        assert reply.state in STATES
        assert (reply.state == "error") is bool(reply.error)
        assert "\n" not in reply.error
        canonical(reply.usage)
        (reply.visible_text + reply.reasoning + reply.answered_by + reply.error).encode()
        assert reply.tokens_out is None or 0 <= reply.tokens_out < 2**62
        errors += reply.state == "error"
    assert errors > 0.3 * count
    print(f"{provider}: {count:,} malformed bodies, {errors:,} errors, each with its reason")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["choices", "message", "content", "parts", "candidates", "text", "usage", "error", "type"]
)


@settings(max_examples=60)
@given(st.dictionaries(FIELDS, JSON | st.lists(st.dictionaries(FIELDS, JSON))), st.binary())
def test_any_json_and_any_bytes(document: dict[str, Any], raw: bytes) -> None:
    """Documents that look like answers and are none, and bytes that are nothing, raise nothing."""
    for provider in PROVIDERS.values():
        for body in (json.dumps(document).encode(), raw):
            reply = provider.read(body)
            assert (reply.state == "error") is bool(reply.error)
