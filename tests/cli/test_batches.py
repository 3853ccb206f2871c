"""``wavelock run --batch`` and ``wavelock runs`` as a script meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.evals.ordeal import Server, mock

KEY = "sk-canary-0123456789-abc"
BOTH = (("gpt", "openai"), ("claude", "anthropic"))


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A models file with one model of each protocol, for a server that is given."""
    monkeypatch.setenv("SOME_KEY", KEY)
    monkeypatch.chdir(tmp_path)

    def write(url: str) -> None:
        entries = (
            f'[[model]]\nname = "{name}"\nprovider = "{provider}"\nendpoint = "{url}/v1"\n'
            'api_model = "mock-1"\nkey_env = "SOME_KEY"\n[model.decoding]\nmax_tokens = 60\n'
            "[model.prices]\ninput = 1\noutput = 5\nbatch_input = 0.5\nbatch_output = 2.5\n"
            for name, provider in BOTH
        )
        Path("models.toml").write_text("\n".join(entries))

    return write


def later(server: Server, seconds: float) -> None:
    httpx.post(f"{server.url}/mock/clock", json={"forward": seconds}, trust_env=False)


@pytest.mark.parametrize("name", [name for name, _ in BOTH])
def test_from_a_dry_run_to_a_closed_run(
    wavelock: Any, models: Any, study_path: Path, tmp_path: Path, name: str
) -> None:
    """Estimate, submit, see it listed, collect: codes and streams as they say."""
    faults = tmp_path / "f.toml"
    faults.write_text("[batch]\ntakes = 600\n")
    study = ("--study", study_path)
    go = (*study, "run", "--exploratory", "--model", name, "-k", "2", "--batch")
    with mock("--faults", str(faults)) as server:
        models(server.url)
        dry = wavelock(*go, "--dry-run")
        assert (dry.code, dry.out.startswith("1 batch: 20 requests, about ")) == (0, True)
        assert "at most $0.00" in dry.out
        sent = wavelock(*go)
        assert (sent.code, sent.out) == (0, "")
        assert "batch 2 is submitted: 20 requests" in sent.err
        assert "open: batch 2" in sent.err
        assert "next:" not in sent.err
        status = wavelock(*study, "runs", "status")
        assert "1 batch" in status.out
        assert "in_progress" in status.out
        later(server, 601)
        done = wavelock(*go)
        assert done.code == 0
        assert "20 of 20 answered (20 ok)" in done.err
        assert "next: wavelock score" in done.err
        assert server.counts()["by_batch"] == 20
    listed = json.loads(wavelock(*study, "runs", "batches", "--json").out)["rows"]
    assert [(b["is"], b["done"], b["failed"], b["lost"]) for b in listed[1:]] == [
        ("collected", 20, 0, 0)
    ]
    runs = json.loads(wavelock(*study, "runs", "list", "--json").out)["rows"]
    assert runs[-1]["kind"] == "chat, by batch"
    rows = json.loads(wavelock(*study, "runs", "status", "--json").out)["rows"]
    assert (rows[-1]["through"], rows[-1]["is"]) == ("batch", "closed")
    assert rows[-1]["cost"] > 0
    assert wavelock(*study, "runs", "check", runs[-1]["run"]).code == 0
    assert wavelock(*study, "ledger", "verify").code == 0
    assert wavelock(*study, "score").code == 0
    report = (*study, "report", "paired", "--replicates", "40")
    assert f"{name}: asked by batch" in wavelock(*report).out
    shown = wavelock(*study, "ledger", "show").out
    assert "batch 2 of run" in shown
    for file in study_path.parent.glob(f"{study_path.name}*"):
        assert KEY.encode() not in file.read_bytes()


def test_cancel_from_the_command_line(
    wavelock: Any, models: Any, study_path: Path, tmp_path: Path
) -> None:
    """Cancel at the provider; collect what was done, submit the rest; give one up for a reason."""
    faults = tmp_path / "f.toml"
    faults.write_text("[batch]\ntakes = 600\n")
    study = ("--study", study_path)
    go = (*study, "run", "--exploratory", "--model", "gpt", "-k", "1", "--batch")
    with mock("--faults", str(faults)) as server:
        models(server.url)
        assert wavelock(*go).code == 0
        assert wavelock(*study, "runs", "cancel", "9").code == 2
        cancelled = wavelock(*study, "runs", "cancel", "2")
        assert (cancelled.code, "batch 2: cancelled" in cancelled.err) == (0, True)
        again = wavelock(*go)
        assert (again.code, "5 answered, 5 cancelled" in again.err) == (0, True)
        lost = wavelock(*study, "runs", "cancel", "3", "--lost", "the account was closed")
        assert (lost.code, "batch 3: gone" in lost.err) == (0, True)
        ended = wavelock(*study, "runs", "cancel", "3")
        assert (ended.code, "has ended already (gone)" in ended.err) == (2, True)
    assert wavelock(*study, "ledger", "verify").code == 0


def test_what_failed_is_an_exit_code(
    wavelock: Any, models: Any, study_path: Path, tmp_path: Path
) -> None:
    """A request that the provider never answers: told, and 1, until it is asked again."""
    faults = tmp_path / "f.toml"
    faults.write_text("[batch]\ninvalid = 1\n")
    go = ("--study", study_path, "run", "--exploratory", "--model", "gpt", "-k", "1", "--batch")
    with mock("--faults", str(faults)) as server:
        models(server.url)
        assert wavelock(*go).code == 0
        failed = wavelock(*go, "--wait")
        assert failed.code == 1
        assert "batch 2 is collected: 10 errored" in failed.err
        assert failed.err.splitlines()[-1].endswith("10 requests failed; the same command submits "
                                                    "them again")  # fmt: skip
    states = json.loads(wavelock("--study", study_path, "runs", "list", "--json").out)["rows"][-1]
    assert (states["error"], states["ok"]) == (10, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "scripted", "--wait"), "--wait goes with --batch"),
        (("--model", "scripted", "--batch"), "runs on this machine, which has no batches"),
        (("--model", "scripted", "--batch", "--dry-run"), "leave --batch out"),
        (("--model", "gpt", "--batch", "--max-tokens-total", "5"), "so nothing is sent"),
    ],
)
def test_what_is_refused(
    wavelock: Any, models: Any, study_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    """Bad input is one line and exit code 2."""
    models("http://127.0.0.1:9")
    refused = wavelock("--study", study_path, "run", "--exploratory", *arguments)
    assert refused.code == 2
    assert said in refused.err


def test_several_models_by_batch(wavelock: Any, models: Any, study_path: Path) -> None:
    """All of the file, each in a run of its own, foretold together."""
    with mock() as server:
        models(server.url)
        go = ("--study", study_path, "run", "--exploratory", "--all-models", "--batch", "-k", "1")
        dry = wavelock(*go, "--dry-run")
        assert dry.out.splitlines()[0].startswith("gpt: 1 batch: 10 requests")
        assert dry.out.splitlines()[-1].startswith("2 models: 20 requests; at most $0.0")
        assert wavelock(*go).code == 0
        assert wavelock(*go).code == 0
        assert server.counts()["by_batch"] == 20
