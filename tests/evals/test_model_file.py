from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError, NotFound
from core.runs import Prices
from evals.choose import chosen, chosen_of
from evals.model_file import load_models, model_path, parse_models
from evals.models import Limits

GOOD = """
[[model]]
name = "a"
provider = "openai"
api_model = "gpt-x-2026-01-01"
key_env = "A_KEY"
[model.decoding]
temperature = "default"
reasoning_effort = "none"
max_tokens = 120
[model.limits]
concurrency = 8
requests_per_minute = 60
timeout = 90
[model.prices]
input = 1
output = 5.5
[model.extra]
store = false

[[model]]
name = "b"
provider = "anthropic"
api_model = "claude-x"
endpoint = "http://127.0.0.1:9"
decoding = { seed = 3, prefill = "Answer:" }
"""


def test_everything_that_a_file_can_say() -> None:
    """Id, address, decoding, limits and prices are as written; "default" leaves a field out."""
    first, second = parse_models(GOOD, "models.toml")
    assert (first.api_model, first.key_env, first.timeout) == ("gpt-x-2026-01-01", "A_KEY", 90.0)
    assert first.base_url == "https://api.openai.com/v1"
    assert (first.temperature, first.max_tokens, first.reasoning_effort) == (None, 120, "none")
    assert first.limits == Limits(8, 60)
    assert first.prices == Prices(1.0, 5.5)
    assert first.extra == (("store", False),)
    assert second.base_url == "http://127.0.0.1:9/v1"
    assert (second.temperature, second.prefill) == (0.7, "Answer:")
    assert second.seed is None  # Anthropic has none


def test_batches_have_prices_and_a_size_of_their_own() -> None:
    """Both prices or neither; without them a batch has no price, whatever a request costs."""
    assert parse_models(GOOD, "m")[0].batch_prices is None
    priced = GOOD.replace("output = 5.5", "output = 5.5\nbatch_input = 0.5\nbatch_output = 2")
    first = parse_models(priced.replace("concurrency = 8", "batch_requests = 80"), "m")[0]
    assert (first.prices, first.batch_prices) == (Prices(1.0, 5.5), Prices(0.5, 2.0))
    assert first.limits == Limits(None, 60, None, 80)
    for was, becomes, said in (
        ("output = 5.5", "output = 5.5\nbatch_input = 0.5", "both batch_input and batch_output"),
        ("output = 5.5", "batch_input = 1\nbatch_output = 1", "must give input and output"),
        ("concurrency = 8", "batch_requests = 0.5", "must be a whole number"),
        ("concurrency = 8", "batch_requests = 0", "must be above 0"),
    ):
        with pytest.raises(InputError, match=said):
            parse_models(GOOD.replace(was, becomes), "m")


