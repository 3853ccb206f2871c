"""Rating forms as data: what is asked, which answers count, and which key gives which answer.

A form is a TOML file with one ``[[question]]`` table per question. There is one validation, used
by screens, packets, imports and the study file alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.errors import InputError
from core.items import LETTERS
from core.toml import Place, line_of, parse_toml

Kind = Literal["choice", "yes-no", "likert", "text"]
KINDS: tuple[Kind, ...] = ("choice", "yes-no", "likert", "text")
Answer = str | int | bool
Shows = Literal["reference", "criterion"]  # the right answer; what the response is held to
# The fields of a question in TOML, and their types: those of every question, those of some.
COMMON: dict[str, type] = {"id": str, "kind": str, "text": str, "required": bool}
OF_KIND: dict[str, dict[str, type]] = {
    "choice": {"item_options": bool, "choices": list},
    "yes-no": {},
    "likert": {"points": int, "low": str, "high": str},
    "text": {},
}


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
    """A named list of questions.

    `shows` is what a grading screen shows beside a response; rating screens have nothing of it.
    """

    name: str
    questions: tuple[Question, ...]
    shows: tuple[Shows, ...] = ()

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

    def lacks(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those of the questions that this form does not ask, or lets people leave open."""
        required = {question.id for question in self.questions if question.required}
        return tuple(name for name in names if name not in required)

    def misfit(self, options: tuple[str, ...]) -> str | None:
        """Say why an item with these options cannot be asked this; ``None`` when it can."""
        for question in self.questions:
            if not question.item_options:
                continue
            if not options:
                return f"{question.id} offers the options of an item, and it has none"
            if len(options) + len(question.choices) > len(LETTERS):
                return f"{question.id} has more answers than the {len(LETTERS)} keys for them"
        return None

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
        Naming source, line and question when the file is no form, or one that could not be
        answered: whatever is wrong is found here, not in front of a rater.
    """
    raw = parse_toml(text, source)
    for place, fault in _faults_of_form(raw):
        raise InputError(f"{source}, line {line_of(text, place)}{_named(raw, place)}: {fault}")
    questions = tuple(_question(entry) for entry in raw["question"])
    return Form(raw["name"], questions, tuple(raw.get("shows", ())))


def _named(raw: Mapping[str, Any], place: Place) -> str:
    """Name the question that a place belongs to, if it belongs to one."""
    if len(place) < 2:
        return ""
    entry = raw["question"][place[1]]
    return f", question {entry['id']}" if "id" in entry else ""


def _question(entry: Mapping[str, Any]) -> Question:
    pairs = tuple((pair["value"], pair["label"]) for pair in entry.get("choices", []))
    return Question(**{**entry, "choices": pairs})


# Where a fault is, and what it is. Only the first is asked for, so that each check may rely on the
# ones before it.
Faults = Iterator[tuple[Place, str]]


def _faults_of_form(raw: Mapping[str, Any]) -> Faults:
    for name in raw:
        if name not in ("name", "shows", "question"):
            yield (name,), f"unknown field {name!r}; a form has a name and [[question]] tables"
    shows = raw.get("shows", [])
    if not isinstance(shows, list) or not set(map(str, shows)) <= set(get_args(Shows)):
        yield ("shows",), f"shows is a list, of {' and '.join(get_args(Shows))}"
    elif len(set(shows)) != len(shows):
        yield ("shows",), "shows names something twice"
    if not _says(raw.get("name")):
        yield ("name",), "a form needs a name, a text that is not empty"
    entries = raw.get("question")
    if not _are_tables(entries) or not entries:
        yield ("question",), "a form needs at least one [[question]]"
        return
    ids: list[str] = []
    for number, entry in enumerate(entries):
        for path, fault in _faults_of_question(entry):
            yield ("question", number, *path), fault
        if entry["id"] in ids:
            yield ("question", number, "id"), "two questions have the same id"
        ids.append(entry["id"])


def _faults_of_question(entry: Mapping[str, Any]) -> Faults:
    if missing := [name for name in ("id", "kind", "text") if name not in entry]:
        yield (), f"{missing[0]} is missing"
    kind = entry["kind"]
    if kind not in KINDS:
        yield ("kind",), f"kind must be one of {', '.join(KINDS)}"
    types = COMMON | OF_KIND[kind]
    for name, value in entry.items():
        if name not in types:
            known = any(name in fields for fields in OF_KIND.values())
            fault = f"a {kind} question has no {name}" if known else f"unknown field {name!r}"
            yield (name,), fault
        elif type(value) is not types[name]:
            yield (name,), f"{name} cannot be {value!r}"
        elif types[name] is str and not _says(value):
            yield (name,), f"{name} is empty"
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", entry["id"]):
        yield ("id",), "id must be a word of letters, digits, - and _, from a letter on"
    if kind == "likert":
        yield from _faults_of_scale(entry)
    if kind == "choice":
        yield from _faults_of_choices(entry)


def _faults_of_scale(entry: Mapping[str, Any]) -> Faults:
    if not (entry.get("low") and entry.get("high")):
        yield (), "a likert question needs words at both ends (low, high)"
    if not 2 <= entry.get("points", 5) <= 9:  # one key gives one answer
        yield ("points",), "points must be from 2 to 9"


def _faults_of_choices(entry: Mapping[str, Any]) -> Faults:
    pairs, from_item = entry.get("choices", []), entry.get("item_options", False)
    for number, pair in enumerate(pairs):
        if not _is_pair(pair):
            yield ("choices", number), "each of choices has a value and a label, both texts"
            return
    values = [*(LETTERS if from_item else ""), *(pair["value"] for pair in pairs)]
    for what, texts in (("value", values), ("label", [pair["label"] for pair in pairs])):
        if len(set(texts)) != len(texts):
            yield ("choices",), f"two choices have the same {what}"
    if not values:
        yield (), "there is nothing to choose from"
    room = len(LETTERS) - (2 if from_item else 0)
    if len(pairs) > room:
        beside = " beside the options of an item" if from_item else ""
        yield ("choices",), f"{len(pairs)} choices are more than the {room} keys for them{beside}"


def _is_pair(pair: object) -> bool:
    return (
        isinstance(pair, dict)
        and set(pair) == {"value", "label"}
        and all(_says(text) for text in pair.values())
    )


def _says(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def _are_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def form_to_json(form: Form) -> dict[str, Any]:
    """Return a form as plain values, for canonical JSON."""
    # What a form does not show is not said, so that forms without it keep their hashes.
    return {
        **({"shows": list(form.shows)} if form.shows else {}),
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
        tuple(value.get("shows", ())),
    )
