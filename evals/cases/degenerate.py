"""Degenerate inputs: a good tool answers with a value, "undefined" and the reason, or a refusal.

A case says under ``good_tool`` what it expects: a *value* (a number, a list, ``null`` for none, or
words that :data:`VALUES` reads) and a *status*. Both are compared by machine; what cannot be read
fails the case, so that nothing is passed over. A status is one of these words, or several joined
by "or":

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.estimate import Estimate
from evals.cases.compare import Tolerance
from evals.cases.fields import CannotRun, Fields, as_json, is_number
from stats import checks, cohen, comparisons, correlation, fleiss, gwet, icc, resample
from stats.agreement import NO_PAIR, Agreement
from stats.errors import StatisticsInputError
from stats.krippendorff_alpha import krippendorff_alpha
from stats.multiplicity import corrected_p
from stats.ratings import matrix_from_rows

Case = Mapping[str, Any]

_CLOSE = Tolerance(1e-9, 1e-9)
_SEED = 20_260_710
_NOTHING_TO_COMPUTE = (NO_PAIR, cohen.NO_SHARED_ITEM)
_SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function answered.

    Attributes
    ----------
    value
        The number, or ``None``.
    says
        Why there is none, or what stands beside the number.
    status
        ``ok`` or ``ok with note`` with a value; ``undefined`` or ``error`` without.
    """

    value: Any
    says: str
    status: str

    @classmethod
    def of(cls, value: Any, says: str, notes: Sequence[str] = ()) -> Answer:
        """Return an answer with a value, and the notes beside it."""
        return cls(value, "; ".join([says, *notes]), "ok with note" if notes else "ok")


Answers = dict[str, Answer]


def answers_of(case: Case) -> Answers:
    """Return what the functions of a case's family answer to its input."""
    fields = Fields.of(case, "case")
    family = fields["family"]
    if not isinstance(family, str) or family not in _FAMILIES:
        raise CannotRun(f"unknown family {family!r}; known are {', '.join(sorted(_FAMILIES))}")
    return _FAMILIES[family](fields.part("input"))


