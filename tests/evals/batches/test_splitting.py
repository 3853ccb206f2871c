"""Files within the limits of a provider: every request in one, in its order, none too large."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Refused
from core.runs import GenerationKey, Message
from evals.batches.anthropic import AnthropicBatches
from evals.batches.openai import OpenAIBatches
from evals.batches.splitting import FileLimits, split
from evals.batches.work import LONGEST, body_of, size_of
from evals.models import ModelSpec, Prompt

TEXTS = st.lists(st.text(max_size=30), min_size=1, max_size=30)


class Recorded:
    """A wire that keeps what would go out."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def _keep(self, sent: Any) -> dict[str, Any]:
        if sent.content is not None:
            self.bodies.append(b"".join(sent.content()))
            assert len(self.bodies[-1]) == sent.length
        return {"id": "x"}

    call = make = _keep


def prompts(texts: list[str]) -> list[Prompt]:
    keys = (GenerationKey(1, place, "h", 1) for place in range(len(texts)))
    return [Prompt(key, (Message("user", text),)) for key, text in zip(keys, texts, strict=True)]


@given(TEXTS, st.integers(1, 7), st.integers(400, 2000))
@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_files_are_within_limits(kind: Any, texts: list[str], most: int, most_bytes: int) -> None:
    """The bytes that go out, in UTF-8, are within the limit; the next request would not fit."""
    provider = OpenAIBatches() if kind == "openai" else AnthropicBatches()
    spec = ModelSpec("m", "chat", provider=kind, api_model="m", max_tokens=5)
    limits = FileLimits(most, most_bytes, provider.limits.around, provider.limits.between)
    sized = [(prompt, size_of(provider, spec, prompt)) for prompt in prompts(texts)]
    if any(limits.around + size + limits.between > most_bytes for _, size in sized):
        with pytest.raises(Refused, match="without --batch"):
            list(split(sized, limits))
        return
    files = list(split(sized, limits))
    assert [prompt for file in files for prompt in file] == [prompt for prompt, _ in sized]
    sizes = {id(prompt): size for prompt, size in sized}
    for file, following in zip(files, [*files[1:], []], strict=True):
        requests = [provider.request(LONGEST, body_of(spec, prompt)) for prompt in file]
        wire: Any = Recorded()
        provider.upload(wire, "wavelock-x", requests)
        if kind == "anthropic":
            provider.make(wire, "wavelock-x", "", requests)
            (whole,) = wire.bodies
            assert len(json.loads(whole)["requests"]) == len(file)
        else:
            whole = b"".join(request + b"\n" for request in requests)
            assert whole in wire.bodies[0]
        assert 1 <= len(file) <= most
        assert len(whole) <= most_bytes
        if following and len(file) < most:
            assert len(whole) + sizes[id(following[0])] + limits.between > most_bytes - 1


def test_limits_are_those_of_the_providers() -> None:
    """50,000 requests and 200 MB; 100,000 and 256 MB; fewer where the models file says so."""
    assert (OpenAIBatches.limits.requests, OpenAIBatches.limits.bytes) == (50_000, 200_000_000)
    assert (AnthropicBatches.limits.requests, AnthropicBatches.limits.bytes) == (
        100_000,
        256_000_000,
    )
    assert OpenAIBatches.limits.at_most(200).requests == 200
    assert OpenAIBatches.limits.at_most(None) == OpenAIBatches.limits
    assert OpenAIBatches.limits.at_most(10**9) == OpenAIBatches.limits
