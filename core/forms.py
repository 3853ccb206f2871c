"""Rating forms as data: what is asked, which answers count, and which key gives which answer.

A form is a TOML file with one ``[[question]]`` table per question. There is one validation, used
by screens, packets, imports and the study file alike.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import InputError
from core.items import LETTERS

Kind = Literal["choice", "yes-no", "likert", "text"]
KINDS: tuple[Kind, ...] = ("choice", "yes-no", "likert", "text")
Answer = str | int | bool
# The fields of a question in TOML, and their types.
FIELDS: dict[str, type] = {
    "id": str, "kind": str, "text": str, "item_options": bool, "choices": list, "points": int,
    "low": str, "high": str, "required": bool,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that can be given: what is stored, what is shown, and the key that gives it."""

    value: Answer
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a form.

    Attributes
    ----------
    item_options
        For ``choice``: the options of the item come first, as ``A``, ``B``, ...
    choices
        For ``choice``: further answers, as pairs of value and label.
    points, low, high
        For ``likert``: how many points, and the words at both ends.
    """

    id: str
    kind: Kind
    text: str
    item_options: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    points: int = 5
    low: str = ""
    high: str = ""
    required: bool = True

    def answers(self, options: tuple[str, ...] = ()) -> tuple[Choice, ...]:
        """Return the answers to offer for an item with these option labels; none for a text."""
        match self.kind:
            case "yes-no":
                return (Choice(True, "Yes", "y"), Choice(False, "No", "n"))
            case "likert":
                return tuple(Choice(n, str(n), str(n)) for n in range(1, self.points + 1))
            case "choice":
                offered = list(zip(LETTERS, options, strict=False)) if self.item_options else []
                return tuple(
                    Choice(value, label, LETTERS[place].lower())
                    for place, (value, label) in enumerate([*offered, *self.choices])
                )
            case "text":
                return ()


@dataclass(frozen=True, slots=True)
class Form:
    """A named list of questions."""

    name: str
    questions: tuple[Question, ...]

    def question(self, question_id: str) -> Question:
        """Return one question; ``KeyError`` for an unknown id."""
        for question in self.questions:
            if question.id == question_id:
                return question
        raise KeyError(question_id)

    def faults(self, answers: Mapping[str, Any], options: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Name everything that is wrong with a full set of answers; empty when all is well."""
        found = [f"no question is called {name!r}" for name in sorted(set(answers) - self._ids())]
        for question in self.questions:
            found += _answer_faults(question, answers.get(question.id), options)
        return tuple(found)

    def _ids(self) -> set[str]:
        return {question.id for question in self.questions}


def _answer_faults(question: Question, answer: Any, options: tuple[str, ...]) -> list[str]:
    if answer is None or (answer == "" and question.kind == "text"):
        return [f"{question.id} is not answered"] if question.required else []
    if question.kind == "text":
        return [] if isinstance(answer, str) else [f"{question.id} must be a text"]
    offered = [choice.value for choice in question.answers(options)]
    # 1 == True in Python; an answer must also be of the type that was offered.
    if not any(answer == value and type(answer) is type(value) for value in offered):
        return [f"{question.id} cannot be {answer!r}; offered are {offered}"]
    return []


def parse_form(text: str, source: str) -> Form:
    """Read a form from TOML.

    Raises
    ------
    InputError
        Naming the source and the question when the file is no form.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: not a form: {error}") from error
    entries = raw.get("question")
    if set(raw) != {"name", "question"} or not _are_tables(entries) or not entries:
        raise InputError(f"{source}: a form has a name and at least one [[question]]")
    questions = tuple(_question(entry, source) for entry in entries)
    ids = [question.id for question in questions]
    if len(set(ids)) != len(ids):
        raise InputError(f"{source}: two questions have the same id")
    return Form(str(raw["name"]), questions)


def _question(entry: Mapping[str, Any], source: str) -> Question:
    where = f"{source}, question {entry.get('id', '?')}"
    if unknown := sorted(set(entry) - set(FIELDS)):
        raise InputError(f"{where}: unknown field {unknown[0]!r}")
    if missing := sorted({"id", "kind", "text"} - set(entry)):
        raise InputError(f"{where}: {missing[0]} is missing")
    for name, value in entry.items():
        if type(value) is not FIELDS[name]:
            raise InputError(f"{where}: {name} cannot be {value!r}")
    if entry["kind"] not in KINDS:
        raise InputError(f"{where}: kind must be one of {', '.join(KINDS)}")
    if fault := _fault_of_kind(entry):
        raise InputError(f"{where}: {fault}")
    fields = dict(entry)
    fields["choices"] = tuple((pair["value"], pair["label"]) for pair in entry.get("choices", []))
    return Question(**fields)


def _fault_of_kind(entry: Mapping[str, Any]) -> str | None:
    """Return what makes a question of this kind unanswerable, or its answers ambiguous."""
    match entry["kind"]:
        case "likert" if not (entry.get("low") and entry.get("high")):
            return "a likert question needs words at both ends (low, high)"
        case "likert" if not 2 <= entry.get("points", 5) <= 9:  # one key gives one answer
            return "points must be from 2 to 9"
        case "choice":
            letters = LETTERS if entry.get("item_options") else ""
            return _fault_of_choices(entry.get("choices", []), letters)
        case _:
            return None


def _fault_of_choices(pairs: list[Any], letters: str) -> str | None:
    if not _are_tables(pairs) or not all(
        set(pair) == {"value", "label"} and all(isinstance(text, str) for text in pair.values())
        for pair in pairs
    ):
        return "each of choices has a value and a label, both texts"
    values = [*letters, *(pair["value"] for pair in pairs)]
    if len(set(values)) != len(values):
        return "two choices have the same value"
    return None if values else "there is nothing to choose from"


def _are_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def form_to_json(form: Form) -> dict[str, Any]:
    """Return a form as plain values, for canonical JSON."""
    return {
        "name": form.name,
        "questions": [
            {
                "id": q.id,
                "kind": q.kind,
                "text": q.text,
                "item_options": q.item_options,
                "choices": [list(pair) for pair in q.choices],
                "points": q.points,
                "low": q.low,
                "high": q.high,
                "required": q.required,
            }
            for q in form.questions
        ],
    }


def form_from_json(value: Mapping[str, Any]) -> Form:
    """Rebuild a form from what :func:`form_to_json` gave."""
    return Form(
        value["name"],
        tuple(
            Question(**{**q, "choices": tuple((v, label) for v, label in q["choices"])})
            for q in value["questions"]
        ),
    )
