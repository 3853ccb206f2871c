"""A run by batch with every fault, killed again and again, and what must hold in the end."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx

from benchmarks._asking import frozen
from core.hashing import canonical, digest
from db.file import StudyFile, open_study
from evals.mock.batch_faults import BATCH_KINDS, REQUEST_PASSING
from evals.mock.faults import LASTING, load_faults
from tests.evals.ordeal import KEY, STATES, Server, mock

CHILD = """
import sys, pathlib
from core.errors import WavelockError
from db.file import open_study
from evals.batches.rhythm import Rhythm
from evals.batches.runner import run_by_batch
from evals.models import Limits, ModelSpec
path, url, provider, samples, size = sys.argv[1:6]
spec = ModelSpec("a model", "chat", base_url=url + "/v1", api_model="mock-1", provider=provider,
                 max_tokens=50, seed=1, limits=Limits(batch_requests=int(size)))
rhythm = Rhythm(poll=0.02, most=0.1, first=0.02, cap=0.1, settle=0.3)
before, quiet = -1, 0  # a batch that is sent again as it was has no fault of its own any more
with open_study(pathlib.Path(path)) as study:
    for _ in range(80):
        try:
            done = run_by_batch(study, spec, conditions=("Active",), samples=int(samples),
                                wait=True, rhythm=rhythm)
        except WavelockError as error:
            print(error, file=sys.stderr)
            continue
        quiet = quiet + 1 if done.present == before and not done.open else 0
        if done.complete or quiet == 2:
            sys.exit(0)
        before = done.present
sys.exit(1)
"""


def run_through(
    folder: Path, *, provider: str, faults: Path, items: int, samples: int, size: int, kills: int
) -> str:
    """Kill the runner so often, let it finish, check everything, and return the figures."""
    draw = random.Random(2)
    with frozen(folder / "ordeal.db", items) as study, mock("--faults", str(faults)) as server:
        for _ in range(kills):
            child = start(study, server, provider, samples, size)
            before = server.counts()["calls"]
            further = draw.randint(1, 12)
            while child.poll() is None and server.counts()["calls"] < before + further:
                time.sleep(0.005)
            time.sleep(draw.random() * 0.1)  # between two calls as well as within one
            child.kill()
            child.wait()
        assert start(study, server, provider, samples, size).wait() == 0
        counts, listed = server.counts(), _listed(server, provider)
    with open_study(folder / "ordeal.db") as study:
        return _checked(study, str(faults), items * samples, counts, listed, kills)


def start(
    study: StudyFile, server: Server, provider: str, samples: int, size: int
) -> subprocess.Popen[bytes]:
    settings = [str(study.path), server.url, provider, str(samples), str(size)]
    environment = {**os.environ, "WAVELOCK_API_KEY": KEY}
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *settings], env=environment, stderr=subprocess.DEVNULL
    )


def _listed(server: Server, provider: str) -> set[str]:
    """Return every batch that the server took."""
    path = "messages/batches" if provider == "anthropic" else "batches"
    url = f"{server.url}/v1/{path}?limit=100000"
    page = httpx.get(url, trust_env=False, timeout=60).json()
    assert not page["has_more"]
    return {entry["id"] for entry in page["data"]}


def _checked(
    study: StudyFile, faults: str, expected: int, counts: Counter[str], listed: set[str], kills: int
) -> str:
    """Hold every generation against what the server must have said, and every batch as well."""
    drawn, states, keys = load_faults(faults), Counter[str](), set()
    for generation in study.runs.generations(1):
        request, line = study.runs.body(generation.id)
        sent = json.loads(request)["body"]
        name = digest(canonical(sent))
        assert KEY not in request
        assert KEY.encode() not in line
        invalid = drawn.batch.of_request(drawn.seed, name) == "invalid"
        state = "error" if invalid else STATES.get(drawn.of(name), "ok")
        assert generation.state == state
        assert json.loads(line)["custom_id"] == json.loads(request)["custom_id"]
        states[state] += 1
        keys.add((generation.wave_item, generation.sample))
    assert len(keys) == states.total() == expected
    batches = study.batches.all()
    remotes = [batch.remote for batch in batches if batch.remote]
    assert len(remotes) == len(set(remotes))
    assert set(remotes) == listed  # none that was accepted is unknown, so nothing was paid twice
    assert study.batches.open() == ()
    outcomes = Counter[str]()
    for batch in batches:
        outcomes.update(study.batches.outcomes(batch.id))
    assert outcomes["held"] == 0
    assert outcomes["answered"] == expected - states["error"]
    asked = sum(batch.requests for batch in batches if batch.remote and batch.ended != "failed")
    assert counts["by_batch"] == asked
    again = asked - outcomes["answered"]
    assert again == sum(outcomes.values()) - outcomes["answered"] - outcomes["unasked"]
    adopted = sum(entry.payload["adopted"] for entry in study.ledger.intact("batch submitted"))
    sessions = Counter(session.ended for session in study.run_sessions.of_run(1))
    faults_done = ", ".join(f"{counts[kind]} {kind}" for kind in (*REQUEST_PASSING, *BATCH_KINDS))
    said = "; ".join(
        ", ".join(f"{n:,} {what}" for what, n in found.items())
        for found in (states, outcomes, sessions)
    )
    return (
        f"{expected:,} generations, {kills} kills: {len(batches):,} batches, {asked:,} requests "
        f"({again:,} of them in vain), {adopted} batches found again, {counts['calls']:,} calls; "
        f"states: {said} (sessions); faults: {faults_done}"
    )


def faults_file(folder: Path, requests: float, batches: float) -> Path:
    """Write every fault in equal parts, of requests and of batches, and answers that last."""
    file = folder / "faults.toml"
    lasting = "\n".join(f"{kind} = 0.03" for kind in LASTING)
    lines = "\n".join(f"{kind} = {requests / 6:.4f}" for kind in (*REQUEST_PASSING, "invalid"))
    whole = "\n".join(f"{kind} = {batches / len(BATCH_KINDS):.4f}" for kind in BATCH_KINDS)
    times = "takes = 0.2\nfinalising = 0.05"
    file.write_text(f"wait = 0\n[faults]\n{lasting}\n[batch]\n{times}\n{lines}\n{whole}\n")
    return file
