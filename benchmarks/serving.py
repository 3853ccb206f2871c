"""The screens over SSH and websockets against the same application on a local pseudo-terminal."""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from statistics import median

from benchmarks._durable import RATERS, prepare
from benchmarks._page import Row
from benchmarks._served import WAVELOCK, Server, Visit, pss
from benchmarks._terminal import Painted
from benchmarks._timing import Pairs
from benchmarks.screens import BACK, CODE, ITEM, KEYS, ON, PAGE
from db.file import open_study

DOORS = {"ssh": "SSH", "web": "websockets"}


def run(*, tiny: bool = False) -> list[Row]:
    """Return the ratios of first paint, of a key, of many at once, and of memory."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = prepare(folder / "study.db", items=4 if tiny else 20).path
        codes = _codes(study)
        for door in DOORS:
            with Server(study, folder / door) as server:
                rows += asyncio.run(_door(door, server, study, codes, tiny=tiny))
    return rows


def _codes(path: Path) -> list[str]:
    with open_study(path) as study:
        seats = study.rounds.seats(study.rounds.all()[0].id, "rater")
        return [study.people.issue_code(seat.id) for seat in seats]


def _local(path: Path) -> list[str]:
    return [WAVELOCK, "--study", str(path), "enter"]


async def _door(
    door: str, server: Server, study: Path, codes: list[str], *, tiny: bool
) -> list[Row]:
    port = server.ports[door]
    return [
        await _first_paint(door, port, study, pairs=1 if tiny else 7),
        await _keys(door, port, study, codes, presses=4 if tiny else 100),
        *await _many(door, port, server, study, codes[: 2 if tiny else RATERS]),
    ]


async def _first_paint(door: str, port: int, study: Path, *, pairs: int) -> Row:
    taken = []
    for _ in range(pairs + 1):
        with Painted(_local(study)) as terminal:
            local = terminal.until(CODE) - terminal.began
        async with Visit(door, port) as visit:
            taken.append((local, await visit.until(CODE) - visit.began))
    found = Pairs(tuple(a for a, _ in taken[1:]), tuple(b for _, b in taken[1:]))
    return (
        f"connection to first paint over {DOORS[door]}, over start to first paint of the same "
        f"application here (here {found.figures})",
        found.ratio,
        "at most 2",
    )


async def _keys(door: str, port: int, study: Path, codes: list[str], *, presses: int) -> Row:
    mine, theirs = [], []
    with Painted(_local(study)) as terminal:
        async with Visit(door, port) as visit:
            terminal.until(CODE)
            await visit.until(CODE)
            _to_the_first_item(terminal, codes[0])
            await _visit_the_first_item(visit, codes[1])
            for number in range(presses):
                key = KEYS[number % 2]
                terminal.settle()
                at = terminal.press(key)
                mine.append(terminal.until(f"[{key}]") - at)
                terminal.settle()
                terminal.press(BACK)
                await visit.settle()
                at = time.perf_counter()
                await visit.press(key)
                theirs.append(await visit.until(f"[{key}]") - at)
                await visit.settle()
                await visit.press(BACK)
    slow = [1e3 * sorted(times)[int(0.95 * (len(times) - 1))] for times in (mine, theirs)]
    return (
        f"key to repaint over {DOORS[door]}, over the same application here, medians of {presses} "
        f"presses (here {1e3 * median(mine):.1f} ms against {1e3 * median(theirs):.1f} ms; 95% "
        f"below {slow[0]:.1f} and {slow[1]:.1f} ms)",
        median(theirs) / median(mine),
        "at most 2",
    )


def _to_the_first_item(terminal: Painted, code: str) -> None:
    terminal.press(f"{code}\r")
    terminal.until(PAGE)
    terminal.settle()
    terminal.press(ON)
    terminal.until(ITEM)


async def _visit_the_first_item(visit: Visit, code: str) -> None:
    await visit.press(f"{code}\r")
    await visit.until(PAGE)
    await visit.settle()
    await visit.press(ON)
    await visit.until(ITEM)


async def _many(door: str, port: int, server: Server, study: Path, codes: list[str]) -> list[Row]:
    """Let everybody come at once, and go to the first item."""
    began = time.perf_counter()
    with ExitStack() as stack:
        local = [stack.enter_context(Painted(_local(study))) for _ in codes]
        here = max(terminal.until(CODE) for terminal in local) - began
        for terminal, code in zip(local, codes, strict=True):
            _to_the_first_item(terminal, code)
        alone = [pss(terminal.pid) for terminal in local]
    began = time.perf_counter()
    async with AsyncExitStack() as stack_:
        visits = await asyncio.gather(
            *(stack_.enter_async_context(Visit(door, port)) for _ in codes)
        )
        there = max(await asyncio.gather(*(visit.until(CODE) for visit in visits))) - began
        for visit, code in zip(visits, codes, strict=True):
            await _visit_the_first_item(visit, code)
        whole, each = server.memory()
    return [
        (
            f"{len(codes)} at once over {DOORS[door]}, from the first connection until everybody "
            f"has a screen, over {len(codes)} applications started here at once "
            f"({here:.1f} s against {there:.1f} s)",
            there / here,
            "at most 1.5",
        ),
        (
            f"memory of one of {len(codes)} sittings over {DOORS[door]} at its first item, over "
            f"one of as many here (Pss, medians: {median(alone) / 1e6:.0f} MB against "
            f"{median(each) / 1e6:.0f} MB; the server itself {whole / 1e6:.0f} MB)",
            median(each) / median(alone),
            "at most 1.25",
        ),
    ]
