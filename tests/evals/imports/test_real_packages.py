"""The packages themselves write the files, against the local server; where they are not, it skips.

They are never in the environment of the tests: ``WAVELOCK_INSPECT`` and ``WAVELOCK_LM_EVAL`` name a
Python that has inspect_ai (with openai), or lm_eval (with its extra ``api``).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from audit.verify import study_faults
from evals.imports.files import opened
from evals.imports.inspect_log import origin
from exports.prompts import prompt_rows, prompts_of, written
from tests.evals.ordeal import mock

PYTHONS = {name: os.environ.get(name, "") for name in ("WAVELOCK_INSPECT", "WAVELOCK_LM_EVAL")}
TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

@task
def ours():
    return Task(dataset=json_dataset("prompts.jsonl"), solver=[generate()], scorer=includes())
"""
YAML = """
task: ours
dataset_path: json
dataset_kwargs:
  data_files: {folder}/prompts.jsonl
test_split: train
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "A"
repeats: 2
filter_list:
  - name: strict
    filter:
      - function: regex
        regex_pattern: "Answer: ([A-B])"
      - function: take_first
  - name: all
    filter:
      - function: take_first_k
        k: 2
generation_kwargs: {{until: [], temperature: 0.7, do_sample: true}}
metric_list:
  - metric: exact_match
"""


def python(name: str) -> str:
    if not PYTHONS[name]:
        pytest.skip(f"{name} names no Python with the package")
    return PYTHONS[name]


def run(folder: Path, url: str, *command: str, **more: str) -> None:
    """Run a harness in a folder, with the local server as its only model."""
    environment: Mapping[str, str] = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{url}/v1", "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", **more,
    }  # fmt: skip
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def export(importer: Any) -> None:
    rows = prompt_rows(prompts_of(importer.study), 2)
    importer.file("prompts.jsonl", written(rows, "harness", "jsonl"))


@pytest.mark.parametrize("form", ["eval", "json"])
def test_inspect_ai(importer: Any, form: str) -> None:
    """An exported data set, asked by inspect itself, comes back with its epochs as samples."""
    inspect = python("WAVELOCK_INSPECT")
    export(importer)
    (importer.folder / "task.py").write_text(TASK)
    with mock() as server:
        run(
            importer.folder, server.url, inspect, "-m", "inspect_ai", "eval", "task.py",
            "--model", "openai/mock-1", "-M", "responses_api=false", "--epochs", "2",
            "--temperature", "0.7", "--log-format", form, "--log-dir", "logs", "--display", "none",
        )  # fmt: skip
    (log,) = (importer.folder / "logs").glob(f"*.{form}")
    assert origin(opened(log)).version
    assert importer.take(log).counts == {"new": 8}
    assert {sample for _, sample, _, _ in importer.texts(1)} == {1, 2}
    assert importer.study.runs.all()[0].config["temperature"] == 0.7
    assert study_faults(importer.study) == ()


def test_lm_eval(importer: Any) -> None:
    """The raw responses of lm-eval come back, not what its filters left of them."""
    harness = python("WAVELOCK_LM_EVAL")
    export(importer)
    (importer.folder / "tasks").mkdir()
    (importer.folder / "tasks" / "ours.yaml").write_text(YAML.format(folder=importer.folder))
    with mock() as server:
        address = f"model=mock-1,base_url={server.url}/v1/chat/completions,num_concurrent=1"
        run(
            importer.folder, server.url, harness, "-m", "lm_eval", "run",
            "--model", "local-chat-completions", "--model_args", address, "--tasks", "ours",
            "--include_path", "tasks", "--apply_chat_template", "--log_samples",
            "--output_path", "out",
        )  # fmt: skip
    (samples,) = (importer.folder / "out").rglob("samples_*.jsonl")
    assert importer.take(samples, model="mock-1").counts == {"new": 8}
    assert all(said.startswith("Answer: ") for _, _, _, said in importer.texts(1))
    assert study_faults(importer.study) == ()
