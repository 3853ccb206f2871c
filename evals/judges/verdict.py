"""Reading a judge's verdict: strictly, and only what was offered.

What cannot be read is ``None``: no verdict, which is never a fail.

- A line: some line must be ``KEY: X``, nothing before it but white space and Markdown marks, X one
  of what was offered, and after it the end of the line or a mark that ends a phrase. What follows
  is explanation: "GRADE: C. No reason to say I" is C. What takes the verdict back is none:
  "GRADE: C or I", "GRADE: C?", "GRADE: C; or rather I", "GRADE: C; GRADE: I". Lines that say
  different things are unreadable, and so is "Final GRADE: I" anywhere below "GRADE: C", unless it
  stands in quotation marks. A quoted line (``> GRADE: C``) is somebody else's: it gives no verdict,
  and beside one that differs it leaves none. Doubts in other words are not understood.
- JSON: one object with the key. ``wrapping`` says what may stand around it. A key that stands
  twice, a number beside the scale, NaN, ``true`` for a number, a second object that says something
  else, an object that is broken off: unreadable. A score of -0 is 0.
- Characters are compared as they are: a look-alike, a full-width letter, a zero-width space or a
  digit of another script is not what was offered.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from evals.judges.rubric import Rubric

MOST = 100_000  # characters of a judge's reply; a longer one has not kept to any form
_FENCED = re.compile(r"\s*```[A-Za-z]*\r?\n(.*?)\n?```\s*", re.DOTALL)
_OBJECT = re.compile(r'\{(?=\s*["}])')  # what begins like a JSON object
_BLANK = r"[^\S\n]"  # white space within a line
_MARKS = r"(?:[*_`#-]|[^\S\n])*"
_UNQUOTED = r"(?<![\w\"'`“”„‘’«»])"  # before a key that nobody is quoted with


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said: one of the rubric's verdicts, and its score on a scale."""

    verdict: str
    score: float | None = None


def read_verdict(rubric: Rubric, text: str) -> Verdict | None:
    """Return the verdict in a judge's visible text; ``None`` when it cannot be read."""
    if len(text) > MOST:
        return None
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
    # Of labels that begin alike the longest is tried first: "A (weak)" is not "A" and an aside.
    labels = sorted(rubric.labels, key=len, reverse=True)
    offered = r"-?[0-9]+(?:\.[0-9]+)?" if rubric.scale else "|".join(map(re.escape, labels))
    key = rf"{re.escape(rubric.key)}[*_`]*{_BLANK}*:"
    # A line that has the key and nothing that was offered makes the others doubtful as well.
    lines = re.findall(rf"^({_MARKS}(?:>{_MARKS})*){key}(.*)$", text, re.MULTILINE)
    said = [(">" in before, _said(after, offered, key)) for before, after in lines]
    # What is written within a sentence gives no verdict, but it can contradict one.
    claimed = re.findall(rf"{_UNQUOTED}{key}[\s*_`]*({offered})(?!\w)", text)
    found = {written for _, written in said} | set(claimed)
    if len(found) != 1 or all(quoted for quoted, _ in said):
        return None
    return found.pop()


def _said(after: str, offered: str, key: str) -> str | None:
    """Return what a line says after its key; ``None`` when it says nothing, or takes it back."""
    found = re.match(rf"[\s*_`]*({offered})(?:[\s*_`]*$|[*_`]*\s*[.;:!()—–](?![0-9])(.*))", after)
    if found is None:
        return None
    rest = found[2] or ""
    taken_back = rf"[\W_]*(?:or\b.*|and\W+(?:{offered})(?!\w).*|(?:{offered})[\W_]*)"
    if re.fullmatch(taken_back, rest) or re.search(key, rest):
        return None
    return found[1]


def _member(rubric: Rubric, text: str) -> str | int | float | None:
    """Return what the only object says under the key, or all of them alike."""
    said = set()
    for piece in _pieces(rubric, text):
        found = _object(piece)
        written = found.get(rubric.key) if found is not None else None
        if not isinstance(written, str | int | float):
            return None
        said.add((type(written), written))  # True is 1, and 7 is 7.0, but not to a reader
    return said.pop()[1] if len(said) == 1 else None


def _pieces(rubric: Rubric, text: str) -> list[str]:
    """Return the pieces of a text that must be the object, by what may stand around it."""
    match rubric.wrapping:
        case "none":
            return [text]
        case "fence":
            whole = _FENCED.fullmatch(text)
            return [whole[1] if whole else text]
        case "prose":
            return _objects(text)


def _objects(text: str) -> list[str]:
    """Return every outermost piece that begins like an object; a broken one goes to the end."""
    decoder, found, at = json.JSONDecoder(), [], _OBJECT.search(text)
    while at is not None:
        try:
            _, end = decoder.raw_decode(text, at.start())
        except (ValueError, RecursionError):
            end = len(text)
        found.append(text[at.start() : end])
        at = _OBJECT.search(text, end)
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


def _number(written: str | int | float, *, from_line: bool) -> float | None:
    if not from_line and (isinstance(written, bool | str)):
        return None
    try:
        return float(written) + 0.0  # which makes -0 a 0
    except OverflowError:  # a whole number that no float can hold lies beside every scale
        return None
