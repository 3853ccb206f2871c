"""Reading a judge's verdict: strictly, and only what was offered.

What cannot be read is ``None``: no verdict, which is never a fail.

- A line: some line must be ``KEY: X``, nothing before it but white space and Markdown marks, X one
  of what was offered, and after it the end of the line or a mark that ends a phrase. What follows
  is explanation: "GRADE: C. No reason to say I" is C, "GRADE: C or I" is nothing. Two such lines
  that say different things are unreadable.
- JSON: one object with the key. ``wrapping`` says what may stand around it. A key that stands
  twice, a number beside the scale, ``true`` for a number: unreadable.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from evals.judges.rubric import Rubric

_FENCE = re.compile(r"```[A-Za-z]*\n(.*?)\n?```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said: one of the rubric's verdicts, and its score on a scale."""

    verdict: str
    score: float | None = None


def read_verdict(rubric: Rubric, text: str) -> Verdict | None:
    """Return the verdict in a judge's visible text; ``None`` when it cannot be read."""
    written = _line(rubric, text) if rubric.form == "line" else _member(rubric, text)
    if written is None:
        return None
    if rubric.scale is None:
        label = rubric.labels.get(written) if isinstance(written, str) else None
        return None if label is None else Verdict(label)
    score = _number(written, from_line=rubric.form == "line")
    if score is None or not rubric.scale.low <= score <= rubric.scale.high:
        return None
    return Verdict("pass" if score >= rubric.scale.cut else "fail", score)


def _line(rubric: Rubric, text: str) -> str | None:
    offered = r"-?\d+(?:\.\d+)?" if rubric.scale else "|".join(map(re.escape, rubric.labels))
    form = re.compile(
        rf"^[\s*_`>#-]*{re.escape(rubric.key)}[*_`]*\s*:[\s*_`]*({offered})(?=[\s*_`]*$|[*_`]*\s*[.;:!?()—–](?!\d))",
        re.MULTILINE,
    )
    any_key = re.compile(rf"^[\s*_`>#-]*{re.escape(rubric.key)}[*_`]*\s*:", re.MULTILINE)
    found = form.findall(text)
    # A line that has the key and nothing that was offered makes the others doubtful as well.
    if len(found) != len(any_key.findall(text)) or len(set(found)) != 1:
        return None
    return str(found[0])


def _member(rubric: Rubric, text: str) -> Any:
    objects = [found for found in map(_object, _candidates(rubric, text)) if found is not None]
    written = {json.dumps(found.get(rubric.key)) for found in objects}
    return json.loads(written.pop()) if len(written) == 1 else None


def _candidates(rubric: Rubric, text: str) -> list[str]:
    """Return the pieces of a text that may be the object, by what may stand around it."""
    if rubric.wrapping == "none":
        return [text]
    fences = _FENCE.findall(text)
    if rubric.wrapping == "fence":
        whole = re.fullmatch(r"\s*" + _FENCE.pattern + r"\s*", text, re.DOTALL)
        return [whole[1] if whole else text]
    return fences or _braced(text)


def _braced(text: str) -> list[str]:
    """Return every outermost piece that begins with a brace and parses as far as it goes."""
    decoder, found, at = json.JSONDecoder(), [], text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(text[at:end])
        at = text.find("{", end)
    return found


def _object(text: str) -> dict[str, Any] | None:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    def refuse(token: str) -> Any:
        raise ValueError(token)

    try:
        found = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _number(written: Any, *, from_line: bool) -> float | None:
    if from_line:
        return float(written)
    if isinstance(written, bool) or not isinstance(written, int | float):
        return None
    return float(written)
