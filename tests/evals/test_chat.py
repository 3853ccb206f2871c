from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from core.errors import InputError, Unavailable
from core.runs import GenerationKey, Message
from evals import chat
from evals.attempts import Attempt
from evals.chat import ChatClient, http_client, served_model
from evals.keys import key_of
from evals.models import ModelSpec, Prompt, parse_model

KEY = "sk-canary/9f+8e7d6c5b4a"
PROMPT = Prompt(GenerationKey(1, 1, "sha256:p", 1), (Message("user", "Drive or walk?"),))
GOOD = {
    "model": "tiny-1",
    "choices": [{"message": {"content": "Answer: A"}, "finish_reason": "stop"}],
}

Answer = Callable[[httpx.Request], httpx.Response]


async def ask(answer: Answer, spec: ModelSpec | None = None, key: str = "") -> Attempt:
    spec = spec or parse_model("http://x.test", api_model="tiny")
    transport = httpx.MockTransport(answer)
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(transport=transport, headers=headers) as client:
        return await ChatClient(spec, client, key).ask(PROMPT)


async def test_what_is_sent_and_what_is_kept() -> None:
    """The frozen messages go out as they are, and request, body, times and model id are kept."""
    seen: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append((str(request.url), json.loads(request.content)))
        return httpx.Response(200, json=GOOD)

    attempt = await ask(answer)
    url, sent = seen[0]
    assert url == "http://x.test/v1/chat/completions"
    assert sent == {
        "model": "tiny",
        "temperature": 0.7,
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": "Drive or walk?"}],
    }
    reply = attempt.reply
    assert (attempt.fault, reply.state, reply.answered_by) == ("", "ok", "tiny-1")
    assert json.loads(reply.request)["body"] == sent
    assert json.loads(reply.body) == GOOD
    assert reply.started_at <= reply.ended_at
    assert reply.seconds >= 0


async def test_prefill_and_seed_are_sent() -> None:
    """A prefill goes out as the beginning of the assistant's turn, and a seed per sample."""
    spec = parse_model("http://x.test", api_model="m", prefill="Answer:", seed=3)
    sent: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(200, json=GOOD)

    attempt = await ask(answer, spec)
    assert sent[0]["messages"][-1] == {"role": "assistant", "content": "Answer:"}
    assert sent[0]["seed"] == PROMPT.seed(3)
    assert attempt.reply.visible_text == "Answer: A"


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (429, "busy"), (500, "busy"), (503, "busy"), (529, "busy"), (408, "busy"),
        (401, "denied"), (403, "denied"), (404, "denied"), (301, "denied"),
        (400, "unusable"), (413, "unusable"), (422, "unusable"),
    ],
)  # fmt: skip
async def test_http_errors(status: int, fault: str) -> None:
    """Every HTTP error is a reply with state error and a reason, and says whether to try again."""
    attempt = await ask(lambda _: httpx.Response(status, json={"error": {"message": "no\nway"}}))
    assert (attempt.fault, attempt.reply.state) == (fault, "error")
    assert attempt.reply.error == f"HTTP {status}: no way"


@pytest.mark.parametrize(
    ("asked", "wait"),
    [("7", 7.0), ("0.5", 0.5), ("Wed, 21 Oct 2020 07:28:00 GMT", 0.0), ("-1", None), ("٣", None),
     ("1e9", None), ("", None)],
)  # fmt: skip
async def test_retry_after(asked: str, wait: float | None) -> None:
    """Seconds in Retry-After are understood, and dates; anything else asks for nothing."""
    headers = [(b"Retry-After", asked.encode())]
    attempt = await ask(lambda _: httpx.Response(429, headers=headers))
    assert attempt.wait == wait


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (httpx.ConnectError("refused"), "unreachable"),
        (httpx.ConnectTimeout(""), "unreachable"),
        (httpx.ReadTimeout(""), "dropped"),
        (httpx.RemoteProtocolError("peer closed"), "dropped"),
        (httpx.DecodingError("bad gzip"), "dropped"),
        (httpx.InvalidURL("odd"), "unreachable"),
        (OSError("no route"), "dropped"),
        (TimeoutError(), "dropped"),
    ],
)
async def test_broken_connections(error: Exception, fault: str) -> None:
    """A connection that fails, at whatever point, is a reply with state error, never a raise."""

    def answer(_: httpx.Request) -> httpx.Response:
        raise error

    attempt = await ask(answer)
    assert (attempt.fault, attempt.reply.state, attempt.reply.body) == (fault, "error", b"")
    assert attempt.reply.error
    assert "\n" not in attempt.reply.error


