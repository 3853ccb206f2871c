"""A run against the local server with every fault, killed again and again, and what must hold."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks._asking import frozen
from core.hashing import canonical, digest
from db.file import StudyFile, open_study
from evals.mock.faults import LASTING, PASSING, load_faults

WAVELOCK = Path(sys.executable).with_name("wavelock")
STATES = {"thinking_only": "empty", "refusal": "refused", "truncated": "truncated"}
KEY = "sk-canary-0123456789-abcdefghij"
CHILD = """
import sys, pathlib
from db.file import open_study
from evals.attempts import Policy
from evals.models import parse_model
from evals.runner import run
path, url, samples, workers = sys.argv[1:5]
with open_study(pathlib.Path(path)) as study:
    spec = parse_model(url, api_model="mock-1", seed=1)
    done = run(study, spec, conditions=("Active",), samples=int(samples), workers=int(workers),
               policy=Policy(first=0.05, cap=2.0))
    sys.exit(0 if done.complete else 1)
"""


@dataclass(frozen=True)
class Server:
    """The local server in a process of its own."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def counts(self) -> Counter[str]:
        answer = httpx.get(f"{self.url}/mock/counts", trust_env=False, timeout=30)
        return Counter(answer.json())


@contextmanager
def mock(*arguments: str, port: int = 0) -> Iterator[Server]:
    """Start ``wavelock models mock`` and end it again."""
    command = [WAVELOCK, "models", "mock", "--port", str(port), *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        found = re.search(r"127\.0\.0\.1:(\d+)", child.stderr.readline())
        assert found
        try:
            yield Server(int(found[1]))
        finally:
            child.send_signal(signal.SIGINT)
            child.wait(10)


def start(study: StudyFile, server: Server, samples: int, workers: int) -> subprocess.Popen[bytes]:
    settings = [str(study.path), server.url, str(samples), str(workers)]
    environment = {**os.environ, "WAVELOCK_API_KEY": KEY}
    return subprocess.Popen([sys.executable, "-c", CHILD, *settings], env=environment)


def run_through(
    folder: Path, *, faults: str, items: int, samples: int, workers: int, kills: int
) -> str:
    """Kill the runner so often, twice in a row each time, let it finish, and check everything.

    Returns
    -------
    str
        The figures, to be printed.
    """
    draw = random.Random(1)
    expected = items * samples
    with frozen(folder / "ordeal.db", items) as study, mock("--faults", faults) as server:
        step = max(2, expected // (kills + 2))
        for number in range(kills):
            # Every second kill hits a resume that has hardly begun.
            further = 1 + workers if number % 2 else draw.randint(step, 2 * step - 1)
            child = start(study, server, samples, workers)
            before = server.counts()["requests"]
            while child.poll() is None and server.counts()["requests"] < before + further:
                time.sleep(0.01)
            child.kill()
            child.wait()
        calls = 0
        while start(study, server, samples, workers).wait() != 0:
            calls += 1
            assert calls < 10, "it does not come to its end"
        counts = server.counts()
    with open_study(folder / "ordeal.db") as study:
        said = _checked(study, faults, expected)
    retried = sum(counts[kind] for kind in PASSING if kind != "slow")
    again = counts["requests"] - expected - retried
    assert 0 <= again <= kills * workers
    done = ", ".join(f"{counts[kind]} {kind}" for kind in (*PASSING, *LASTING))
    return (
        f"{expected:,} generations, {kills} kills, {workers} workers: {counts['requests']:,} "
        f"requests ({retried:,} for faults that pass, {again:,} asked again); {said}; "
        f"faults: {done}"
    )


def _checked(study: StudyFile, faults: str, expected: int) -> str:
    """Hold every stored generation against what the server must have said to its request."""
    (entry,) = study.runs.all()
    assert entry.closed_at is not None
    drawn, states, keys = load_faults(faults), Counter[str](), set()
    for generation in study.runs.generations(entry.id):
        request, body = study.runs.body(generation.id)
        sent = json.loads(request)["body"]
        assert KEY not in request
        assert KEY.encode() not in body
        fault = drawn.of(digest(canonical(sent)))
        state = STATES.get(fault, "ok")
        assert generation.state == state
        assert json.loads(body)["model"] == "mock-1"
        assert (generation.visible_text[:8] == "Answer: ") is (state in {"ok", "truncated"})
        states[state] += 1
        keys.add((generation.wave_item, generation.sample))
    assert len(keys) == sum(states.values()) == expected
    sessions = Counter(session.ended for session in study.run_sessions.of_run(entry.id))
    return ", ".join(f"{n:,} {state}" for state, n in (states + sessions).items())