def faults(case: Case, answers: Answers) -> list[str]:
    """Return a sentence for each answer that a good tool would not give.

    Examples
    --------
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
        wrong = _of_status(status, answers)
    return wrong + _of_value(value, fields, answers)


def _of_value(value: Any, case: Fields, answers: Answers) -> list[str]:
    """Fault answers whose value is not the expected one."""
    if value is None:
        return [f"{n}: expected no value, got {a.value}" for n, a in answers.items() if _has(a)]
    if isinstance(value, str) and value in VALUES:
        return VALUES[value](case, answers)
    if isinstance(value, str) and (ends := _INTERVAL.fullmatch(value)) is not None:
        return _of_interval(ends, _main(answers))
    if isinstance(value, list) and all(map(is_number, value)):
        return _with_values(value, _main(answers))
    if is_number(value):
        return _with_value(float(value), _main(answers))
    return [f"no machine reading for the expected value {as_json(value)}"]


def _of_status(status: str, answers: Answers) -> list[str]:
    """Fault answers that have another status, or not the reason that the status names."""
    words, _, reason = re.sub(r"\s*\([^)]*\)", "", status).strip().lower().partition(":")
    holds = [_test_of(each.strip()) for each in re.split(r",? or ", words)]
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


def _test_of(words: str) -> Callable[[Answer], bool] | None:
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


def _has(answer: Answer) -> bool:
    return answer.value is not None


def _undefined(answer: Answer) -> bool:
    return not _has(answer) and answer.status == "undefined" and bool(answer.says)


def _refused(answer: Answer) -> bool:
    return not _has(answer) and answer.status == "error" and bool(answer.says)


def _noted(answer: Answer) -> bool:
    return _has(answer) and answer.status == "ok with note"


def _without_width(answer: Answer) -> bool:
    ends = answer.value
    return _noted(answer) and isinstance(ends, list) and len(ends) == 2 and ends[0] == ends[1]


_WORDS: dict[str, Callable[[Answer], bool]] = {
    "undefined|not estimable|not informative": _undefined,
    "error|refuse|refused": _refused,
    "ok": lambda a: _has(a) and a.status == "ok",
    "ok with note|warning|ok after removing .+": _noted,
    r"drop(ped)?( \w+)? with note": lambda a: _noted(a) and "dropped" in a.says,
    "degenerate": _without_width,
}
"""What each status demands of an answer."""

_INTERVAL = re.compile(r"\[(-?[\d.]+), ?(-?[\d.]+)\](?: with a warning)?(, or no interval)?")


def _main(answers: Answers) -> Answer:
    if "main" not in answers:
        raise CannotRun(f"input.form is missing: say which of {', '.join(answers)} has the value")
    return answers["main"]


def _ask(function: Callable[[], Any]) -> Answer:
    """Return the answer of a function that returns a result with an estimate."""
    try:
        result = function()
    except StatisticsInputError as refusal:
        return Answer(None, str(refusal), "error")
    estimate: Estimate = result.estimate
    reason = estimate.why_undefined
    if reason is not None:
        return Answer(None, reason, "error" if reason in _NOTHING_TO_COMPUTE else "undefined")
    # An agreement's first note says what was taken for items and raters; it is always there.
    shape = 1 if isinstance(result, Agreement) else 0
    says = "; ".join([result.estimator, *result.notes[:shape]])
    return Answer.of(estimate.value, says, result.notes[shape:])


def _agreement(given: Fields) -> Answers:
    key = "ratings_items_x_raters" if "ratings_items_x_raters" in given else "ratings"
    ratings, scale = given.rows(key), given.get("codebook_categories")
    if not ratings or not all(isinstance(row, list) and row for row in ratings):
        raise CannotRun(f"input.{key} must hold one list of ratings per item")
    codes = given.rows("missing_codes") if "missing_codes" in given else []
    missing = [each for each in codes if each is not None]
    if missing:
        ratings = [[None if each in missing else each for each in row] for row in ratings]
    answers = {
        "main": _ask(lambda: krippendorff_alpha(ratings, "nominal", scale, replicates=0)),
        "fleiss": _ask(lambda: fleiss.fleiss_kappa(ratings, scale, replicates=0)),
    }
    if all(len(row) == 2 for row in ratings):
        first, second = zip(*ratings, strict=True)
        answers["cohen"] = _ask(lambda: cohen.cohen_kappa(first, second, scale, replicates=0))
    return answers


def _icc(given: Fields) -> Answers:
    if "long_rows" in given:
        rows = [(i, j, x) for i, row in enumerate(_SHROUT_FLEISS) for j, x in enumerate(row)]
        items, raters, values = zip(*rows, (0, 0, 1), strict=True)
        return {"main": _ask(lambda: icc.icc(matrix_from_rows(items, raters, values)[0]))}
    ratings = given["ratings"]
    if isinstance(ratings, str):
        if ratings != "Shrout-Fleiss plus one row of four nulls":
            raise CannotRun(f"input.ratings cannot be read: {ratings!r}")
        ratings = [*_SHROUT_FLEISS, [None] * 4]
    answers: Answers = {form: _ask_icc(ratings, form) for form in icc.ICC_FORMS}
    if "form" not in given:
        return answers
    if given["form"] not in answers:
        raise CannotRun(f"input.form must be one of {', '.join(answers)}")
    return {"main": answers[given["form"]]}


def _ask_icc(ratings: Sequence[Sequence[Any]], form: icc.IccForm) -> Answer:
    return _ask(lambda: icc.icc(ratings, form, interval="f"))


def _correlation(given: Fields) -> Answers:
    x, y = given.rows("x"), given.rows("y")
    return {
        "main": _ask(lambda: correlation.correlation(x, y, "pearson")),
        "spearman": _ask(lambda: correlation.correlation(x, y, "spearman")),
        "kendall": _ask(lambda: correlation.correlation(x, y, "kendall")),
    }


def _holm(given: Fields) -> Answers:
    try:
        return {"main": Answer.of(list(corrected_p(given.rows("p"))), "corrected by Holm")}
    except StatisticsInputError as refusal:
        return {"main": Answer(None, str(refusal), "error")}


def _paired(given: Fields) -> Answers:
    try:
        if "table" in given:
            test = comparisons.mcnemar_of_table(given.rows("table"))
            return {"main": Answer.of(test.p, "exact p", test.notes)}
        found = comparisons.paired_t(given.rows("a"), given.rows("b"))
    except StatisticsInputError as refusal:
        return {"main": Answer(None, str(refusal), "error")}
    if found.t is None:
        return {"main": Answer(None, found.why_undefined or "", "undefined")}
    return {"main": Answer.of(found.t, "paired t", found.notes)}


def _bootstrap(given: Fields) -> Answers:
    """Ask for an interval of a mean; data with a missing number are refused."""
    try:
        values = checks.numbers("data", given.rows("data"), ndim=1, missing=False)
        draws = resample.iid(len(values), replicates=2_000, seed=_SEED)
        (estimate,) = resample.bootstrap(resample.mean_of(values), draws)
    except StatisticsInputError as refusal:
        return {"main": Answer(None, str(refusal), "error")}
    if estimate.low is None:
        status = "error" if len(values) < 2 else "undefined"
        return {"main": Answer(None, estimate.why_no_interval or "", status)}
    told = resample.caveat(estimate)
    notes = () if told is None else (told,)
    return {"main": Answer.of([estimate.low, estimate.high], estimate.method, notes)}


_FAMILIES: dict[str, Callable[[Fields], Answers]] = {
    "agreement": _agreement,
    "bootstrap": _bootstrap,
    "correlation": _correlation,
    "holm": _holm,
    "icc": _icc,
    "paired": _paired,
}


def _with_value(expected: float, answer: Answer) -> list[str]:
    got = answer.value
    if is_number(got) and _CLOSE.holds(expected, float(got)):
        return []
    return [f"expected {expected}, got {'undefined' if got is None else got}: {answer.says}"]


def _with_values(expected: Sequence[float], answer: Answer) -> list[str]:
    got = answer.value
    alike = isinstance(got, list) and len(got) == len(expected)
    if alike and all(_CLOSE.holds(*each) for each in zip(expected, got, strict=True)):
        return []
    return [f"expected {expected}, got {'undefined' if got is None else got}: {answer.says}"]


def _of_interval(written: re.Match[str], answer: Answer) -> list[str]:
    """Compare with ``[a,b]``, ``[a,b] with a warning``, each with or without ``, or no interval``.

    The warning itself is the status's to demand.
    """
    if not _has(answer) and written[3]:
        return []
    return _with_values([float(written[1]), float(written[2])], answer)


def _codebook(case: Fields, answers: Answers) -> tuple[list[str], Answers]:
    """Kappa and alpha undefined; with the codebook's categories AC1 and free-marginal are 1."""
    given = case.part("input")
    ratings, scale = given.rows("ratings"), given.rows("codebook_categories")
    others = {
        "AC1": _ask(lambda: gwet.gwet_ac(ratings, scale, replicates=0)),
        "free-marginal": _ask(lambda: gwet.free_marginal_kappa(ratings, scale, replicates=0)),
    }
    wrong = [f"{n}: {line}" for n, each in others.items() for line in _with_value(1.0, each)]
    return _of_status("undefined", answers) + wrong, answers