@pytest.mark.parametrize(
    ("was", "becomes", "line", "said"),
    [
        ('provider = "openai"', 'provider = "acme"', 4, "unknown; there are compatible"),
        ('provider = "openai"', 'provider = "compatible"', 3, "endpoint: is missing"),
        ('name = "a"', 'nmae = "a"', 3, "model.nmae: unknown"),
        ('name = "b"', 'name = "a"', 22, "two models called 'a'"),
        ('api_model = "claude-x"', "", 21, "model.api_model: is missing"),
        ('temperature = "default"', "temperature = -1", 8, "0 or more"),
        ('temperature = "default"', "temperature = true", 8, "a number, or 'default'"),
        ("max_tokens = 120", "max_tokens = 0", 10, "1 or more"),
        ("max_tokens = 120", 'prefill = "x"', 10, "cannot be sent: OpenAI"),
        ("concurrency = 8", "concurrency = 0", 12, "above 0"),
        ("concurrency = 8", "concurrency = 1.5", 12, "a whole number"),
        ("output = 5.5", "", 15, "must give input and output"),
        ("output = 5.5", "output = -1", 17, "not be negative"),
        ('"http://127.0.0.1:9"', '"http://me:key@x"', 25, "may carry no key"),
        ("seed = 3", 'seed = "x"', 26, "a whole number"),
        ("[model.extra]", "[model.extra", 18, "not TOML"),
        ('key_env = "A_KEY"', 'key_env = "sk-proj-1"', 6, "name of a variable"),
        ("store = false", "store = 2026-01-01", 19, "extra.store: cannot be written as JSON"),
        ("store = false", "store = [inf]", 19, "extra.store: cannot be written as JSON"),
        ("store = false", 'model = "another"', 19, "extra.model: is filled in by the run"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(
    was: str, becomes: str, line: int, said: str
) -> None:
    """Every fault is one sentence that names file, line and key."""
    assert was in GOOD
    with pytest.raises(InputError) as caught:
        parse_models(GOOD.replace(was, becomes, 1), "m.toml")
    text = str(caught.value)
    assert said in text
    assert "\n" not in text
    assert "sk-proj" not in text
    found = re.match(r"m\.toml, line (\d+)", text)
    assert found
    assert abs(int(found[1]) - line) <= 1


@pytest.mark.parametrize("text", ["", "x = 1", "model = 7", "model = []", "[model]\nname='x'"])
def test_files_without_models(text: str) -> None:
    """A file without a [[model]] is refused, whatever it holds instead."""
    with pytest.raises(InputError, match=r"m\.toml, line 1"):
        parse_models(text, "m.toml")


def test_where_the_file_stands(tmp_path: Path) -> None:
    """As given, else as the environment says, else here; one that is not there is named."""
    assert model_path(Path("x"), {"WAVELOCK_MODELS": "y"}) == Path("x")
    assert model_path(None, {"WAVELOCK_MODELS": "y"}) == Path("y")
    assert model_path(None, {}) == Path("models.toml")
    with pytest.raises(NotFound, match=r"no models file .*gone\.toml"):
        load_models(tmp_path / "gone.toml")


def test_what_the_command_line_overrules(tmp_path: Path) -> None:
    """A model of the file keeps its id and key; its decoding may be overruled, in range."""
    file = tmp_path / "models.toml"
    file.write_text(GOOD)
    assert chosen("a", file, temperature=0.1, seed=4, prefill=None).temperature == 0.1
    assert chosen("b", file, seed=4).seed is None
    assert chosen("scripted", file).kind == "scripted"
    assert chosen("http://x.test", file, api_model="m").api_model == "m"
    with pytest.raises(InputError, match="change its api_model there"):
        chosen("a", file, api_model="other")
    with pytest.raises(InputError, match="0 or more"):
        chosen("a", file, temperature=-1)
    with pytest.raises(NotFound, match="no model “c”; there is a, b"):
        chosen("c", file)
    with pytest.raises(InputError, match="use embedded, scripted"):
        chosen("c", tmp_path / "none.toml")


def test_what_the_file_leaves_open_is_as_the_suite_asks(tmp_path: Path) -> None:
    """Command line over file, file over suite, suite over our own default; "default" is a word."""
    file = tmp_path / "models.toml"
    file.write_text(GOOD)
    usual = {"temperature": 0.2, "max_tokens": 99, "prefill": "Begin:"}
    first, second = chosen("a", file, usual), chosen("b", file, usual)
    assert (first.temperature, first.max_tokens, first.prefill) == (None, 120, "Begin:")
    assert (second.temperature, second.max_tokens, second.prefill) == (0.2, 99, "Answer:")
    said = chosen("b", file, usual, temperature=0.9, max_tokens=7, prefill="")
    assert (said.temperature, said.max_tokens, said.prefill) == (0.9, 7, "")
    nothing = dict.fromkeys(usual)
    assert chosen("b", file, nothing) == chosen("b", file)
    assert chosen("a", file, max_tokens=0).max_tokens is None  # left to the provider, not sent as 0


def test_several_models_or_all_of_the_file(tmp_path: Path) -> None:
    """Each once, in the order in which they are named; a selection is one or the other."""
    file = tmp_path / "models.toml"
    file.write_text(GOOD)
    assert [model.name for model in chosen_of((), file, every=True)] == ["a", "b"]
    assert [model.name for model in chosen_of(("b", "scripted", "b"), file)] == ["b", "scripted"]
    usual = {"temperature": 0.2}
    assert chosen_of((), file, usual, every=True)[1] == chosen("b", file, usual)
    for names, every in (((), False), (("a",), True)):
        with pytest.raises(InputError, match="or --all-models"):
            chosen_of(names, file, every=every)


def test_keys_are_not_in_it(monkeypatch: Any) -> None:
    """What a file becomes holds the name of a variable, never its content."""
    monkeypatch.setenv("A_KEY", "sk-canary-0123")
    assert "canary" not in repr(parse_models(GOOD, "m.toml"))
