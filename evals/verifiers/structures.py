"""The outer form of a text: JSON, lists, marks at its ends, placeholders, one exact output."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from core.verifiers import FAIL, PASS, UNDETERMINED, Reading
from evals.verifiers.units import lines

_FENCE = re.compile(r"\s*```[A-Za-z]*\n(?P<body>.*)\n```\s*", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_DECORATION = "`"  # a symbol to Unicode, Markdown to a model
_MEANT = "%‰&@#/\\"  # marks that belong to a target when they stand at its end


def strict_json(text: str, keys: Sequence[str]) -> Reading:
    """Pass a text that is one JSON object with exactly these keys (WISE, section 4).

    The complete text is parsed: no fence, no sentence before it. A key that stands twice fails,
    and so do NaN, raw control characters and white space that is not JSON's. Key order, nested
    values and the size of numbers do not matter.
    """
    try:
        found = _object(text)
    except RecursionError:
        return Reading(UNDETERMINED, "nested too deeply to be read")
    except ValueError as error:
        return Reading(FAIL, str(error))
    if set(found) != set(keys):
        return Reading(FAIL, f"keys: {', '.join(sorted(found))}")
    return Reading(PASS)


def graded_json(text: str, keys: Sequence[str]) -> Reading:
    """Score how near a text is to one JSON object with these keys (MOSAIC, appendix D.1).

    The paper grants more for small faults than for large ones and prints no scale. Ours: 1 as
    asked, .75 inside a code fence, .5 with a comma too many, .25 with other keys or with text
    around the object, 0 otherwise.
    """
    try:
        return _graded(text, keys)
    except RecursionError:
        return Reading(UNDETERMINED, "nested too deeply to be read")


def _graded(text: str, keys: Sequence[str]) -> Reading:
    fenced = _FENCE.fullmatch(text)
    inner = text[text.find("{") : text.rfind("}") + 1]
    attempts = [
        (text, 1.0, "as asked"),
        (fenced["body"] if fenced else "", 0.75, "in a code fence"),
        (_TRAILING_COMMA.sub("", text), 0.5, "a comma too many"),
        (inner, 0.25, "text around the object"),
    ]
    for attempt, score, evidence in attempts:
        try:
            found = _object(attempt)
        except ValueError:
            continue
        if set(found) != set(keys):
            return Reading(FAIL, f"keys: {', '.join(sorted(found))}", 0.25)
        return Reading(PASS if score == 1 else FAIL, evidence, score)
    return Reading(FAIL, "no JSON object", 0.0)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is no JSON number")


# Numbers are not computed: Python refuses to read integers of more than 4,300 digits.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_refuse, parse_int=str, parse_float=str
)


def _object(text: str) -> dict[str, Any]:
    """Parse one JSON object; ``ValueError`` says why it is none."""
    found = _DECODER.decode(text)
    if not isinstance(found, dict):
        raise ValueError("not an object")  # noqa: TRY004  the text is wrong, not a type
    return found


def dash_list(text: str) -> Reading:
    """Score the share of lines that begin with a dash, "-" (MOSAIC, appendix D.1).

    Blank lines do not count and indentation is ignored; what follows the dash does not matter. A
    text without a line has no list.
    """
    found = lines(text)
    good = sum(line.lstrip().startswith("-") for line in found)
    score = good / len(found) if found else 0.0
    return Reading(PASS if score == 1 else FAIL, f"{good} of {len(found)} lines", score)


def begins_with(text: str, token: str) -> Reading:
    """Pass a text that begins with a token, white space aside (MOSAIC, appendix D.1)."""
    return _decided(text.strip().startswith(token), text.strip()[: len(token)])


def ends_with(text: str, token: str) -> Reading:
    """Pass a text that ends with a token, white space aside (MOSAIC, appendix D.1)."""
    return _decided(text.strip().endswith(token), text.strip()[-len(token) :])


def contains(text: str, token: str) -> Reading:
    """Pass a text that contains a token character by character (MOSAIC, appendix D.2)."""
    return _decided(token in text, f"{text.count(token)} x {token}")


def exact_output(text: str, target: str) -> Reading:
    """Pass a text that is the target, white space and punctuation at the ends aside.

    Letters keep their case; inner white space counts. Both sides are stripped alike, so that a
    target with its own full stop can be met. Marks such as "%" or "#" stay where the target has
    them at that end: "100" is not "100%", and symbols ("+") always stay. Source: the
    instruction-induction conflict, appendix A.
    """
    start = target[:1] if target[:1] in _MEANT else ""
    end = target[-1:] if target[-1:] in _MEANT else ""
    found = _stripped(text, start, end)
    return _decided(found == _stripped(target, start, end), found[: len(target) + 40])


def _stripped(text: str, start: str, end: str) -> str:
    low, high = 0, len(text)
    while low < high and _strippable(text[low], start):
        low += 1
    while low < high and _strippable(text[high - 1], end):
        high -= 1
    return text[low:high]


def _strippable(char: str, kept: str) -> bool:
    decoration = char.isspace() or unicodedata.category(char)[0] == "P" or char in _DECORATION
    return decoration and char != kept


def _decided(good: bool, evidence: str) -> Reading:
    return Reading(PASS if good else FAIL, evidence)
