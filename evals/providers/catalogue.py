"""Every provider, by the name that models are given."""

from __future__ import annotations

from collections.abc import Mapping

from evals.models import ProviderName
from evals.providers.anthropic import Anthropic
from evals.providers.base import Provider
from evals.providers.completions import Compatible, OpenAI
from evals.providers.gemini import Gemini

PROVIDERS: Mapping[ProviderName, Provider] = {
    "compatible": Compatible(),
    "openai": OpenAI(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
}
