"""A local server with batches in this process: a test can look into it, and set its clock."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks._asking import frozen
from core.runs import Prices
from db.file import StudyFile, open_study
from evals.batches.rhythm import Rhythm
from evals.batches.runner import BatchSummary, run_by_batch
from evals.mock.batch_faults import BatchFaults
from evals.mock.batches import BatchDesk
from evals.mock.faults import Faults
from evals.mock.server import MockServer, serving
from evals.models import ModelSpec, ProviderName

RHYTHM = Rhythm(poll=0.0, most=0.0, first=0.0, cap=0.0, settle=0.0, sleep=lambda _: None)
KEY = "sk-canary-0123456789-abcdefghij"
BATCHED: tuple[ProviderName, ...] = ("openai", "anthropic")


class Serving:
    """The local server in a thread of its own."""

    def __init__(self, faults: Faults) -> None:
        self.server = MockServer(faults)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    @property
    def desk(self) -> BatchDesk:
        return self.server.desk

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.run(self._until_told())

    async def _until_told(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with serving(self.server) as self.port:
            self._ready.set()
            await self._end.wait()


@pytest.fixture
def served() -> Iterator[Callable[..., Serving]]:
    """Start a server with faults of batches by their names, and of answers in `lasting`."""
    running: list[Serving] = []

    def start(
        lasting: dict[str, float] | None = None,
        numbers: dict[str, float] | None = None,
        **shares: float,
    ) -> Serving:
        batch = BatchFaults(shares, **(numbers or {}))
        running.append(Serving(Faults(lasting or {}, batch=batch)))
        return running[-1]

    yield start
    for one in running:
        one.stop()


@dataclass
class Bench:
    """One study and one model at a server."""

    study: StudyFile
    spec: ModelSpec
    server: Serving
    said: list[str] = field(default_factory=list)

    def run(self, **changed: Any) -> BatchSummary:
        """Run the model by batch, as the command does."""
        settings: dict[str, Any] = {"conditions": ("Active",), "samples": 3, "rhythm": RHYTHM}
        return run_by_batch(
            self.study, self.spec, **{**settings, "say": self.said.append, **changed}
        )

    def states(self) -> dict[str, int]:
        """Return the states of all generations."""
        return dict(self.study.run_counts.states(1))

    def asked(self) -> int:
        """Return how many requests the server took in batches."""
        return self.server.desk.accepted


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Return a study with so many frozen items, made once and copied by tests."""
    folder = tmp_path_factory.mktemp("batches")

    def template(items: int) -> Path:
        path = folder / f"{items}.db"
        if not path.exists():
            frozen(path, items).close()
        return path

    return template


@pytest.fixture
def bench(
    tmp_path: Path,
    templates: Callable[[int], Path],
    served: Callable[..., Serving],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Bench]]:
    """Make a bench for a provider; the rest says what goes wrong at the server."""
    monkeypatch.setenv("BATCH_KEY", KEY)
    opened: list[StudyFile] = []

    def make(provider: ProviderName, items: int = 10, **faults: Any) -> Bench:
        server = served(**faults)
        study = open_study(Path(shutil.copy(templates(items), tmp_path / f"{len(opened)}.db")))
        opened.append(study)
        spec = ModelSpec(
            "a model", "chat", base_url=server.url, api_model="mock-1", key_env="BATCH_KEY",
            provider=provider, max_tokens=50, seed=1, batch_prices=Prices(1.0, 2.0),
        )  # fmt: skip
        return Bench(study, spec, server)

    yield make
    for study in opened:
        study.close()


@pytest.fixture
def again() -> Callable[[Bench, Path], Bench]:
    """Return a second bench on the same study, as another process has it."""

    def make(first: Bench, _: Path) -> Bench:
        return replace(first)

    return make
