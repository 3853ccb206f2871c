"""Exported, answered elsewhere, imported: no character of prompt or answer is lost."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.hashing import digest_of
from core.prompt_keys import read_key
from db.waves import FrozenDocument
from evals.imports.documents import load
from evals.replies import split_reasoning
from exports.prompts import Form, prompt_rows, prompts_of, written
from tests.evals.conftest import document
from tests.evals.imports import theirs
from tests.evals.imports.conftest import Importer
from tests.evals.imports.theirs import json_lines

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1)
MANY = 12  # prompts that are frozen at once
FORMS = ("csv", "jsonl", "parquet", "openai-batch", "inspect", "lm-eval")


def answered(form: str, study: Any, said: list[str], importer: Importer) -> tuple[Path, dict]:
    """Export the prompts of a study, answer each as a harness would, and return its file."""
    rows = prompt_rows(prompts_of(study), 1)
    if form in ("csv", "jsonl", "parquet"):
        return _table(form, written(rows, "rows", form), said, importer)  # type: ignore[arg-type]
    name: Form = "openai-batch" if form == "openai-batch" else "harness"
    data = written(rows, name, "jsonl", api_model="m").decode()
    records = [load(line) for line in data.split("\n") if line]
    pairs = list(zip(records, said, strict=True))
    if form == "openai-batch":
        lines = [theirs.batch_line(r["custom_id"], theirs.completion(a)) for r, a in pairs]
        requests = importer.file("requests.jsonl", data)
        return importer.file("out.jsonl", json_lines(lines)), {"requests": requests}
    if form == "inspect":
        samples = [
            theirs.inspect_sample(r["input"], a, identity=r["id"], metadata=r["metadata"])
            for r, a in pairs
        ]
        return importer.file("x.eval", theirs.eval_log(samples, method=93)), {}
    lines = [
        theirs.lm_eval_line(r["prompt"], [a], doc=n) | {"doc": r} for n, (r, a) in enumerate(pairs)
    ]
    return importer.file("samples.jsonl", json_lines(lines)), {"model": "m"}


def _table(form: str, data: bytes, said: list[str], importer: Importer) -> tuple[Path, dict]:
    path = importer.file(f"x.{form}", data)
    if form == "jsonl":
        rows = [load(line) for line in data.decode().split("\n") if line]
        added = [{**row, "response": a} for row, a in zip(rows, said, strict=True)]
        path.write_text(json_lines(added), newline="")
    elif form == "csv":
        header, *cells = csv.reader(io.StringIO(data.decode(), newline=""))
        out = io.StringIO(newline="")
        answers = [[*row, a] for row, a in zip(cells, said, strict=True)]
        csv.writer(out, lineterminator="\r\n").writerows([[*header, "response"], *answers])
        path.write_text(out.getvalue(), newline="")
    else:
        table = pq.read_table(path)
        pq.write_table(table.append_column("response", [said]), path)
    return path, {"model": "m"}


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=MANY, max_size=MANY))
def test_no_character_is_lost(
    make_study: Callable[..., Any], tmp_path: Path, form: str, pairs: list[tuple[str, str]]
) -> None:
    """Whatever is frozen and whatever is answered, the answer comes back to its item."""
    prompts, answers = [list(texts) for texts in zip(*pairs, strict=True)]
    study = make_study(scenarios=MANY, frozen=())
    freeze(study, prompts)
    importer = Importer(study, tmp_path)
    items = prompts_of(study)
    expected = {i.id: split_reasoning(a)[0] for i, a in zip(items, answers, strict=True)}
    path, how = answered(form, study, answers, importer)
    assert importer.take(path, **how).counts == {"new": MANY}
    found = {each.wave_item: each.visible_text for each in study.runs.generations(1)}
    assert found == expected


def freeze(study: Any, prompts: list[str]) -> None:
    """Freeze one prompt per scenario, each with a text."""
    facts, documents = study.items.facts(), []
    shown = [r for r in study.items.latest() if r.condition == "Active"]
    for revision, prompt in zip(shown, prompts, strict=True):
        messages = [{"role": "user", "content": f"{revision.scenario} {prompt}"}]
        base = document(revision, facts[revision.scenario])
        base |= {"messages": messages, "prompt_hash": digest_of(messages)}
        documents.append(FrozenDocument(revision.item, revision.id, base))
    study.waves.freeze("declared", {}, documents)


def test_what_is_exported_says_nothing_of_what_belongs_together(importer: Any) -> None:
    """Neither gold nor scenario nor condition, in any form; order and names are those of keys."""
    rows = prompt_rows(prompts_of(importer.study), 2)
    blind = [{**row, "prompt": "", "messages": []} for row in rows]
    for form in ("rows", "openai-batch", "harness"):
        text = written(blind, form, "jsonl", api_model="m").decode()  # type: ignore[arg-type]
        for word in ("S01", "S02", "Active", "Removed", "heavy", "heuristic", "travel", "gold"):
            assert word not in text
    keys = [row["key"] for row in rows]
    assert keys == sorted(keys)
    assert all(read_key(key) for key in keys)
    told = prompt_rows(prompts_of(importer.study), 2, gold=True)
    assert [(row["gold"], row["gold_letter"]) for row in told] == [("heavy", letter) for letter in
           [row["gold_letter"] for row in told]]  # fmt: skip
    assert {json.loads(line)["target"] for line in
            written(told, "harness", "jsonl").decode().splitlines()} <= {"A", "B"}  # fmt: skip
