"""Degenerate inputs: a good tool answers with a value, "undefined" and the reason, or a refusal.

A case says under ``good_tool`` what it expects: a *value* (a number, a list, ``null`` for none, or
words that :data:`evals.cases.expectations.VALUES` reads) and a *status*. Both are compared by
machine; what cannot be read fails the case, so that nothing is passed over. A status is one of
these words, or several joined by "or":

- ``undefined`` (also ``not estimable``, ``not informative``): no value, because the formula has
  none for these data, and the reason;
- ``error`` (also ``refuse``): no value, because the input is refused or holds nothing to compute
  on (no pair of ratings, one unit), and the reason;
- ``ok``: a value, and nothing to be said about it;
- ``ok with note`` (also ``warning``, ``ok after removing ...``): a value, and a note beside it;
- ``drop ... with note``: a value, and a note that says what was dropped;
- ``degenerate``: an interval without width, and a warning beside it.

Words in brackets are a comment. What follows a colon must be found in the reason or in the note.
"""

from __future__ import annotations

import re
from typing import Any

from evals.cases.answers import Answer, Answers, Case
from evals.cases.expectations import STATUSES, VALUES, with_value, with_values
from evals.cases.fields import CannotRun, Fields, as_json, is_number
from evals.cases.statuses import of_status

_INTERVAL = re.compile(r"\[(-?[\d.]+), ?(-?[\d.]+)\](?: with a warning)?(, or no interval)?")


def faults(case: Case, answers: Answers) -> list[str]:
    """Return a sentence for each answer that a good tool would not give.

    Examples
    --------
    >>> from evals.cases.answers import answers_of
    >>> case = {"family": "holm", "input": {"p": []}, "good_tool": {"value": [], "status": "ok"}}
    >>> faults(case, answers_of(case))
    []
    >>> case["good_tool"] = {"value": [], "status": "error"}
    >>> faults(case, answers_of(case))
    ["main: expected status 'error', got 'ok': corrected by Holm"]
    """
    fields = Fields.of(case, "case")
    good = fields.part("good_tool")
    value, status = good["value"], good["status"]
    if not isinstance(status, str):
        raise CannotRun(f"good_tool.status must be words, is {as_json(status)}")
    reading = STATUSES.get(status)
    if reading is not None:
        wrong, answers = reading(fields, answers)
    else:
        wrong = of_status(status, answers)
    return wrong + _of_value(value, fields, answers)


def _of_value(value: Any, case: Fields, answers: Answers) -> list[str]:
    """Fault answers whose value is not the expected one."""
    if value is None:
        return [f"{n}: expected no value, got {a.value}" for n, a in answers.items() if a.has_value]
    if isinstance(value, str) and value in VALUES:
        return VALUES[value](case, answers)
    if isinstance(value, str) and (ends := _INTERVAL.fullmatch(value)) is not None:
        return _of_interval(ends, _main(answers))
    if isinstance(value, list) and all(map(is_number, value)):
        return with_values(value, _main(answers))
    if is_number(value):
        return with_value(float(value), _main(answers))
    return [f"no machine reading for the expected value {as_json(value)}"]


def _of_interval(written: re.Match[str], answer: Answer) -> list[str]:
    """Compare with ``[a,b]``, ``[a,b] with a warning``, each with or without ``, or no interval``.

    The warning itself is the status's to demand.
    """
    if not answer.has_value and written[3]:
        return []
    return with_values([float(written[1]), float(written[2])], answer)


def _main(answers: Answers) -> Answer:
    if "main" not in answers:
        raise CannotRun(f"input.form is missing: say which of {', '.join(answers)} has the value")
    return answers["main"]
