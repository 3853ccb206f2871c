"""``wavelock models``, ``run`` and ``runs`` as a script meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evals.ordeal import mock

KEY = "sk-canary-0123456789-abc"


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A models file for a server that is given, in the place where it is looked for."""
    monkeypatch.setenv("SOME_KEY", KEY)
    monkeypatch.chdir(tmp_path)

    def write(url: str) -> None:
        Path("models.toml").write_text(
            f'[[model]]\nname = "claude"\nprovider = "anthropic"\nendpoint = "{url}/v1"\n'
            'api_model = "claude-x"\nkey_env = "SOME_KEY"\n[model.decoding]\nmax_tokens = 60\n'
            "[model.prices]\ninput = 1\noutput = 5\n"
        )

    return write


def test_from_a_models_file_to_a_checked_run(wavelock: Any, models: Any, study_path: Path) -> None:
    """List, check, estimate, run to a cap, on to the end, check: codes and streams as they say."""
    with mock() as server:
        models(server.url)
        listed = json.loads(wavelock("models", "list", "--json").out)["rows"]
        assert listed[0]["api_model"] == "claude-x"
        assert listed[0]["seed"] == "provider default"
        checked = wavelock("models", "check")
        assert (checked.code, "it answers" in checked.out) == (0, True)
        go = ("--study", study_path, "run", "--exploratory", "--model", "claude", "-k", "2")
        dry = wavelock(*go, "--dry-run")
        assert dry.code == 0
        assert dry.out.startswith("20 requests, about ")
        assert "at most $0.0" in dry.out
        capped = wavelock(*go, "--max-tokens-total", "500", "--workers", "2")
        assert capped.code == 1
        assert "the cap is reached" in capped.err
        done = wavelock(*go)
        assert done.code == 0
        assert "20 of 20 answered (20 ok)" in done.err
        assert server.counts()["requests"] == 21
    number = json.loads(wavelock("--study", study_path, "runs", "list", "--json").out)["rows"][-1]
    run = number["run"]
    held = wavelock("--study", study_path, "runs", "check", run)
    assert held.code == 0
    assert "nothing twice" in held.err
    status = json.loads(wavelock("--study", study_path, "runs", "status", "--json").out)["rows"]
    assert status[-1]["is"] == "closed"
    assert status[-1]["cost"] > 0
    assert wavelock("--study", study_path, "ledger", "verify").code == 0
    for file in study_path.parent.glob(f"{study_path.name}*"):
        assert KEY.encode() not in file.read_bytes()


def test_all_models_of_a_file_in_one_command(wavelock: Any, models: Any, study_path: Path) -> None:
    """Counted first, asked one after the other, a failed one named; again asks only that one."""
    with mock() as server:
        models(server.url)
        file = Path("models.toml")
        other = file.read_text().replace("claude", "other")
        gone = other.replace(server.url, "http://127.0.0.1:9").replace("other", "gone")
        go = ("--study", study_path, "run", "--all-models", "-k", "1", "--conditions", "A*",
              "--exploratory")  # fmt: skip
        file.write_text(f"{gone}\n{file.read_text()}\n{other}")
        dry = wavelock(*go, "--dry-run")
        assert dry.code == 0
        assert [line.split(":")[0] for line in dry.out.splitlines()] == [
            "gone", "claude", "other", "3 models",
        ]  # fmt: skip
        assert server.counts()["requests"] == 0
        done = wavelock(*go)
        assert (done.code, done.out) == (1, "")
        assert "3 models: " in done.err
        assert "1 of 3 models are not done: gone" in done.err
        asked = server.counts()["requests"]
        file.write_text(file.read_text().replace("http://127.0.0.1:9", server.url))
        again = wavelock(*go)
        assert again.code == 0
        assert server.counts()["requests"] == asked * 3 // 2
        runs = json.loads(wavelock("--study", study_path, "runs", "list", "--json").out)["rows"]
        number = next(row["run"] for row in runs if row["model"] == "other")
        wavelock("--study", study_path, "runs", "drop", number, "--reason", "too slow")
        left = wavelock(*go)  # what was given up holds up nobody
        assert left.code == 0
        assert left.err.count("other: left out: ") == 2
        assert server.counts()["requests"] == asked * 3 // 2
        alone = wavelock("--study", study_path, "run", "--model", "other", *go[4:])
        assert (alone.code, alone.err.count("\n")) == (2, 1)
        assert "was dropped and takes no more answers: too slow" in alone.err
    assert wavelock("--study", study_path, "run").code == 2
    assert wavelock("--study", study_path, "run", "--all-models", "--model", "claude").code == 2


def test_a_run_is_dropped_for_a_reason(wavelock: Any, study_path: Path) -> None:
    """A drop needs a reason or a rule, and is in the ledger."""
    drop = ("--study", study_path, "runs", "drop")
    assert wavelock(*drop, "2").code == 2
    assert wavelock(*drop, "2", "--by-rule").code == 2
    assert wavelock(*drop, "99", "--reason", "x").code == 2
    done = wavelock(*drop, "2", "--reason", "too slow")
    assert (done.code, done.err) == (0, "run 2 is dropped: too slow\n")
    assert "run 2 dropped" in wavelock("--study", study_path, "ledger", "show").out
    assert wavelock("--study", study_path, "ledger", "verify").code == 0


def test_bad_input_is_one_line(wavelock: Any, models: Any, study_path: Path) -> None:
    """A wrong file, name, preset or port is one line and code 2; a model that fails is code 1."""
    assert wavelock("models", "list").code == 2
    models("http://127.0.0.1:9")
    failed = wavelock("models", "check")
    assert (failed.code, "nobody answers" in failed.out) == (1, True)
    for wrong in (
        ("models", "check", "nobody"),
        ("models", "mock", "--faults", "nothing"),
        ("models", "mock", "--delay", "-1"),
        ("--study", study_path, "run", "--model", "nobody"),
        ("--study", study_path, "run", "--model", "claude", "--max-cost", "-1"),
        ("--study", study_path, "run", "--model", "scripted", "--max-cost", "1"),
        ("--study", study_path, "run", "--model", "claude", "--drop-errors-above", "7"),
    ):
        done = wavelock(*wrong)
        assert done.code == 2, wrong
        assert done.err.count("\n") == 1
    checked = wavelock("--study", study_path, "runs", "check", "2")
    assert checked.code in {0, 1}
