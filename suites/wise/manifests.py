"""Tasks and templates of somebody else, such as the manifests of the paper's release.

A folder has ``tasks.jsonl`` or ``tasks.csv`` and may have ``forms.jsonl`` or ``forms.csv``. The
paper says what its manifests hold (item id, base task, target; form templates), not what their
columns are called, so a few names are understood for each; others are a fault that names them.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

from core.errors import InputError
from suites.wise.panels import Definition, Panel, WordingForm
from suites.wise.tasks import Task, faults_of, task_of

Record = dict[str, Any]
Placed = tuple[str, Record]  # where it stands, and what it says

_TASK_NAMES = {
    "item_id": "id",
    "task_id": "id",
    "base_task": "task",
    "target_count": "target",
    "target_words": "target",
    "category": "topic",
    "keys": "fields",
}
_FORM_NAMES = {"wording_form": "form", "name": "form", "wording": "template"}
_FORM_FIELDS = ("panel", "form", "template")


def read(folder: Path, definition: Definition) -> tuple[tuple[Task, ...], Definition]:
    """Return a folder's tasks, and the panels with the folder's templates.

    Raises
    ------
    InputError
        Naming every fault of every line, not only the first.
    """
    tasks = _records(folder, "tasks", _TASK_NAMES, needed=True)
    forms = _records(folder, "forms", _FORM_NAMES, needed=False)
    found = [*_faults_of_tasks(tasks), *_faults_of_forms(forms, definition)]
    if found:
        raise InputError("; ".join(found))
    return (
        tuple(task_of(record, where) for where, record in tasks),
        _with_templates(definition, forms),
    )


def _faults_of_tasks(tasks: Sequence[Placed]) -> Iterator[str]:
    for where, record in tasks:
        for fault in faults_of(record):
            yield f"{where}: {fault}"
    times = Counter(str(record.get("id")) for _, record in tasks)
    for name, count in times.items():
        if count > 1:
            yield f"{count} tasks have the id {name}"
    if not tasks:
        yield "there is no task"


def _faults_of_forms(forms: Sequence[Placed], definition: Definition) -> Iterator[str]:
    known = set(definition.conditions)
    seen: set[str] = set()
    for where, record in forms:
        lacking = [name for name in _FORM_FIELDS if not str(record.get(name) or "").strip()]
        if lacking:
            yield f"{where}: {', '.join(lacking)} is missing"
            continue
        condition = f"{record['panel']}/{record['form']}"
        if condition not in known:
            yield f"{where}: there is no form {condition}; add it to suites/wise/panels.toml"
        elif condition in seen:
            yield f"{where}: {condition} has a template already"
        else:
            seen.add(condition)
            panel = definition.panel(record["panel"])
            lost = [said for said in panel.placeholders if said not in record["template"]]
            if lost:
                yield f"{where}: the template of {condition} does not say {' and '.join(lost)}"


def _with_templates(definition: Definition, forms: Sequence[Placed]) -> Definition:
    given = {f"{r['panel']}/{r['form']}": (where, str(r["template"])) for where, r in forms}

    def changed(panel: Panel, form: WordingForm) -> WordingForm:
        found = given.get(panel.condition(form.name))
        if found is None:
            return form
        where, template = found
        return WordingForm(form.name, template, where, period_printed=template.endswith("."))

    panels = tuple(
        replace(panel, forms=tuple(changed(panel, form) for form in panel.forms))
        for panel in definition.panels
    )
    asked = next(p for p in panels if p.name == definition.survey.panel.name)
    return replace(definition, panels=panels, survey=replace(definition.survey, panel=asked))


def _records(folder: Path, name: str, names: Mapping[str, str], *, needed: bool) -> list[Placed]:
    """Return the records of the one file of a name, columns under the names that we use."""
    there = [path for end in ("jsonl", "csv") if (path := folder / f"{name}.{end}").is_file()]
    if len(there) > 1:
        raise InputError(f"{folder} has both {there[0].name} and {there[1].name}; keep one")
    if not there:
        if needed:
            raise InputError(f"{folder} has no {name}.jsonl and no {name}.csv")
        return []
    path = there[0]
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    rows = _json_lines(text, path) if path.suffix == ".jsonl" else _csv_rows(text, path)
    return [(where, {names.get(k, k): v for k, v in row.items()}) for where, row in rows]


def _json_lines(text: str, path: Path) -> Iterator[Placed]:
    for at, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}, line {at}: not JSON ({error.msg})") from error
        if not isinstance(record, dict):
            raise InputError(f"{path}, line {at}: not a JSON object")
        yield f"{path.name}, line {at}", record


def _csv_rows(text: str, path: Path) -> Iterator[Placed]:
    """Yield rows of a CSV; numbers and lists are read from their texts, empty cells left out."""
    reader = csv.DictReader(StringIO(text))
    for row in reader:
        where = f"{path.name}, line {reader.line_num}"
        if None in row or None in row.values():
            raise InputError(f"{where}: it has not as many cells as the heading")
        record: Record = {key.strip(): value for key, value in row.items() if value}
        for key in ("target", "target_count", "target_words"):
            if record.get(key, "").isdecimal():
                record[key] = int(record[key])
        for key in ("fields", "keys"):
            if key in record:
                record[key] = [part.strip() for part in record[key].split(";") if part.strip()]
        yield where, record
