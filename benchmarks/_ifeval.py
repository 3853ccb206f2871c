"""IFEval's checkers as lm-evaluation-harness runs them, in an environment of their own.

``PYTHON benchmarks/_ifeval.py`` reads documents, texts and cases as JSON from standard input and
prints seconds and verdicts. The package's own ``__init__`` loads every task, and its word list asks
for a download that word counts, keywords and JSON do not need: both are left out.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
import time
import types
from typing import Any


def checkers() -> Any:
    """Import the task's module without the rest of the harness."""
    import nltk  # noqa: PLC0415

    nltk.download = lambda *_args, **_options: True
    root = importlib.util.find_spec("lm_eval")
    if root is None or not root.submodule_search_locations:
        raise SystemExit("lm_eval is not installed here")
    folder = root.submodule_search_locations[0]
    for name, path in (("lm_eval", folder), ("lm_eval.tasks", f"{folder}/tasks")):
        package = types.ModuleType(name)
        package.__path__ = [path]
        sys.modules[name] = package
    with contextlib.redirect_stdout(sys.stderr):
        return importlib.import_module("lm_eval.tasks.ifeval.utils")


def main() -> None:
    """Time the scoring of all texts, strict and loose as the harness does, and read the cases."""
    utils = checkers()
    given = json.load(sys.stdin)
    work = [(doc, text) for doc in given["docs"] for text in given["texts"]]
    for doc, text in work[:100]:
        utils.process_results(doc, [text])
    start = time.perf_counter()
    for doc, text in work:
        utils.process_results(doc, [text])
    seconds = time.perf_counter() - start
    verdicts = []
    for case in given["cases"]:
        try:
            found = utils.process_results(case["doc"], [case["text"]])
            verdicts.append(bool(found["prompt_level_strict_acc"]))
        except Exception:  # noqa: BLE001  a checker that breaks has no verdict
            verdicts.append(None)
    json.dump({"seconds": seconds, "verdicts": verdicts}, sys.stdout)


if __name__ == "__main__":
    main()
