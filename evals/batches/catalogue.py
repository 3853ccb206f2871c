"""Which providers take batches."""

from __future__ import annotations

from collections.abc import Mapping

from core.errors import Refused
from evals.batches.anthropic import AnthropicBatches
from evals.batches.openai import OpenAIBatches
from evals.batches.protocol import BatchProvider
from evals.models import ModelSpec, ProviderName

BATCHES: Mapping[ProviderName, BatchProvider] = {
    "compatible": OpenAIBatches(),
    "openai": OpenAIBatches(),
    "anthropic": AnthropicBatches(),
}


def batches_of(spec: ModelSpec) -> BatchProvider:
    """Return the batches of a model's provider.

    Raises
    ------
    Refused
        When it has none that are spoken here.
    """
    if spec.kind != "chat":
        raise Refused(f"{spec.name} runs on this machine, which has no batches; leave --batch out")
    if spec.provider not in BATCHES:
        raise Refused(f"batches of {spec.provider} are not spoken here; leave --batch out")
    return BATCHES[spec.provider]
