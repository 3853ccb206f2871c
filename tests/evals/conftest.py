"""Frozen studies, and a real server on loopback that misbehaves as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.hashing import digest_of
from core.items import ItemText, Option, Scenario
from core.study import Revision
from db.file import StudyFile, create_study
from db.waves import FrozenDocument

OPTIONS = (Option("heavy", "Drive"), Option("heuristic", "Walk"))
CONDITIONS = ("Active", "Removed", "Explicit")


def scenario(number: int) -> Scenario:
    texts = (f"Scenario {number}, {condition}. Drive or walk?" for condition in CONDITIONS)
    items = (
        ItemText(condition, text, OPTIONS, "heavy")
        for condition, text in zip(CONDITIONS, texts, strict=True)
    )
    return Scenario(f"S{number:02}", {"domain": "travel"}, tuple(items))


def document(revision: Revision, facts: dict[str, str]) -> dict[str, Any]:
    messages = [
        {"role": "user", "content": f"{revision.text}\nFirst line: 'Answer: A' or 'Answer: B'."}
    ]
    return {
        "scenario": revision.scenario,
        "condition": revision.condition,
        "revision": revision.number,
        "text": revision.text,
        "options": [{"action": o.action, "label": o.label} for o in revision.options],
        "gold": revision.gold,
        "parameters": dict(revision.parameters),
        "facts": facts,
        "messages": messages,
        "prompt_hash": digest_of(messages),
        "verifiers": ["forced-choice"],
    }


@pytest.fixture
def make_study(tmp_path: Path) -> Iterator[Callable[..., StudyFile]]:
    opened: list[StudyFile] = []

    def make(
        scenarios: int = 2, frozen: tuple[str, ...] = ("Active", "Removed"), **changed: Any
    ) -> StudyFile:
        path = tmp_path / f"{len(opened)}.db"
        drafted = [scenario(number) for number in range(1, scenarios + 1)]
        study = create_study(path, title="t", suite="core100", scenarios=drafted, salt="s")
        opened.append(study)
        facts = study.items.facts()
        documents = [
            FrozenDocument(r.item, r.id, {**document(r, facts[r.scenario]), **changed})
            for r in study.items.latest()
            if r.condition in frozen
        ]
        if documents:
            study.waves.freeze("declared", {}, documents)
        return study

    yield make
    for study in opened:
        study.close()


@dataclass(frozen=True)
class Say:
    """One answer of the server; `length` announces more bytes than come."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    delay: float = 0.0


def completion(content: Any = "Answer: A", finish: str = "stop", **message: Any) -> Say:
    choice = {
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish,
    }
    body = {"model": "tiny-1", "choices": [choice], "usage": {"total_tokens": 7}}
    return Say(json.dumps(body).encode())


class Endpoint:
    """A loopback server that answers what `behave(number, request)` returns."""

    def __init__(self) -> None:
        self.behave: Callable[[int, dict[str, Any]], Say] = lambda number, request: completion()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)

    def contents(self) -> list[str]:
        return [request["messages"][0]["content"] for request in self.requests]

    def die(self) -> None:
        self.server.shutdown()
        self.server.socket.close()

    def _handler(endpoint) -> type[BaseHTTPRequestHandler]:  # noqa: N805  (self is the handler below)
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 20

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with endpoint.lock:
                    endpoint.requests.append(asked)
                    endpoint.headers.append(dict(self.headers))
                    said = endpoint.behave(len(endpoint.requests), asked)
                self.say(said)

            def do_GET(self) -> None:
                self.say(endpoint.behave(0, {"path": self.path}))

            def say(self, said: Say) -> None:
                time.sleep(said.delay)
                self.send_response(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                length = len(said.body) if said.length is None else said.length
                self.send_header("content-length", str(length))
                self.end_headers()
                self.wfile.write(said.body)
                if said.length is not None:
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    served = Endpoint()
    served.thread.start()
    yield served
    served.server.shutdown()
    served.server.server_close()
    served.thread.join(5)


@pytest.fixture
def say() -> Callable[..., Say]:
    return Say


@pytest.fixture
def complete() -> Callable[..., Say]:
    return completion
