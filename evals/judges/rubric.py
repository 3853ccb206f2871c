"""Rubrics as data: what a judge is told, what it may answer, and how its answer is read.

A rubric is a TOML file::

    name = "hob-neutral"
    version = "1"
    prompt = '''...{question}...{gold}...{response}...'''

    [answer]
    form = "line"                 # a line "GRADE: C", or "json": {"score": 7, ...}
    key = "GRADE"
    labels = { C = "correct", I = "incorrect", A = "ambiguous" }

A scale has ``low``, ``high`` and ``cut`` in place of ``labels``; a score from `cut` on is a pass.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.errors import InputError
from core.hashing import digest_of
from core.toml import Place, line_of, parse_toml

Form = Literal["line", "json"]
Wrapping = Literal["none", "fence", "prose"]
RESPONSE = "response"
# What a prompt may ask for: the reply, and facts of the frozen item.
PLACES = (
    RESPONSE, "question", "gold", "other", "condition", "constraint", "prerequisite", "shortcut",
    "target", "pattern",
)  # fmt: skip
# What tables call replies without a verdict, and their columns.
RESERVED = frozenset(
    {"unreadable", "no-majority", "open", "judged_by", "condition", "replies", "no_answer"}
)
_PLACE = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers that a judge may give; from `cut` on a reply complies."""

    low: float
    high: float
    cut: float


@dataclass(frozen=True, slots=True)
class Rubric:
    """One way of judging a reply.

    Attributes
    ----------
    name, version
        A new text is a new version; judgements under both are kept.
    system, prompt
        What the judge is sent; `prompt` has ``{response}`` exactly once.
    form
        Whether the verdict is a line (``GRADE: C``) or a member of a JSON object.
    key
        What the line begins with, or the name of the member.
    wrapping
        What may stand around a JSON object: nothing, a code fence, or prose too.
    labels
        From what the judge writes to what it means; empty for a scale.
    scale
        ``None`` for labels.
    """

    name: str
    version: str
    system: str
    prompt: str
    form: Form
    key: str
    wrapping: Wrapping
    labels: Mapping[str, str]
    scale: Scale | None

    @property
    def hash(self) -> str:
        """The digest of everything that a verdict under this rubric depends on."""
        return digest_of(rubric_to_json(self))

    @property
    def places(self) -> tuple[str, ...]:
        """What the prompt asks for, in its order."""
        return tuple(dict.fromkeys(_PLACE.findall(self.prompt)))

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What a reply can be judged to be."""
        return ("pass", "fail") if self.scale else tuple(dict.fromkeys(self.labels.values()))


def rubric_to_json(rubric: Rubric) -> dict[str, Any]:
    """Return a rubric as plain values, for canonical JSON."""
    scale = rubric.scale
    return {
        "name": rubric.name,
        "version": rubric.version,
        "system": rubric.system,
        "prompt": rubric.prompt,
        "form": rubric.form,
        "key": rubric.key,
        "wrapping": rubric.wrapping,
        "labels": dict(rubric.labels),
        "scale": scale and {"low": scale.low, "high": scale.high, "cut": scale.cut},
    }


def parse_rubric(text: str, source: str) -> Rubric:
    """Read a rubric.

    Raises
    ------
    InputError
        Naming source, line and every fault at once.
    """
    raw = parse_toml(text, source)
    faults = [*_faults_of_texts(raw), *_faults_of_answer(raw)]
    if faults:
        lines = (f"{source}, line {line_of(text, place)}: {what}" for place, what in faults)
        raise InputError("\n".join(lines))
    answer = raw["answer"]
    scale = (
        Scale(*(float(answer[each]) for each in ("low", "high", "cut")))
        if "low" in answer
        else None
    )
    return Rubric(
        name=raw["name"],
        version=raw["version"],
        system=raw.get("system", ""),
        prompt=raw["prompt"],
        form=answer["form"],
        key=answer["key"],
        wrapping=answer.get("wrapping", "none"),
        labels=answer.get("labels", {}),
        scale=scale,
    )


Faults = list[tuple[Place, str]]


def _faults_of_texts(raw: Mapping[str, Any]) -> Faults:
    found: Faults = [
        ((key,), f"there is no field “{key}”")
        for key in raw
        if key not in {"name", "version", "system", "prompt", "answer"}
    ]
    found += [
        ((key,), f"{key} is not a text")
        for key in ("name", "version", "prompt")
        if not isinstance(raw.get(key), str) or not raw[key].strip()
    ]
    if not isinstance(raw.get("system", ""), str):
        found.append((("system",), "system is not a text"))
    prompt = raw.get("prompt")
    if isinstance(prompt, str):
        asked = _PLACE.findall(prompt)
        unknown = sorted(set(asked) - set(PLACES))
        found += [
            (("prompt",), f"there is nothing to put at {{{place}}}; use {', '.join(PLACES)}")
            for place in unknown
        ]
        if asked.count(RESPONSE) != 1:
            found.append((("prompt",), "prompt must have {response} exactly once"))
    return found


def _faults_of_answer(raw: Mapping[str, Any]) -> Faults:
    answer = raw.get("answer")
    if not isinstance(answer, dict):
        return [((), "answer is missing: how the verdict is written")]
    known = {"form", "key", "wrapping", "labels", "low", "high", "cut"}
    found: Faults = [
        (("answer", key), f"there is no field “answer.{key}”") for key in answer if key not in known
    ]
    if answer.get("form") not in get_args(Form):
        found.append((("answer", "form"), "answer.form is “line” or “json”"))
    if answer.get("wrapping", "none") not in get_args(Wrapping):
        found.append((("answer", "wrapping"), "answer.wrapping is “none”, “fence” or “prose”"))
    if "wrapping" in answer and answer.get("form") == "line":
        found.append((("answer", "wrapping"), "only JSON can be wrapped"))
    if not isinstance(answer.get("key"), str) or not answer["key"].strip():
        found.append((("answer", "key"), "answer.key is not a text"))
    if ("labels" in answer) == any(key in answer for key in ("low", "high", "cut")):
        found.append((("answer",), "answer has either labels, or low, high and cut"))
    elif "labels" in answer:
        found += _faults_of_labels(answer["labels"])
    else:
        found += _faults_of_scale(answer)
    return found


def _faults_of_labels(labels: object) -> Faults:
    place = ("answer", "labels")
    if not isinstance(labels, dict) or len(labels) < 2:
        return [(place, 'answer.labels has at least two, as in { C = "correct", I = ... }')]
    if not all(isinstance(label, str) and label.strip() for label in labels.values()):
        return [(place, "every label is a text")]
    found: Faults = [
        (place, f"no judge can write {written!r} on its line: blanks at an end, or two lines")
        for written in labels
        if written != written.strip() or "\n" in written or not written
    ]
    taken = sorted(RESERVED & set(labels.values()))
    return found + [(place, f"a verdict cannot be called “{name}”; tables do") for name in taken]


def _faults_of_scale(answer: Mapping[str, Any]) -> Faults:
    given = [answer.get(key) for key in ("low", "cut", "high")]
    numbers = [n for n in given if isinstance(n, int | float) and not isinstance(n, bool)]
    finite = all(isinstance(n, int) or math.isfinite(n) for n in numbers)  # an int may be too long
    if len(numbers) < 3 or not finite or not numbers[0] < numbers[1] <= numbers[2]:
        return [(("answer",), "a scale needs finite numbers low < cut <= high")]
    return []