async def test_a_huge_body_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body without end is not read to its end, and is an error of its own."""
    monkeypatch.setattr(chat, "LARGEST", 2**20)
    attempt = await ask(lambda _: httpx.Response(200, content=b"x" * (2**20 + 1)))
    assert attempt.fault == "unusable"
    assert attempt.reply.error == "the reply is larger than 1 MB"


@pytest.mark.parametrize("status", [200, 401, 500])
@pytest.mark.parametrize(
    "write",
    [
        lambda key: json.dumps({"error": {"message": f"bad key {key}"}}),
        lambda key: json.dumps({"error": f"bad key {key}"}).replace("/", "\\/"),
        lambda key: json.dumps({"error": "".join(key)}).replace("+", "\\u002b"),
        lambda key: f"<html>{key}</html>",
        lambda key: "x" * 285 + key,
        lambda key: f"/login?key={httpx.QueryParams({'k': key})}",
        lambda key: json.dumps({**GOOD, "model": key, "usage": {key: 1}}),
        lambda key: json.dumps(
            {"choices": [{"message": {"content": f"Bearer {key}", "reasoning": key}}]}
        ),
    ],
)
async def test_the_key_never_reaches_the_reply(status: int, write: Callable[[str], str]) -> None:
    """A key that an endpoint echoes, however it is written, is in no field of the reply."""
    attempt = await ask(lambda _: httpx.Response(status, content=write(KEY).encode()), key=KEY)
    shown = repr(attempt)
    for form in ("canary", "9f+8e7", "9f%2B8e7"):
        assert form not in shown


async def test_a_placeholder_key_changes_no_reply() -> None:
    """A short placeholder such as EMPTY is masked in errors, never in what a model said."""
    said = {"choices": [{"message": {"content": "Answer: EMPTY"}}]}
    attempt = await ask(lambda _: httpx.Response(200, json=said), key="EMPTY")
    assert attempt.reply.visible_text == "Answer: EMPTY"
    attempt = await ask(lambda _: httpx.Response(401, text="bad EMPTY"), key="EMPTY")
    assert attempt.reply.error == "HTTP 401: bad [key]"


def test_where_keys_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is read from the named variable; one that is not set is bad input."""
    monkeypatch.setenv("WAVELOCK_API_KEY", " abc \n")
    monkeypatch.setenv("ODD", "a\nb")
    assert key_of(parse_model("http://x.test")) == "abc"
    assert key_of(parse_model("embedded")) == ""
    with pytest.raises(InputError, match="NOT_SET is not set"):
        key_of(parse_model("http://x.test", key_env="NOT_SET"))
    with pytest.raises(InputError, match="characters that no key has"):
        key_of(parse_model("http://x.test", key_env="ODD"))
    monkeypatch.delenv("WAVELOCK_API_KEY")
    assert key_of(parse_model("http://x.test")) == ""


async def test_the_key_goes_into_the_header(endpoint: Any) -> None:
    """The key is sent as a bearer token, over a real connection, and stored nowhere."""
    spec = parse_model(endpoint.url, api_model="m")
    async with http_client(spec, KEY) as client:
        attempt = await ChatClient(spec, client, KEY).ask(PROMPT)
    assert endpoint.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert "canary" not in repr(attempt)


async def test_a_real_server_cuts_stalls_and_closes(endpoint: Any, say: Any) -> None:
    """Bodies that end early, answers that never come and a closed port are errors in time."""
    spec = ModelSpec("m", "chat", base_url=f"{endpoint.url}/v1", api_model="m", timeout=0.4)
    endpoint.behave = lambda number, _: (
        say(b'{"choices": [', length=500) if number == 1 else say(b"{}", delay=1.2)
    )
    async with http_client(spec, "") as client:
        cut = await ChatClient(spec, client).ask(PROMPT)
        late = await ChatClient(spec, client).ask(PROMPT)
        closed = ModelSpec("m", "chat", base_url="http://127.0.0.1:9/v1", api_model="m")
        refused = await ChatClient(closed, client).ask(PROMPT)
    assert (cut.fault, late.fault, refused.fault) == ("dropped", "dropped", "unreachable")
    assert late.reply.error == "no answer within 0.4 s"


def test_asking_for_the_served_model(endpoint: Any, say: Any) -> None:
    """Without a model id the endpoint is asked; several, none or rubbish is one clear line."""
    spec = parse_model(endpoint.url)
    endpoint.behave = lambda *_: say(b'{"data": [{"id": "qwen"}]}')
    assert served_model(spec, "") == "qwen"
    for body, said in [
        (b'{"data": [{"id": "a"}, {"id": "b"}]}', "serves 2 models"),
        (b'{"data": []}', "lists no model"),
        (b'{"data": 7}', "lists no model"),
        (b"rubbish", "lists no model"),
    ]:
        endpoint.behave = lambda *_, body=body: say(body)
        with pytest.raises(Unavailable, match=said):
            served_model(spec, "")
    with pytest.raises(Unavailable, match="no connection"):
        served_model(parse_model("http://127.0.0.1:9"), "")
