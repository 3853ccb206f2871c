"""Run the benchmarks: ``python -m benchmarks [START]``.

Each module's ``run()`` returns what was compared, the ratio and the goal. Without a word all
modules run and the measured part of docs/performance.md is written anew; with one, those whose
names start with it run and the page stays as it is.

Everything runs in a child process with one BLAS thread: a ratio must not come from more cores, and
must not suffer when another program uses one of them. Two variables that some machines set to make
an old OpenBLAS run are taken away, because they choose a kernel that the processor has outgrown.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
import time
from collections.abc import Mapping

import benchmarks
from benchmarks._page import PAGE, Measured, block, machine, replaced, summary, verdict, written

TAKEN_AWAY = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
CHILD = "WAVELOCK_BENCHMARK_CHILD"


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment that the measurements run in.

    Examples
    --------
    >>> sorted(clean({"HOME": "/h", "OPENBLAS_CORETYPE": "Haswell"}))
    ['HOME', 'OPENBLAS_NUM_THREADS', 'WAVELOCK_BENCHMARK_CHILD']
    """
    kept = {name: value for name, value in environment.items() if name not in TAKEN_AWAY}
    return kept | {"OPENBLAS_NUM_THREADS": "1", CHILD: "1"}


def modules(start: str = "") -> list[str]:
    """Return the names of the benchmark modules that start with a word, in order."""
    names = sorted(found.name for found in pkgutil.iter_modules(benchmarks.__path__))
    return [name for name in names if not name.startswith("_") and name.startswith(start)]


def measure(name: str) -> Measured:
    """Run one module and print its rows."""
    module = importlib.import_module(f"benchmarks.{name}")
    rows = tuple(module.run())
    for what, ratio, goal in rows:
        said = f"{goal:14} {verdict(ratio, goal):7}" if goal != "none" else " " * 22
        print(f"{written(ratio):>9}  {said} {what}", flush=True)
    about = (module.__doc__ or name).strip().splitlines()[0]
    return Measured(name, about, rows)


def main(words: list[str]) -> int:
    """Run what was asked for; return the exit code."""
    start = words[0] if words else ""
    chosen = modules(start)
    if not chosen or len(words) > 1:
        print(f"python -m benchmarks [START]: one of {', '.join(modules())}", file=sys.stderr)
        return 2
    if CHILD not in os.environ:
        command = [sys.executable, "-m", "benchmarks", *words]
        return subprocess.run(command, env=clean(os.environ), check=False).returncode
    began = time.perf_counter()
    measured = [measure(name) for name in chosen]
    facts = machine()
    print("\n".join(facts))
    print(f"{summary(measured)} {time.perf_counter() - began:.0f} seconds in all.")
    if not start:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replaced(page, block(measured, facts)), encoding="utf-8")
        print(f"docs/{PAGE.name} is written anew.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
