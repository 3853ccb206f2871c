"""Nothing missing, nothing twice, everything kept: whatever the server does, whoever is killed."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks._asking import frozen
from evals.models import parse_model
from evals.runner import run
from tests.evals.ordeal import mock, run_through, start


def test_killed_again_and_again(tmp_path: Path, capsys: Any) -> None:
    """Four kills and every kind of fault: all there, none twice, every state right."""
    file = tmp_path / "faults.toml"
    kinds = (
        "rate_limit_seconds", "rate_limit_date", "server_error", "slow", "cut", "drop", "rubbish",
        "echo_key", "thinking_only", "refusal", "truncated",
    )  # fmt: skip
    shares = "\n".join(f"{kind} = 0.03" for kind in kinds)
    file.write_text(f"wait = 0\nslowness = 0.2\n[faults]\n{shares}\nhuge = 0.005\n")
    told = run_through(tmp_path, faults=str(file), items=20, samples=20, workers=8, kills=4)
    with capsys.disabled():
        print(f"\n{told}")


@pytest.mark.soak
def test_a_hundred_thousand_generations(tmp_path: Path) -> None:
    """100,000 generations, 5 % faults of every kind, 50 kills, half of them in a resume."""
    print(run_through(tmp_path, faults="rough", items=1000, samples=100, workers=64, kills=50))


def test_two_processes_share_a_run(tmp_path: Path) -> None:
    """Two processes on one run ask everything once between them."""
    with frozen(tmp_path / "two.db", 30) as study, mock("--delay", "0.005") as server:
        both = [start(study, server, 10, 8) for _ in range(2)]
        assert [child.wait(60) for child in both] == [0, 0]
        assert server.counts()["requests"] == 300
        (entry,) = study.runs.all()
        assert len(study.runs.generations(entry.id)) == 300
        assert len(study.run_sessions.of_run(entry.id)) == 2


def test_a_server_that_is_gone_for_a_while(tmp_path: Path) -> None:
    """The server goes away for some seconds in mid-run: the run waits, goes on, and is whole."""
    with frozen(tmp_path / "gone.db", 30) as study:
        with mock("--delay", "0.02") as server:
            child = start(study, server, 20, 4)
            while server.counts()["requests"] < 60:
                time.sleep(0.02)
        time.sleep(2)
        assert child.poll() is None
        with mock("--delay", "0.005", port=server.port):
            assert child.wait(60) == 0
        (entry,) = study.runs.all()
        assert study.run_counts.states(entry.id) == {"ok": 600}


def test_ctrl_c_twice_stops_at_once(tmp_path: Path) -> None:
    """The first Ctrl-C lets what is in flight finish, the second does not; nothing is lost."""
    with frozen(tmp_path / "c.db", 30) as study, mock("--delay", "20") as server:
        child = start(study, server, 1, 4)
        while server.counts()["requests"] < 1:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert child.wait(10) != 0
        assert study.runs.generations() == ()
        (session,) = study.run_sessions.of_run(1)
        assert session.ended == "interrupted"


def test_a_full_disk_is_waited_out(tmp_path: Path) -> None:
    """While the study file can take nothing, replies are held; with room again all are kept."""
    with frozen(tmp_path / "full.db", 10) as study, mock() as server:
        held: list[str] = []
        pages = study._db.execute("PRAGMA page_count").fetchone()[0]
        study._db.execute(f"PRAGMA max_page_count = {pages + 4}")

        def warn(line: str) -> None:
            held.append(line)
            study._db.execute("PRAGMA max_page_count = 1000000")

        spec = parse_model(server.url, api_model="mock-1", seed=1)
        done = run(study, spec, conditions=("Active",), samples=20, workers=8, warn=warn)
        assert done.complete
        assert len(held) == 1
        assert "takes nothing just now" in held[0]
        assert server.counts()["requests"] == 200
