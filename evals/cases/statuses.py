"""The words that say of a degenerate case how its answer should stand: its status."""

from __future__ import annotations

import re
from collections.abc import Callable

from evals.cases.answers import Answer, Answers


def of_status(status: str, answers: Answers) -> list[str]:
    """Fault answers that have another status, or not the reason that the status names."""
    words, _, reason = re.sub(r"\s*\([^)]*\)", "", status).strip().lower().partition(":")
    holds = [demand_of(each.strip()) for each in re.split(r",? or ", words)]
    if None in holds:
        return [f"no machine reading for the expected status {status!r}"]
    # Without a value all functions of the family must be; a value is that of one of them.
    alone = "main" in answers and not {*holds} <= {_undefined, _refused}
    asked = {"main": answers["main"]} if alone else answers
    missing = {name: _unsaid(reason, answer.says) for name, answer in asked.items()}
    return [
        f"{name}: expected status {status!r}, got {answer.status!r}: {answer.says}"
        for name, answer in asked.items()
        if missing[name] or not any(test is not None and test(answer) for test in holds)
    ]


def demand_of(words: str) -> Callable[[Answer], bool] | None:
    """Return what one status demands of an answer; ``None`` when it cannot be read."""
    found = [test for pattern, test in _WORDS.items() if re.fullmatch(pattern, words)]
    return found[0] if found else None


def _unsaid(reason: str, says: str) -> list[str]:
    """Return the words of a reason that no word of an answer begins with."""
    said = re.findall(r"\w+", says.lower())
    return [
        word
        for word in re.findall(r"\w+", reason)
        if not any(each.startswith(word) for each in said)
    ]


def _undefined(answer: Answer) -> bool:
    return not answer.has_value and answer.status == "undefined" and bool(answer.says)


def _refused(answer: Answer) -> bool:
    return not answer.has_value and answer.status == "error" and bool(answer.says)


def _noted(answer: Answer) -> bool:
    return answer.has_value and answer.status == "ok with note"


def _without_width(answer: Answer) -> bool:
    ends = answer.value
    return _noted(answer) and isinstance(ends, list) and len(ends) == 2 and ends[0] == ends[1]


_WORDS: dict[str, Callable[[Answer], bool]] = {
    "undefined|not estimable|not informative": _undefined,
    "error|refuse|refused": _refused,
    "ok": lambda a: a.has_value and a.status == "ok",
    "ok with note|warning|ok after removing .+": _noted,
    r"drop(ped)?( \w+)? with note": lambda a: _noted(a) and "dropped" in a.says,
    "degenerate": _without_width,
}
"""What each status demands of an answer."""
