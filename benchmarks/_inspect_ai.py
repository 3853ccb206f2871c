"""The same requests through inspect_ai: ``_inspect_ai.py PORT WORKERS COUNT`` by a Python with it.

Prints requests per second and milliseconds of processor time per request. It imports nothing of
ours, because it runs in an environment of its own.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time

TEXT = "I need to bring the couch to the storage unit two streets away. Drive or walk?"


def main(port: int, workers: int, count: int) -> None:
    os.environ |= {"MOCK_API_KEY": "none", "MOCK_BASE_URL": f"http://127.0.0.1:{port}/v1"}
    from inspect_ai import Task, eval  # noqa: PLC0415, A004  (after the environment is set)
    from inspect_ai.dataset import Sample  # noqa: PLC0415
    from inspect_ai.solver import generate  # noqa: PLC0415

    samples = [Sample(input=f"{number}: {TEXT}") for number in range(count)]
    task = Task(dataset=samples, solver=[generate()])
    with tempfile.TemporaryDirectory() as folder:
        start, before = time.perf_counter(), _cpu()
        (log,) = eval(
            task,
            model="openai-api/mock/mock-1",
            max_connections=workers,
            max_samples=workers,
            log_dir=folder,
            display="none",
            log_level="error",
        )
        seconds, spent = time.perf_counter() - start, _cpu() - before
    assert log.status == "success", log.error
    print(json.dumps([count / seconds, 1e3 * spent / count]))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:4]))
