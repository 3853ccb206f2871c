"""A process that has everything loaded, and forks one child per command line that it reads.

So a command begins at once, and a kill at a random moment falls into its work, not into imports.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from cli.main import main

LOADED = ("audit.freezing", "audit.inclusion", "annotate.importing", "cli.import_", "cli.include")


class Zygote:
    """Starts commands and kills them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self, arguments: Sequence[object], kill_after: float | None = None
    ) -> tuple[int, float]:
        """Run a command, killed after so many seconds unless it has ended.

        Returns
        -------
        tuple
            Its exit code, negative when it was killed, and how long it ran.
        """
        assert self._process.stdin
        self._process.stdin.write(json.dumps([str(part) for part in arguments]) + "\n")
        self._process.stdin.flush()
        pid, began = int(self._line()), time.perf_counter()
        if kill_after is not None:
            time.sleep(kill_after)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return int(self._line()), time.perf_counter() - began

    def _line(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


@contextlib.contextmanager
def zygote() -> Iterator[Zygote]:
    """Start the process, and end it with all that it holds."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.cli.zygote"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        yield Zygote(process)
        assert process.stdin
        process.stdin.close()


def serve() -> None:
    """Read command lines and fork; the child's own output goes nowhere."""
    for name in LOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            main(json.loads(line))
        print(pid, flush=True)
        # Waited for only after the pid was told: until then no other process can have its number.
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