def _variant_or_none(_: Fields, answers: Answers) -> tuple[list[str], Answers]:
    """Refuse classic Fleiss; the variants are the value's to compare."""
    return _of_status("undefined", {"fleiss": answers["fleiss"]}), answers


def _cast(case: Fields, answers: Answers) -> tuple[list[str], Answers]:
    """Refuse labels of mixed type; after a cast to texts there is a value."""
    wrong = _of_status("error", answers)
    texts = [[str(each) for each in row] for row in case.part("input").rows("ratings")]
    after = _agreement(Fields.of({"ratings": texts}, "input"))
    return wrong + _of_status("ok", after), after


STATUSES: dict[str, Callable[[Fields, Answers], tuple[list[str], Answers]]] = {
    "undefined for kappa/alpha; AC1 = BP = 1 with codebook": _codebook,
    "refuse classic Fleiss, or compute a named variant": _variant_or_none,
    "ok only after an explicit cast": _cast,
}
"""Statuses that ask for more than one answer: faults, and the answers that the value is about."""


def _variants(case: Fields, _: Answers) -> list[str]:
    """Give each variant of Fleiss' kappa under its own name."""
    ratings = case.part("input").rows("ratings")
    variants: Sequence[fleiss.FleissVariant] = ("listwise", "gwet", "pooled")
    found = [fleiss.fleiss_kappa(ratings, variant=each, replicates=0) for each in variants]
    wrong = ["a named variant has no value"] if any(each.value is None for each in found) else []
    if len({each.estimator for each in found}) < len(found):
        wrong.append("two variants go by one name")
    if not found[0].n_items_dropped:
        wrong.append("dropped items are not counted")
    return wrong


