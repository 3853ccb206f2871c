"""The base tasks of WISE: what is asked, and the target, keyword and keys of its constraints.

The hundred tasks that ship are drafts of our own; the paper's tasks are not printed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from core.errors import InputError

FILE = "tasks.jsonl"


@dataclass(frozen=True, slots=True)
class Task:
    """One base task.

    Attributes
    ----------
    target
        Words of an exact count.
    keyword
        For the panel that asks for a keyword; empty where there is none.
    fields
        Keys for the panel that asks for JSON; empty where there are none.
    """

    id: str
    task: str
    target: int
    topic: str = ""
    keyword: str = ""
    fields: tuple[str, ...] = ()


def shipped() -> tuple[Task, ...]:
    """Return the tasks that ship, in the order of their file."""
    text = (resources.files("suites.wise") / FILE).read_text("utf-8")
    return read(text, f"suites/wise/{FILE}")


def read(text: str, source: str) -> tuple[Task, ...]:
    """Read tasks from JSON lines; empty lines are skipped.

    Raises
    ------
    InputError
        Naming source, line and every fault of that line.
    """
    lines = enumerate(text.split("\n"), start=1)
    return tuple(
        task_of(_record(line, f"{source}, line {at}"), f"{source}, line {at}")
        for at, line in lines
        if line.strip()
    )


def task_of(record: Mapping[str, Any], where: str) -> Task:
    """Return the task of one record; ``InputError`` names all that is wrong with it."""
    if faults := faults_of(record):
        raise InputError(f"{where}: {'; '.join(faults)}")
    return Task(
        id=record["id"].strip(),
        task=record["task"].strip(),
        target=record["target"],
        topic=record.get("topic", ""),
        keyword=record.get("keyword", "").strip(),
        fields=tuple(record.get("fields", ())),
    )


def faults_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Name everything that is wrong with a record."""
    known = {"id", "task", "target", "topic", "keyword", "fields"}
    found = [f"unknown field {name!r}" for name in record if name not in known]
    found += [
        f"{name} is not a text that says something"
        for name in ("id", "task")
        if not isinstance(record.get(name), str) or not record[name].strip()
    ]
    found += [
        f"{name} is not a text"
        for name in ("topic", "keyword")
        if not isinstance(record.get(name, ""), str)
    ]
    if type(record.get("target")) is not int or record["target"] < 1:
        found.append(f"target is {record.get('target')!r}, not a number of words from 1")
    fields = record.get("fields", [])
    if not isinstance(fields, list | tuple) or not all(isinstance(f, str) and f for f in fields):
        found.append("fields is not a list of texts")
    elif len(set(fields)) != len(fields):
        found.append("fields has a key twice")
    return tuple(found)


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON at column {error.colno} ({error.msg})") from None
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object")
    return record
