"""docs/models.md: its files are read as they stand, and its models answer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InputError
from core.runs import STATES
from evals.mock.faults import KINDS, NUMBERS, parse_faults
from evals.model_check import check_models
from evals.model_file import parse_models
from tests.evals.ordeal import mock

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")
MODELS, FAULTS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def test_every_model_of_the_page_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The models file of the page is one, and each of its models answers at the local server."""
    models = parse_models(MODELS, "models.toml")
    for model in models:
        monkeypatch.setenv(model.key_env or "NONE", "sk-canary-0123456789")
    with mock() as server:
        here = [replace(model, base_url=f"{server.url}/v1") for model in models]
        found = check_models(here)
    assert {model.provider for model in models} == {"compatible", "openai", "anthropic", "gemini"}
    assert [each.said for each in found if not each.fine] == []


def test_the_faulty_line_of_the_page_is_that_fault() -> None:
    """The sentence that the page shows is what the reader of a faulty file gets."""
    shown = re.search(r"models\.toml, line \d+, key model\.decoding\.prefill: (.*)", PAGE)
    assert shown
    faulty = MODELS.replace("max_tokens = 120", 'prefill = "Answer:"', 1)
    with pytest.raises(InputError) as caught:
        parse_models(faulty, "models.toml")
    assert str(caught.value).endswith(shown[1])


def test_the_faults_of_the_page_are_all_there_are() -> None:
    """The faults file of the page is one, and names every fault and every number."""
    found = parse_faults(FAULTS, "faults.toml")
    assert set(found.shares) == set(KINDS)
    assert all(re.search(rf"^{name} = ", FAULTS, re.MULTILINE) for name in NUMBERS)


def test_every_state_is_explained() -> None:
    """The page has a row for every state, in their order."""
    assert tuple(re.findall(r"^\| `(\w+)` \| ", PAGE, re.MULTILINE))[-len(STATES) :] == STATES
