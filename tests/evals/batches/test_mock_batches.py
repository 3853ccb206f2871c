"""The batches of the local server: both protocols, every fault, and a clock that can be set."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.errors import InputError
from evals.mock.batch_faults import BATCH_KINDS, KINDS, NUMBERS, REQUEST_PASSING, BatchFaults
from evals.mock.faults import PRESETS, load_faults, parse_faults
from tests.evals.batches.conftest import Serving

Served = Callable[..., Serving]
CHAT = {"model": "m", "messages": [{"role": "user", "content": "'Answer: A' or 'Answer: B'?"}]}


def http(server: Serving) -> httpx.Client:
    return httpx.Client(base_url=server.url, trust_env=False, timeout=20)


def uploaded(client: httpx.Client, count: int) -> str:
    lines = [
        json.dumps({"custom_id": f"c-{n}", "method": "POST", "url": "/v1/chat/completions",
                    "body": {**CHAT, "seed": n}})
        for n in range(count)
    ]  # fmt: skip
    form = {"file": ("x.jsonl", "\n".join(lines), "application/jsonl")}
    answer = client.post("/files", data={"purpose": "batch"}, files=form)
    return str(answer.json()["id"])


def created(client: httpx.Client, count: int = 4) -> Any:
    body = {"input_file_id": uploaded(client, count), "endpoint": "/v1/chat/completions",
            "completion_window": "24h", "metadata": {"mine": "yes"}}  # fmt: skip
    return client.post("/batches", json=body)


def test_from_a_file_to_its_results(served: Served) -> None:
    """Upload, create, look, fetch: every line has the answer that its request gets alone."""
    server = served(numbers={"takes": 100.0, "finalising": 50.0})
    with http(server) as client:
        batch = created(client).json()
        assert (batch["status"], batch["metadata"]) == ("in_progress", {"mine": "yes"})
        assert client.get(f"/files/{batch['id']}-output/content").status_code == 400
        client.post(server.url.replace("/v1", "/mock/clock"), json={"forward": 101})
        assert client.get(f"/batches/{batch['id']}").json()["status"] == "finalizing"
        client.post(server.url.replace("/v1", "/mock/clock"), json={"forward": 50})
        over = client.get(f"/batches/{batch['id']}").json()
        assert over["status"] == "completed"
        assert over["request_counts"] == {"total": 4, "completed": 4, "failed": 0}
        text = client.get(f"/files/{over['output_file_id']}/content").text
        lines = {line["custom_id"]: line for line in map(json.loads, text.splitlines())}
        assert set(lines) == {f"c-{n}" for n in range(4)}
        alone = client.post("/chat/completions", json={**CHAT, "seed": 2}).json()
        batched = lines["c-2"]["response"]["body"]
        assert batched["choices"] == alone["choices"]
        counts = client.get(server.url.replace("/v1", "/mock/counts")).json()
        assert (counts["batches"], counts["by_batch"], counts["requests"]) == (1, 4, 1)


def test_message_batches(served: Served) -> None:
    """Create, list, look, results, cancel, in the words of the other protocol."""
    server = served(numbers={"takes": 100.0})
    asked = [{"custom_id": f"c-{n}", "params": {**CHAT, "n": n}} for n in range(3)]
    with http(server) as client:
        first = client.post("/messages/batches", json={"requests": asked}).json()
        second = client.post("/messages/batches", json={"requests": asked[:2]}).json()
        assert first["request_counts"]["processing"] == 3
        page = client.get("/messages/batches?limit=1").json()
        assert ([b["id"] for b in page["data"]], page["has_more"]) == ([second["id"]], True)
        after = client.get(f"/messages/batches?limit=9&after_id={second['id']}").json()
        assert [b["id"] for b in after["data"]] == [first["id"]]
        client.post(f"/messages/batches/{second['id']}/cancel", json={})
        found = client.get(f"/messages/batches/{second['id']}").json()
        assert found["processing_status"] == "ended"
        assert found["request_counts"]["canceled"] == 1
        server.desk.forward(101)
        text = client.get(f"/messages/batches/{first['id']}/results").text
        assert {json.loads(line)["result"]["type"] for line in text.splitlines()} == {"succeeded"}
        wrong = [{"custom_id": "no spaces", "params": CHAT}]
        assert client.post("/messages/batches", json={"requests": wrong}).status_code == 400
        assert client.post("/messages/batches", json={"requests": []}).status_code == 400


@pytest.mark.parametrize(
    ("kind", "what"),
    [("rate_limited", 429), ("server_error", 500), ("invalid", 400), ("expired", "batch_expired"),
     ("missing_line", None), ("duplicate_line", 200)],
)  # fmt: skip
def test_each_fault_of_a_request(served: Served, kind: str, what: Any) -> None:
    """It is done in the first batch; in the next one only the lasting fault is done again."""
    server = served(**{kind: 1.0})
    with http(server) as client:
        for number in range(2):
            batch = client.get(f"/batches/{created(client, 1).json()['id']}").json()
            lines = []
            for name in ("output_file_id", "error_file_id"):
                if name in batch:
                    text = client.get(f"/files/{batch[name]}/content").text
                    lines += [json.loads(line) for line in text.splitlines()]
            found: list[Any] = [
                line["error"]["code"] if line["error"] else line["response"]["status_code"]
                for line in lines
            ]
            again = number == 0 or kind == "invalid"
            expected = [what] * (2 if kind == "duplicate_line" else what is not None)
            assert found == (expected if again else [200])


@pytest.mark.parametrize("kind", ["submit_429", "submit_500", "validation_failed", "lost_reply"])
def test_each_fault_of_a_call(served: Served, kind: str) -> None:
    """It is done to the first call with some requests, and the same call then goes well."""
    server = served(**{kind: 1.0})
    with http(server) as client:
        if kind == "lost_reply":
            with pytest.raises(httpx.RemoteProtocolError):
                created(client)
            assert len(server.desk.batches) == 1
        else:
            first = created(client)
            assert first.status_code == {"submit_429": 429, "submit_500": 500}.get(kind, 200)
            assert (first.json().get("status") == "failed") is (kind == "validation_failed")
        assert created(client).json()["status"] == "completed"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[batch]\nsloow = 1", "line 2, key batch.sloow: unknown"),
        ("[batch]\nexpired = 2", "a share from 0 to 1"),
        ("[batch]\ntakes = -1", "0 or more seconds"),
        ("[batch]\ncut = 0.6\nhtml = 0.6", "more than 1 together"),
        ("batch = 1", "must be a table"),
    ],
)
def test_faults_of_batches_are_checked(text: str, said: str) -> None:
    """What is wrong with them is named with its line and key."""
    with pytest.raises(InputError, match=said):
        parse_faults(text, "f.toml")


def test_faults_of_batches_from_a_file(tmp_path: Path) -> None:
    """Shares and times are read, and the presets hold every kind."""
    file = tmp_path / "f.toml"
    file.write_text("[batch]\ntakes = 60\nexpired = 0.1\nlost_reply = 1\n")
    found = load_faults(str(file)).batch
    assert found == BatchFaults({"expired": 0.1, "lost_reply": 1}, takes=60.0)
    assert set(PRESETS["rough"].batch.shares) == set(KINDS)
    assert {*REQUEST_PASSING, "invalid", *BATCH_KINDS} == set(KINDS)
    assert NUMBERS == ("takes", "finalising", "window", "kept")


def test_what_is_no_batch_is_answered(served: Served) -> None:
    """A wrong body, an unknown batch, a file that is none: an error, never a dropped connection."""
    with http(served()) as client:
        assert client.post("/batches", json={"input_file_id": "x"}).status_code == 400
        assert client.post("/batches", content=b"{").status_code == 400
        assert client.post("/files", content=b"x").status_code == 400
        assert client.get("/batches/nothing").status_code == 404
        assert client.get("/files/nothing-output/content").status_code == 404
