"""The local server: the same for a seed, three protocols, and every fault as it is asked for."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.errors import InputError
from evals.mock.faults import KINDS, PRESETS, Faults, load_faults, overruled, parse_faults
from evals.mock.prompts import MODES
from evals.mock.serve import serve
from evals.mock.server import MockServer, serving
from evals.model_check import check_models
from evals.model_file import parse_models
from tests.evals.ordeal import mock

CHAT = {"messages": [{"role": "user", "content": "'Answer: A' or 'Answer: B'?"}]}


async def post(faults: Faults, bodies: list[Any]) -> list[Any]:
    async with serving(MockServer(faults)) as port, httpx.AsyncClient(trust_env=False) as client:
        url, headers = f"http://127.0.0.1:{port}/v1/chat/completions", {"x-api-key": "K"}
        return [await client.post(url, json=body, headers=headers) for body in bodies]


async def test_answers_depend_on_seed_and_request_alone() -> None:
    """The same request gets the same answer from every server of a seed, in any order."""
    bodies = [{**CHAT, "seed": number} for number in range(20)]
    one = [answer.json() for answer in await post(Faults(seed=1), bodies)]
    two = [answer.json() for answer in await post(Faults(seed=1), bodies[::-1])]
    other = [answer.json() for answer in await post(Faults(seed=2), bodies)]
    assert one == two[::-1] != other
    texts = Counter(said["choices"][0]["message"]["content"][:9] for said in one)
    assert set(texts) == {"Answer: A", "Answer: B"}


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in {"cut", "drop", "slow", "huge"}])
async def test_each_fault_is_what_it_is_called(kind: str) -> None:
    """One that passes is gone the second time, one that lasts is not."""
    first, second = await post(Faults({kind: 1.0}, wait=3), [CHAT, CHAT])
    passing = {
        "rate_limit_seconds": 429, "rate_limit_date": 429, "server_error": 500, "rubbish": 200,
        "echo_key": 400,
    }  # fmt: skip
    if kind not in passing:
        assert first.content == second.content
        assert first.json()["choices"][0]["finish_reason"] in {"length", "stop"}
        return
    assert first.status_code == passing[kind]
    assert second.json()["choices"][0]["message"]["content"].startswith("Answer: ")
    assert (first.headers.get("retry-after") == "3") is (kind == "rate_limit_seconds")
    assert ("K" in first.text) is (kind == "echo_key")


@pytest.mark.parametrize("kind", ["cut", "drop"])
async def test_connections_that_end_early(kind: str) -> None:
    """A cut body and a dropped connection are what a client sees of a server that died."""
    with pytest.raises(httpx.RemoteProtocolError):
        await post(Faults({kind: 1.0}), [CHAT])


async def test_bad_requests_are_answered() -> None:
    """Another path, a body that is no JSON and a list of models are no trouble."""
    async with serving(MockServer(Faults())) as port, httpx.AsyncClient(trust_env=False) as http:
        url = f"http://127.0.0.1:{port}"
        assert (await http.post(f"{url}/v1/nothing", json={})).status_code == 404
        assert (await http.post(f"{url}/v1/messages", content=b"{")).status_code == 400
        assert (await http.get(f"{url}/v1/models")).json()["data"][0]["id"] == "mock-1"
        assert (await http.get(f"{url}/mock/counts")).json() == {"requests": 0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seeds = 1", "line 1, key seeds: unknown"),
        ("seed = 1.5", "a whole number"),
        ("delay = -1", "from 0 to"),
        ("[faults]\nsloow = 0.1", "line 2, key faults.sloow: unknown"),
        ("[faults]\nslow = 2", "a share from 0 to 1"),
        ("[faults]\nslow = 0.6\ncut = 0.6", "more than 1 together"),
        ("faults = 1", "must be a table"),
    ],
)
def test_faults_files_are_checked(text: str, said: str) -> None:
    """What is wrong with a faults file is named with its line and key."""
    with pytest.raises(InputError, match=said):
        parse_faults(text, "f.toml")


def test_presets_and_files(tmp_path: Path) -> None:
    """A preset by its name, a file by its path, and nothing else; the command line overrules."""
    file = tmp_path / "f.toml"
    file.write_text("seed = 4\n[faults]\ncut = 0.5\n")
    assert load_faults(str(file)) == Faults({"cut": 0.5}, seed=4)
    assert sum(load_faults("rough").shares.values()) == pytest.approx(0.05)
    assert set(PRESETS["rough"].shares) == set(KINDS)
    assert overruled(PRESETS["none"], delay=0.5, seed=9) == Faults(seed=9, delay=0.5)
    with pytest.raises(InputError, match="no preset; there are none, rough, hostile"):
        load_faults("nothing")
    with pytest.raises(InputError, match="0 or more"):
        overruled(Faults(), delay=-1.0)


MODELS = """
[[model]]
name = "chat"
provider = "compatible"
endpoint = "{url}/v1"
api_model = "mock-1"
[[model]]
name = "anthropic"
provider = "anthropic"
endpoint = "{url}/v1"
api_model = "claude"
[[model]]
name = "gemini"
provider = "gemini"
endpoint = "{url}/v1beta"
api_model = "gemini"
[[model]]
name = "wrong path"
provider = "compatible"
endpoint = "{url}/v1/nothing"
api_model = "x"
[[model]]
name = "nobody"
provider = "compatible"
endpoint = "http://127.0.0.1:9"
api_model = "x"
[[model]]
name = "keyless"
provider = "openai"
endpoint = "{url}/v1"
api_model = "x"
key_env = "NO_SUCH_KEY"
"""


def test_models_are_checked_in_words() -> None:
    """One request each; what is wrong is said in words, and the others are checked all the same."""
    with mock() as server:
        found = check_models(parse_models(MODELS.format(url=server.url), "m.toml"))
        assert server.counts()["requests"] == 3
    assert [each.fine for each in found] == [True, True, True, False, False, False]
    assert found[1].said == "it answers; it calls itself mock-1"
    assert "the address or the model id x is wrong: HTTP 404" in found[3].said
    assert "nobody answers at http://127.0.0.1:9/v1" in found[4].said
    assert "NO_SUCH_KEY is not set" in found[5].said


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("rate_limit_seconds", "it is busy or throttles"),
        ("cut", "did not come to its end"),
        ("echo_key", "cannot be asked like this"),
        ("thinking_only", "nothing visible (length); raise max_tokens"),
        ("refusal", "refused a harmless question"),
    ],
)
def test_what_an_endpoint_does_is_said_in_words(tmp_path: Path, kind: str, said: str) -> None:
    """Throttling, cuts, refusals and empty answers have words of their own."""
    file = tmp_path / "f.toml"
    file.write_text(f"[faults]\n{kind} = 1\n")
    with mock("--faults", str(file)) as server:
        text = json.dumps(MODELS.format(url=server.url).partition('[[model]]\nname = "anthr')[0])
        (found,) = check_models(parse_models(json.loads(text), "m.toml"))
    assert said in found.said


async def prompts(mode: str, path: str, *bodies: Any) -> list[Any]:
    async with (
        serving(MockServer(Faults(), mode)) as port,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        url = f"http://127.0.0.1:{port}{path}"
        return [await client.post(url, json=body) for body in bodies]


async def test_prompts_have_logprobs_that_depend_on_their_tokens_alone() -> None:
    """A number for every token but the first, the same again, and none of chance."""
    asked = {"prompt": "Walk or drive?", "echo": True, "logprobs": 1, "max_tokens": 1}
    answers = await prompts("honest", "/v1/completions", asked, asked, {**asked, "prompt": "Go"})
    first, again, other = [a.json()["choices"][0]["logprobs"]["token_logprobs"] for a in answers]
    assert first == again
    assert (len(first), first[0], len(other)) == (5, None, 2)
    assert all(value < 0 for value in first[1:])


@pytest.mark.parametrize("mode", MODES)
async def test_each_mode_of_prompts_is_what_it_is_called(mode: str) -> None:
    """What an endpoint gives of its prompt, or does not, in the words of the real ones."""
    asked = {"prompt": "one two three four", "echo": True, "logprobs": 1, "prompt_logprobs": 0}
    (answer,) = await prompts(mode, "/v1/completions", asked)
    choice = answer.json()["choices"][0]
    echoed = len((choice["logprobs"] or {"token_logprobs": []})["token_logprobs"]) - 1
    expected = {"honest": 4, "ignores-echo": 0, "truncated": 2, "miscounted": 3, "nulls-inside": 4,
                "no-tokenizer": 4}  # fmt: skip
    assert echoed == expected.get(mode, -1)
    assert ("prompt_logprobs" in choice) is (mode == "vllm")
    (tokens,) = await prompts(mode, "/tokenize", {"prompt": "one two"})
    assert tokens.status_code == (404 if mode == "no-tokenizer" else 200)


async def test_what_is_no_request_is_refused() -> None:
    bad: list[Any] = [{}, {"prompt": ["x"]}, [], {"messages": [{}]}]
    for path in ("/v1/completions", "/tokenize", "/detokenize"):
        assert {answer.status_code for answer in await prompts("honest", path, *bad)} == {400}


def test_an_unknown_mode_of_prompts_is_refused() -> None:
    with pytest.raises(InputError, match="there are no log-probabilities “loud”; there is honest"):
        serve(Faults(), 0, print, "loud")
