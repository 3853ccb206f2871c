"""A run with everything kept, against a bare loop of requests, inspect_ai and promptfoo."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from statistics import median

from benchmarks._asking import DELAY, measured, measured_by_peer, peak, server
from benchmarks._page import Row

# workers, requests, and the least share of a bare loop's speed
SIZES = ((32, 1600, 0.95), (128, 6000, 0.9), (256, 8000, 0.6))
MOST_CPU = 3.0  # milliseconds per generation with everything kept
PEERS = {  # each with the variable that names the program that has it: a Python, an executable
    "inspect_ai": "WAVELOCK_BENCH_INSPECT",
    "promptfoo": "WAVELOCK_BENCH_PROMPTFOO",
}


def run(*, tiny: bool = False) -> list[Row]:
    """Return the ratios of speed, processor time, memory and growth."""
    with server(0.01 if tiny else DELAY) as port:
        rows = [row for size in SIZES[: 1 if tiny else 3] for row in _speed(port, *size, tiny=tiny)]
        rows += _peers(port, tiny=tiny)
    with server(0.0) as port:
        return rows + _growth(port, tiny=tiny)


def _speed(port: int, workers: int, count: int, goal: float, *, tiny: bool) -> list[Row]:
    pairs = 1 if tiny else 3
    count = 100 if tiny else count
    taken = [
        (measured("bare", port, workers, count), measured("ours", port, workers, count))
        for _ in range(pairs)
    ]
    ratios = sorted(ours[0] / bare[0] for bare, ours in taken)
    bare, ours = (median(pair[side][0] for pair in taken) for side in (0, 1))
    cpu = median(pair[1][1] for pair in taken)
    loop = median(pair[0][1] for pair in taken)
    return [
        (
            f"generations per second with {workers} workers at a server that takes "
            f"{1e3 * DELAY:.0f} ms, a run with every raw body durable over a bare loop on httpx "
            f"clients of 16 connections that throws replies away ({ours:,.0f} against {bare:,.0f} "
            f"per second, {count:,} requests; {pairs} pairs, ratios {ratios[0]:.2f} to "
            f"{ratios[-1]:.2f})",
            median(ratios),
            f"at least {goal}",
        ),
        (
            f"processor time per generation with {workers} workers and everything kept, in "
            f"milliseconds (the bare loop: {loop:.2f})",
            cpu,
            f"at most {MOST_CPU}",
        ),
    ]


def _peers(port: int, *, tiny: bool) -> list[Row]:
    workers, count = 32, 100 if tiny else 1000
    rows: list[Row] = []
    for name, variable in PEERS.items():
        program = os.environ.get(variable, "")
        if not Path(program).is_file():
            print(f"skipped: {name} ({variable} names no program that has it)", file=sys.stderr)
            continue
        theirs = measured_by_peer(name, program, port, workers, count)
        ours = measured("ours", port, workers, count)
        rows += [
            (
                f"generations per second with {workers} workers, a run over {name} without a "
                f"scorer ({ours[0]:,.0f} against {theirs[0]:,.0f} per second)",
                ours[0] / theirs[0],
                "at least 2",
            ),
            (
                f"processor time per generation, {name} over a run ({theirs[1]:.1f} ms against "
                f"{ours[1]:.1f} ms)",
                theirs[1] / ours[1],
                "none",
            ),
        ]
    return rows


def _growth(port: int, *, tiny: bool) -> list[Row]:
    few = 100 if tiny else 2000
    small, large = peak(port, 64, few), peak(port, 64, 10 * few)
    return [
        (
            f"peak memory of a run of {10 * few:,} generations over one of {few:,} "
            f"({large[0]:.0f} MB against {small[0]:.0f} MB)",
            large[0] / small[0],
            "at most 1.2",
        ),
        (
            f"processor time per generation, {10 * few:,} over {few:,} "
            f"({large[1]:.2f} ms against {small[1]:.2f} ms)",
            large[1] / small[1],
            "at most 1.2",
        ),
    ]
