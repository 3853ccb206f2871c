"""Asking a server that takes 200 ms: our runner, and a bare loop that throws the replies away.

``python -m benchmarks._asking server DELAY`` serves until its input closes, and prints its port;
``ours PORT WORKERS COUNT`` and ``bare PORT WORKERS COUNT`` print requests per second, the
processor time of each, and the most memory. A process each, so that no side pays for another.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path

import httpx

from core.hashing import digest_of
from core.items import ItemText, Option, Scenario
from db.file import StudyFile, create_study
from db.waves import FrozenDocument
from evals.chat import PER_CLIENT
from evals.mock.faults import Faults
from evals.mock.server import MockServer, serving
from evals.models import parse_model
from evals.runner import run

DELAY = 0.2
ITEMS = 100
TEXT = (
    "I need to bring the couch to the storage unit two streets away. Carry it over or rent a van?"
)


@contextmanager
def server(delay: float = DELAY) -> Iterator[int]:
    """Serve in a process of its own and yield the port."""
    command = [sys.executable, "-m", "benchmarks._asking", "server", str(delay)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        yield int(child.stdout.readline())
        child.stdin.close()
        child.wait(10)


def measured(side: str, port: int, workers: int, count: int) -> tuple[float, float]:
    """Return requests per second, and milliseconds of processor time per request, of one side."""
    rate, cpu, _ = _told([sys.executable, "-m", "benchmarks._asking", side], port, workers, count)
    return rate, cpu


def measured_by_peer(
    name: str, program: str, port: int, workers: int, count: int
) -> tuple[float, float]:
    """Return the same of another program: by its own Python, or by its executable."""
    script = str(Path(__file__).with_name(f"_{name}.py"))
    command = [program, script] if name == "inspect_ai" else [sys.executable, script, program]
    rate, cpu = _told(command, port, workers, count)
    return rate, cpu


def peak(port: int, workers: int, count: int) -> tuple[float, float]:
    """Return megabytes at most, and milliseconds of processor time per request, of a run."""
    command = [sys.executable, "-m", "benchmarks._asking", "ours"]
    _, cpu, megabytes = _told(command, port, workers, count)
    return megabytes, cpu


def _told(command: list[str], *numbers: int) -> list[float]:
    words = [*command, *(str(number) for number in numbers)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [float(value) for value in json.loads(done.stdout.splitlines()[-1])]


def frozen(path: Path, items: int) -> StudyFile:
    """Make a study with so many frozen items in one condition."""
    options = (Option("heavy", "Drive"), Option("heuristic", "Walk"))
    drafted = [
        Scenario(f"S{number:05}", {}, (ItemText("Active", f"{number}: {TEXT}", options, "heavy"),))
        for number in range(items)
    ]
    study = create_study(path, title="b", suite="core100", scenarios=drafted, salt="b")
    facts = study.items.facts()
    documents = []
    for revision in study.items.latest():
        asked = f"{revision.text}\nFirst line: 'Answer: A' or 'Answer: B'."
        messages = [{"role": "user", "content": asked}]
        document = {
            "scenario": revision.scenario,
            "condition": revision.condition,
            "revision": revision.number,
            "text": revision.text,
            "options": [{"action": o.action, "label": o.label} for o in revision.options],
            "gold": revision.gold,
            "parameters": dict(revision.parameters),
            "facts": facts[revision.scenario],
            "messages": messages,
            "prompt_hash": digest_of(messages),
        }
        documents.append(FrozenDocument(revision.item, revision.id, document))
    study.waves.freeze("declared", {}, documents)
    return study


def _serve(delay: float) -> None:
    async def until_closed() -> None:
        async with serving(MockServer(Faults(delay=delay))) as port:
            print(port, flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

    asyncio.run(until_closed())


def _ours(port: int, workers: int, count: int) -> tuple[float, float]:
    samples = ceil(count / ITEMS)
    spec = parse_model(f"http://127.0.0.1:{port}", api_model="mock-1", seed=1)
    with tempfile.TemporaryDirectory() as folder, frozen(Path(folder) / "b.db", ITEMS) as study:
        _warm(port)
        start, spent = time.perf_counter(), _cpu()
        done = run(study, spec, conditions=("Active",), samples=samples, workers=workers)
        seconds, spent = time.perf_counter() - start, _cpu() - spent
        assert done.states == {"ok": samples * ITEMS}
        assert study.runs.body(1)[1]
    return samples * ITEMS / seconds, 1e3 * spent / (samples * ITEMS)


def _bare(port: int, workers: int, count: int) -> tuple[float, float]:
    count = ITEMS * ceil(count / ITEMS)
    _warm(port)
    start, spent = time.perf_counter(), _cpu()
    asyncio.run(_ask(port, workers, count))
    return count / (time.perf_counter() - start), 1e3 * (_cpu() - spent) / count


async def _ask(port: int, workers: int, count: int) -> None:
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    limits = httpx.Limits(max_connections=PER_CLIENT, max_keepalive_connections=PER_CLIENT)
    clients = [
        httpx.AsyncClient(limits=limits, trust_env=False, timeout=60)
        for _ in range(ceil(workers / PER_CLIENT))
    ]
    left = iter(range(count))

    async def work(client: httpx.AsyncClient) -> None:
        for number in left:
            asked = f"{number}: {TEXT}\nFirst line: 'Answer: A' or 'Answer: B'."
            body = {"model": "mock-1", "messages": [{"role": "user", "content": asked}]}
            answer = await client.post(url, json=body)
            assert answer.status_code == 200

    await asyncio.gather(*(work(clients[number // PER_CLIENT]) for number in range(workers)))
    await asyncio.gather(*(client.aclose() for client in clients))


def _warm(port: int) -> None:
    httpx.get(f"http://127.0.0.1:{port}/v1/models", trust_env=False).raise_for_status()


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    if sys.argv[1] == "server":
        _serve(float(sys.argv[2]))
    else:
        side = {"ours": _ours, "bare": _bare}[sys.argv[1]]
        told = side(*(int(word) for word in sys.argv[2:5]))
        print(json.dumps([*told, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
