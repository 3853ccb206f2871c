"""SIGKILL at random moments of what decides: before or after, never between.

A command is added by a line in ``COMMANDS``: what it is, and a function that brings a study to just
before it and returns its arguments.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from audit.freezing import freeze
from audit.verify import study_faults
from core.runs import GenerationKey, Reply
from db.file import open_study
from exports.data import encoded
from exports.ratings import ratings_data
from suites.core100.suite import SUITE
from tests.cli.zygote import Zygote, zygote
from tests.conftest import Workshop

SCENARIOS = 24
Prepared = tuple[str, ...]


def to_freeze(shop: Workshop, path: Path) -> Prepared:
    shop.decided(shop.create(path, SCENARIOS))
    return ("wave", "freeze", "--despite-breaches", "of a test")


def to_declare(shop: Workshop, path: Path) -> Prepared:
    shop.create(path, SCENARIOS)
    return ("wave", "freeze", "--declared", "--despite-breaches", "of a test")


def to_include(shop: Workshop, path: Path) -> Prepared:
    study = shop.create(path, SCENARIOS)
    shop.rate(study, shop.opened(study))
    return ("include", "main", "--commit")


def to_withdraw(shop: Workshop, path: Path) -> Prepared:
    study = shop.create(path, 6)
    shop.decided(study)
    freeze(study, SUITE)
    run = study.runs.start("m", "chat", {"waves": [1]})
    for item in study.waves.items():
        key = GenerationKey(run.id, item.id, item.document["prompt_hash"], 1)
        study.runs.store(key, Reply("ok", visible_text="Answer: A"))
    return ("wave", "withdraw", "1", "S02", "--reason", "the goal can be reached without the car")


def to_import(shop: Workshop, path: Path) -> Prepared:
    source = shop.create(path.with_name("source.db"), 8)
    shop.decided(source, ratings=2)
    data = ratings_data(source, [source.rounds.named("main")])
    table = path.with_name("ratings.csv")
    table.write_bytes(encoded(data, "csv"))
    shop.create(path, 8)
    return ("import", "ratings", str(table), "--round", "theirs")


COMMANDS: dict[str, Callable[[Workshop, Path], Prepared]] = {
    "wave freeze": to_freeze,
    "wave freeze --declared": to_declare,
    "include --commit": to_include,
    "wave withdraw": to_withdraw,
    "import ratings": to_import,
}


@pytest.fixture(scope="module")
def server() -> Iterator[Zygote]:
    with zygote() as found:
        yield found


def counted(path: Path) -> dict[str, int]:
    """Return how many rows each table has, and how long the ledger is."""
    with closing(sqlite3.connect(path)) as plain:
        names = [n for (n,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {n: plain.execute(f"SELECT count(*) FROM {n}").fetchone()[0] for n in names}


def killed(
    server: Zygote, before: Path, arguments: Prepared, times: int, again: int
) -> tuple[int, int, int]:
    """Kill a command at random moments; return how often it was killed before, after, and ended.

    Every `again`th time it is run once more, and comes to its end.
    """
    work = before.with_name("work.db")

    def fresh() -> tuple[object, ...]:
        for old in work.parent.glob("work.db*"):
            old.unlink()
        shutil.copy(before, work)
        return ("--study", work, *arguments)

    start = counted(before)
    code, first = server.run(fresh())
    assert code == 0
    end = counted(work)
    assert end != start
    code, second = server.run(fresh())
    longest = max(first, second)
    chance = random.Random(" ".join(arguments))
    stood = {"before": 0, "after": 0, "ended": 0}
    for turn in range(times):
        command = fresh()
        code, _ = server.run(command, kill_after=chance.uniform(0, 1.1 * longest))
        found = counted(work)
        assert found in (start, end), f"between: {set(found.items()) ^ set(start.items())}"
        with open_study(work) as study:
            assert study_faults(study) == ()
        stood["ended" if code == 0 else "before" if found == start else "after"] += 1
        if found == start and turn % again == 0:
            assert server.run(command)[0] == 0
            assert counted(work) == end
    return stood["before"], stood["after"], stood["ended"]


@pytest.fixture
def prepared(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, Prepared]:
    """A study just before the command; closed, so that its file is whole."""
    path = tmp_path / "study.db"
    with ExitStack() as stack:
        arguments = COMMANDS[request.param](Workshop(stack), path)
    return path, arguments


@pytest.mark.parametrize("prepared", COMMANDS, indirect=True)
def test_a_kill_leaves_before_or_after(server: Zygote, prepared: tuple[Path, Prepared]) -> None:
    """A few kills: the file verifies, and the command comes to its end when it is run again."""
    path, arguments = prepared
    assert sum(killed(server, path, arguments, times=4, again=1)) == 4


@pytest.mark.soak
@pytest.mark.parametrize("prepared", COMMANDS, indirect=True)
def test_a_hundred_kills_leave_before_or_after(
    server: Zygote,
    prepared: tuple[Path, Prepared],
    record_property: Any,
    request: pytest.FixtureRequest,
) -> None:
    """A hundred kills across the whole time of the command, with the figures."""
    path, arguments = prepared
    before, after, ended = killed(server, path, arguments, times=100, again=10)
    name = request.node.callspec.params["prepared"]
    record_property("killed", f"{name}: {before} before the commit, {after} after it, {ended} late")
    assert before
    assert before + after + ended == 100
