"""The same requests through promptfoo: ``_promptfoo.py EXECUTABLE PORT WORKERS COUNT``.

Prints requests per second and milliseconds of processor time per request, its start included, as
whoever calls it waits for that too. Nothing is cached, shared or reported to anybody.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TEXT = "I need to bring the couch to the storage unit two streets away. Drive or walk?"
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
}


def main(executable: str, port: int, workers: int, count: int) -> None:
    """Evaluate so many prompts without an assertion."""
    config = {
        "prompts": ["{{number}}: " + TEXT],
        "providers": [
            {
                "id": "openai:chat:mock-1",
                "config": {"apiBaseUrl": f"http://127.0.0.1:{port}/v1", "apiKey": "none"},
            }
        ],
        "tests": [{"vars": {"number": str(number)}} for number in range(count)],
    }
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "config.json", Path(folder) / "out.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        command = [
            executable, "eval", "-c", str(file), "-o", str(out), "--no-cache", "--no-table",
            "--no-progress-bar", "--max-concurrency", str(workers),
        ]  # fmt: skip
        environment = {**os.environ, **QUIET, "PROMPTFOO_CONFIG_DIR": folder}
        start = time.perf_counter()
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, check=False
        )
        seconds = time.perf_counter() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        stats = json.loads(out.read_text(encoding="utf-8"))["results"]["stats"]
    assert stats["successes"] == count, (stats, done.stderr[-500:])
    print(json.dumps([count / seconds, 1e3 * (used.ru_utime + used.ru_stime) / count]))


if __name__ == "__main__":
    main(sys.argv[1], *(int(word) for word in sys.argv[2:5]))
