from __future__ import annotations

import subprocess
import sys

import pytest

from core.errors import InputError
from core.hashing import canonical
from core.runs import GenerationKey
from evals.models import Prompt, config, parse_model


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
        ("https://x.test/v1/", "https://x.test/v1"),
        ("https://x.test/api/v1", "https://x.test/api/v1"),
        ("https://x.test/api", "https://x.test/api/v1"),
        ("https://x.test/v1beta/openai", "https://x.test/v1beta/openai"),
        ("https://x.test/v1/chat/completions", "https://x.test/v1"),
        ("http://x.test/chat/completions/", "http://x.test"),
        (" http://[::1]:80 ", "http://[::1]:80/v1"),
    ],
)
def test_urls(text: str, base: str) -> None:
    """A URL is understood with and without /v1, and as the full address of the endpoint."""
    assert parse_model(text, api_model="m").base_url == base


@pytest.mark.parametrize(
    "text",
    ["", "gpt-5", "localhost:8080", "ftp://x.test", "http://", "http://x:99999", "http://a b"],
)
def test_anything_else_is_refused_with_the_choices(text: str) -> None:
    """What is no model is refused in one line that names the three kinds there are."""
    with pytest.raises(InputError, match="use embedded, scripted, or the URL") as caught:
        parse_model(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["http://me:secret@x.test", "http://x.test/v1?key=secret"])
def test_keys_in_urls_are_refused(text: str) -> None:
    """A URL that carries a key is refused, and the message does not repeat it."""
    with pytest.raises(InputError, match="WAVELOCK_API_KEY") as caught:
        parse_model(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "setting",
    [
        {"temperature": -1},
        {"temperature": float("nan")},
        {"top_p": 0},
        {"top_p": 2},
        {"max_tokens": -1},
    ],
)
def test_settings_out_of_range(setting: dict[str, float]) -> None:
    """A sampling setting that no endpoint could mean is refused before any request."""
    with pytest.raises(InputError):
        parse_model("embedded", **setting)  # type: ignore[arg-type]


def test_defaults_of_core100() -> None:
    """Without settings the protocol of Core-100 holds: 0.7, no system prompt, prefill recorded."""
    embedded, chat = parse_model("embedded"), parse_model("http://x.test", api_model="m")
    assert (embedded.temperature, chat.temperature) == (0.7, 0.7)
    assert config(embedded, {})["prefill"] == "Answer:"
    assert config(chat, {})["prefill"] == config(chat, {})["system_prompt"] == ""
    assert chat.seed is None
    assert parse_model("embedded", prefill="").prefill == ""
    assert parse_model("http://x.test", max_tokens=0).max_tokens is None


def test_config_never_holds_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration of a run holds neither the key nor the variable that it stands in."""
    monkeypatch.setenv("MY_KEY", "sk-canary-123456")
    recorded = canonical(config(parse_model("http://x.test", api_model="m", key_env="MY_KEY"), {}))
    assert "canary" not in recorded
    assert "MY_KEY" not in recorded


def test_every_sample_has_its_own_seed() -> None:
    """Two samples of one prompt never get the same seed, and without a base seed none is sent."""
    keys = [GenerationKey(1, 1, "sha256:x", sample) for sample in range(1, 50)]
    assert len({Prompt(key, ()).seed(0) for key in keys}) == len(keys)
    assert Prompt(keys[0], ()).seed(None) is None


def test_importing_models_is_light() -> None:
    """Reading what a model is loads neither an HTTP client nor numpy nor the study file."""
    code = (
        "import sys, evals.models; "
        "print([m for m in ('httpx', 'numpy', 'sqlite_utils', 'asyncio') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
