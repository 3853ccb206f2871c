"""Nothing missing, nothing twice, no batch paid twice: whatever goes wrong, whoever is killed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks._asking import frozen
from tests.evals.batches.ordeal import faults_file, run_through, start
from tests.evals.ordeal import mock

PROVIDERS = ("openai", "anthropic")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_killed_again_and_again(provider: str, tmp_path: Path, capsys: Any) -> None:
    """Four kills and every kind of fault: all there, none twice, every state right."""
    faults = faults_file(tmp_path, requests=0.3, batches=0.9)
    told = run_through(
        tmp_path, provider=provider, faults=faults, items=60, samples=5, size=20, kills=4
    )
    with capsys.disabled():
        print(f"\n{provider}: {told}")


def test_two_processes_share_a_run(tmp_path: Path) -> None:
    """Two processes on one run submit every key once between them."""
    faults = tmp_path / "f.toml"
    faults.write_text("[batch]\ntakes = 0.5\n")
    with frozen(tmp_path / "two.db", 30) as study, mock("--faults", str(faults)) as server:
        both = [start(study, server, "openai", 10, 20) for _ in range(2)]
        assert [child.wait(60) for child in both] == [0, 0]
        assert server.counts()["by_batch"] == 300
        assert study.run_counts.states(1) == {"ok": 300}
        assert len(study.run_sessions.of_run(1)) >= 2


@pytest.mark.soak
@pytest.mark.parametrize("provider", PROVIDERS)
def test_twenty_thousand_generations(provider: str, tmp_path: Path) -> None:
    """20,000 generations in batches of 500, every fault, 30 kills."""
    faults = faults_file(tmp_path, requests=0.1, batches=0.6)
    told = run_through(
        tmp_path, provider=provider, faults=faults, items=500, samples=40, size=500, kills=30
    )
    print(f"{provider}: {told}")