def _as_requested(case: Fields, _: Answers) -> list[str]:
    """Give what was asked for, and name the level of measurement."""
    ratings, seen = case.part("input").rows("ratings"), case.part("observed_run")
    wrong = []
    for measurement, key in (
        ("interval", "krippendorff default"),
        ("nominal", "krippendorff nominal"),
    ):
        found = krippendorff_alpha(ratings, measurement, replicates=0)  # type: ignore[arg-type]
        wrong += _with_value(_spelled(seen, key), Answer.of(found.value, found.estimator))
        if measurement not in found.estimator:
            wrong.append(f"{measurement} is not named in the output")
    return wrong


def _spelled(fields: Fields, key: str) -> float:
    """Return a number that a case holds as text."""
    try:
        return float(fields[key])
    except (TypeError, ValueError):
        raise CannotRun(f"{fields.name}.{key} must be a number in words") from None


def _negative(_: Fields, answers: Answers) -> list[str]:
    """Give negative values as they are, with a note."""
    single = [a for name, a in answers.items() if name.endswith("1)")]
    wrong = [] if all(_has(a) and a.value < 0 for a in single) else ["not negative"]
    return wrong + [f"no note beside {a.value}" for a in single if "negative" not in a.says]


def _same_without_row(_: Fields, answers: Answers) -> list[str]:
    """Give what the data without the empty row give, and say that it was ignored."""
    without = _icc(Fields.of({"ratings": _SHROUT_FLEISS}, "input"))
    wrong = [line for n, a in answers.items() for line in _with_value(without[n].value, a)]
    return wrong + [f"{n}: silent" for n, a in answers.items() if "no ratings" not in a.says]


def _complete_pairs(case: Fields, answers: Answers) -> list[str]:
    """Give what the complete pairs give, and count the others."""
    given = case.part("input")
    rows = zip(given.rows("x"), given.rows("y"), strict=True)
    x, y = zip(*(row for row in rows if None not in row), strict=True)
    complete = _correlation(Fields.of({"x": list(x), "y": list(y)}, "input"))
    wrong = [line for n, a in answers.items() for line in _with_value(complete[n].value, a)]
    return wrong + [f"{n}: silent" for n, a in answers.items() if "dropped" not in a.says]


VALUES: dict[str, Callable[[Fields, Answers], list[str]]] = {
    "variant-labelled": _variants,
    "as requested": _as_requested,
    "negative value as computed": _negative,
    "same as without the row": _same_without_row,
    "pairwise-complete value with n reported": _complete_pairs,
}
"""Expected values in words, each with what it demands."""


def plain(answers: Answers) -> dict[str, Any]:
    """Return answers as plain values for a report.

    Examples
    --------
    >>> plain({"main": Answer.of(np.float64(0.5), "nominal")})
    {'main': {'value': 0.5, 'status': 'ok', 'says': 'nominal'}}
    """
    return {
        name: {"value": _native(answer.value), "status": answer.status, "says": answer.says}
        for name, answer in answers.items()
    }


def _native(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
