"""The texts of a round: files that people can write, checked when they are loaded, file and line.

Defaults ship in ``annotate/texts``. What a round has is stored with its plan and hashed into it: a
round without a consent text asks for none, and so on. A name that nobody knows is a fault, because
it is most often a misspelt one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.study import RoundKind
from core.toml import Place, line_of, parse_toml

MARKDOWN = ("consent.md", "declined.md", "instructions.md", "end.md")
TOML = ("training.toml", "checks.toml", "breaks.toml")
NAMES = MARKDOWN + TOML
SKIPPED: dict[RoundKind, frozenset[str]] = {
    "practice": frozenset({"consent.md", "declined.md", "training.toml"}),
    "rehearsal": frozenset(NAMES),  # simulated people read nothing
    "pilot": frozenset(),
    "main": frozenset(),
}
RATERS_ONLY = frozenset({"training.toml", "checks.toml"})
Faults = Iterator[tuple[Place, str]]


@dataclass(frozen=True, slots=True)
class Quiz:
    """A question with one right answer; it asks about the task, never about an item."""

    id: str
    text: str
    choices: tuple[str, ...]
    right: str
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Training:
    """What is asked before the first item."""

    items: tuple[Quiz, ...]
    pass_mark: int
    tries: int
    repeat: str
    failed: str


@dataclass(frozen=True, slots=True)
class Wording:
    """Everything that a round says beside its items; ``None`` or empty where it says nothing."""

    consent: str = ""
    declined: str = ""
    instructions: str = ""
    end: str = ""
    training: Training | None = None
    checks: tuple[Quiz, ...] = ()
    apart: int = 1
    every: int = 0
    pause: str = ""


def load(
    kind: RoundKind,
    folder: Path | None = None,
    others: Collection[str] = (),
    *,
    grading: bool = False,
) -> dict[str, str]:
    """Return the texts of a new round by file name, checked.

    Parameters
    ----------
    kind
        Practice skips consent and training, and rehearsals everything, unless `folder` has them.
    folder
        Files of one's own; where one is missing the default stands in.
    others
        Names that may be in the folder and that somebody else reads.
    grading
        Whether responses are graded: those who do it are told something else, and what trains and
        checks raters is not shown to them.

    Raises
    ------
    InputError
        Naming file and line.
    """
    skipped = SKIPPED[kind] | (RATERS_ONLY if grading else frozenset())
    texts = {name: _default(name, grading=grading) for name in NAMES if name not in skipped}
    if folder is not None:
        texts |= _own(folder, others)
    parse(texts, f"{folder}/" if folder else "")
    return texts


def _default(name: str, *, grading: bool) -> str:
    shipped = resources.files("annotate") / "texts"
    own = shipped / "grading" / name
    return (own if grading and own.is_file() else shipped / name).read_text("utf-8")


def _own(folder: Path, others: Collection[str]) -> dict[str, str]:
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder with texts")
    found: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in others:
            continue
        if path.name not in NAMES:
            known = ", ".join((*NAMES, *others))
            raise InputError(f"{path} is none of the texts; they are: {known}")
        try:
            found[path.name] = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path} cannot be read as UTF-8: {error}") from error
    return found


def parse(texts: Mapping[str, str], source: str = "") -> Wording:
    """Return the texts of a round as values.

    Raises
    ------
    InputError
        Naming file and line.
    """
    for name, text in texts.items():
        _require_text(f"{source}{name}", text)
    tables = {name: _table(source, name, texts[name]) for name in TOML if name in texts}
    checks, breaks = tables.get("checks.toml", {}), tables.get("breaks.toml", {})
    return Wording(
        consent=texts.get("consent.md", ""),
        declined=texts.get("declined.md", ""),
        instructions=texts.get("instructions.md", ""),
        end=texts.get("end.md", ""),
        training=_training(tables["training.toml"]) if "training.toml" in tables else None,
        checks=_quizzes(checks),
        apart=checks.get("apart", 1),
        every=breaks.get("every", 0),
        pause=breaks.get("text", ""),
    )


def _training(table: Mapping[str, Any]) -> Training:
    return Training(
        items=_quizzes(table),
        pass_mark=table["pass_mark"],
        tries=table["tries"],
        repeat=table["repeat"],
        failed=table["failed"],
    )


def _quizzes(table: Mapping[str, Any]) -> tuple[Quiz, ...]:
    return tuple(
        Quiz(e["id"], e["text"], tuple(e["choices"]), e["right"], e.get("feedback", ""))
        for e in table.get("item", ())
    )


def _require_text(name: str, text: str) -> None:
    if not text.strip():
        raise InputError(f"{name}, line 1: it is empty; remove the file, or write something")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.replace("\t", "").isprintable():
            raise InputError(f"{name}, line {number}: a control character, which no screen shows")


def _table(source: str, name: str, text: str) -> dict[str, Any]:
    table = parse_toml(text, f"{source}{name}")
    faults = {"training.toml": _of_training, "checks.toml": _of_checks, "breaks.toml": _of_breaks}
    for place, what in faults[name](table):
        raise InputError(f"{source}{name}, line {line_of(text, place)}: {what}")
    return table


def _of_training(table: Mapping[str, Any]) -> Faults:
    known = {"pass_mark": int, "tries": int, "repeat": str, "failed": str, "item": list}
    yield from _fields(table, known, known, ())
    yield from _items(table, feedback=True)
    count = len(table["item"])
    if not 1 <= table["pass_mark"] <= count:
        yield ("pass_mark",), f"the pass mark must lie between 1 and {count}, the number of items"
    if table["tries"] < 1:
        yield ("tries",), "everybody needs at least one try"


def _of_checks(table: Mapping[str, Any]) -> Faults:
    yield from _fields(table, {"apart": int, "item": list}, ("apart", "item"), ())
    yield from _items(table, feedback=False)
    if table["apart"] < 1:
        yield ("apart",), "at least one item must stand between two checks"


def _of_breaks(table: Mapping[str, Any]) -> Faults:
    yield from _fields(table, {"every": int, "text": str}, ("every", "text"), ())
    if table["every"] < 0:
        yield ("every",), "every must be a number of items, or 0 for no reminder"


def _fields(
    table: Any, known: Mapping[str, type], required: Any, place: tuple[str | int, ...]
) -> Faults:
    if not isinstance(table, dict):
        yield place, "this must be a table"
        return
    for name, value in table.items():
        if name not in known:
            yield (*place, name), f"unknown field {name!r}; known are {', '.join(known)}"
        elif type(value) is not known[name]:
            kind = {int: "a whole number", str: "a text", list: "a list"}[known[name]]
            yield (*place, name), f"{name} must be {kind}"
        elif value == "":
            yield (*place, name), f"{name} is empty"
    for name in required:
        if name not in table:
            yield place, f"{name} is missing"


def _items(table: Mapping[str, Any], *, feedback: bool) -> Faults:
    known = {"id": str, "text": str, "choices": list, "right": str}
    known |= {"feedback": str} if feedback else {}
    if not table["item"]:
        yield ("item",), "there is no item"
    seen: set[str] = set()
    for number, item in enumerate(table["item"]):
        place = ("item", number)
        yield from _fields(item, known, known, place)
        choices = item["choices"]
        if not all(isinstance(choice, str) and choice.strip() for choice in choices):
            yield (*place, "choices"), "every choice must be a text"
        if not 2 <= len(set(choices)) == len(choices) <= 9:
            yield (*place, "choices"), "there must be two to nine choices, all different"
        if item["right"] not in choices:
            yield (*place, "right"), f"right must be one of the choices, not {item['right']!r}"
        if item["id"] in seen:
            yield (*place, "id"), f"the id {item['id']!r} is given twice"
        seen.add(item["id"])
