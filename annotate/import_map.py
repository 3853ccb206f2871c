"""Where each thing stands in a file from elsewhere: a small TOML file, checked before any row is.

::

    [columns]                 # rater, and the item: scenario and condition, or its text
    rater = "worker"
    scenario = "task"
    condition = "version"
    time = "submitted"        # also: text, revision, comment, seconds, position, list, rater_kind

    [answers]                 # per question of the form, its column
    confidence = "sure"

    [answers.choice]
    column = "picked"
    reads = "label"           # letter (as it was shown), action (what it means), or label
    values = { "idk" = "It depends" }   # what stands in the file -> what it is

    [file]
    delimiter = ";"
    zone = "Europe/Paris"     # of times without one; or UTC, or +02:00
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Literal, get_args

from core.columns import Faults, faults_of_file, zone_of
from core.forms import Form, Question
from core.toml import parse_toml, refuse_first

Reads = Literal["letter", "action", "label"]
ITEM = ("scenario", "condition", "text", "revision")
OTHERS = ("comment", "time", "seconds", "position", "list", "rater_kind")
COLUMNS = ("rater", *ITEM, *OTHERS)


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """Where the answers to one question stand, and how they are read."""

    column: str
    reads: Reads = "action"
    values: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """A checked map; `document` is what the ledger keeps of it."""

    columns: Mapping[str, str]
    answers: Mapping[str, AnswerColumn]
    document: Mapping[str, Any]
    delimiter: str = ","
    zone: tzinfo | None = None

    def named(self) -> tuple[str, ...]:
        """Return every column of the file that the map names."""
        return (*self.columns.values(), *(answer.column for answer in self.answers.values()))


def own_map(form: Form) -> ColumnMap:
    """Return the map of what ``wavelock export ratings`` writes."""
    columns = {name: name for name in COLUMNS}
    answers = {
        question.id: AnswerColumn(
            f"meaning_{question.id}" if question.item_options else f"answer_{question.id}"
        )
        for question in form.questions
    }
    return ColumnMap(columns, answers, {"columns": "as exported by Wavelock"})


def parse_map(text: str, source: str, form: Form) -> ColumnMap:
    """Read a map and hold it against the form that the ratings are of.

    Raises
    ------
    InputError
        Naming source and line.
    """
    raw = parse_toml(text, source)
    refuse_first(_faults(raw, form), text, source)
    file = raw.get("file", {})
    return ColumnMap(
        columns=raw["columns"],
        answers={name: _answer(entry) for name, entry in raw["answers"].items()},
        document=raw,
        delimiter=file.get("delimiter", ","),
        zone=zone_of(file["zone"]) if "zone" in file else None,
    )


def _answer(entry: str | Mapping[str, Any]) -> AnswerColumn:
    if isinstance(entry, str):
        return AnswerColumn(entry)
    values = {name: _text(value) for name, value in entry.get("values", {}).items()}
    return AnswerColumn(entry["column"], entry.get("reads", "action"), values)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# Only the first fault is asked for, so that each check may rely on the ones before it.
def _faults(raw: Mapping[str, Any], form: Form) -> Faults:
    for name in raw:
        if name not in ("columns", "answers", "file"):
            yield (name,), f"unknown table {name!r}; there are columns, answers and file"
    for name in ("columns", "answers"):
        if not isinstance(raw.get(name), dict):
            yield (name,), f"a map needs a table [{name}]"
    yield from _faults_of_columns(raw["columns"])
    yield from _faults_of_answers(raw["answers"], form)
    yield from faults_of_file(raw.get("file", {}))


def _faults_of_columns(columns: Mapping[str, Any]) -> Faults:
    for name, column in columns.items():
        if name not in COLUMNS:
            yield ("columns", name), f"unknown {name!r}; known are {', '.join(COLUMNS)}"
        if not (isinstance(column, str) and column):
            yield ("columns", name), f"{name} must name a column, not {column!r}"
    if "rater" not in columns:
        yield ("columns",), "the column of the rater is missing"
    if "text" not in columns and not {"scenario", "condition"} <= set(columns):
        yield ("columns",), "name the columns of scenario and condition, or that of the text"


def _faults_of_answers(answers: Mapping[str, Any], form: Form) -> Faults:
    asked = {question.id: question for question in form.questions}
    for name, entry in answers.items():
        if name not in asked:
            known = ", ".join(asked)
            yield ("answers", name), f"the form {form.name} asks no {name!r}; it asks {known}"
        for field, fault in _faults_of_answer(entry, asked[name]):
            yield ("answers", name, *field), fault
    for question in form.questions:
        if question.required and question.id not in answers:
            yield ("answers",), f"the column of {question.id} is missing"


def _faults_of_answer(entry: Any, question: Question) -> Faults:
    if isinstance(entry, str):
        entry = {"column": entry}
    if not isinstance(entry, dict):
        yield (), f"{question.id} must name a column"
    for name in entry:
        if name not in ("column", "reads", "values"):
            yield (name,), f"unknown field {name!r}; known are column, reads, values"
    if not (isinstance(entry.get("column"), str) and entry["column"]):
        yield (), f"{question.id} must name a column"
    if "reads" in entry and question.kind != "choice":
        yield ("reads",), "only choices are read by letter, action or label"
    if entry.get("reads", "action") not in get_args(Reads):
        yield ("reads",), f"reads must be one of {', '.join(get_args(Reads))}"
    if question.item_options and "reads" not in entry:
        yield (), f"say how {question.id} reads: {', '.join(get_args(Reads))}"
    yield from _faults_of_values(entry.get("values", {}))


def _faults_of_values(values: Any) -> Faults:
    if not isinstance(values, dict):
        yield ("values",), "values must be a table"
    for name, value in values.items():
        if not isinstance(value, (str, int, bool)):
            yield ("values", name), f"a value must be a text, a number or a truth, not {value!r}"
