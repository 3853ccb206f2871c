"""Degenerate inputs: a good tool answers with a value, "undefined" and the reason, or a refusal.

A case says what it expects as a number, as a list, as ``null`` (there must be no value, and a
sentence that says why), or in words. Words are read by :data:`READINGS`; words that have no
reading fail the case, so that nothing is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.estimate import Estimate
from evals.cases.compare import Tolerance
from evals.cases.statistics import CannotRun
from stats import cohen, comparisons, correlation, fleiss, gwet, icc, resample
from stats.errors import StatisticsInputError
from stats.krippendorff_alpha import krippendorff_alpha
from stats.multiplicity import corrected_p
from stats.pairs import complete_values
from stats.ratings import matrix_from_rows

Input = Mapping[str, Any]
Case = Mapping[str, Any]

_CLOSE = Tolerance(1e-9, 1e-9)
_SEED = 20_260_710
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
    refused
        The input was refused; otherwise a missing value is an answer.
    """

    value: Any
    says: str
    refused: bool = False


Answers = dict[str, Answer]


def answers_of(case: Case) -> Answers:
    """Return what the functions of a case's family answer to its input."""
    family = case.get("family")
    if family not in _FAMILIES:
        raise CannotRun(f"unknown family {family!r}; known are {', '.join(sorted(_FAMILIES))}")
    return _FAMILIES[family](case["input"])


def faults(case: Case, answers: Answers) -> list[str]:
    """Return a sentence for each answer that a good tool would not give."""
    good = case["good_tool"]
    value, status = good.get("value"), str(good.get("status", ""))
    for words, reading in READINGS.items():
        if words in (value, status):
            return reading(case, answers)
    if value is None:
        return _without_value(answers)
    if isinstance(value, list):
        return [] if answers["main"].value == value else [f"expected {value}"]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _with_value(float(value), answers["main"])
    return [f"no machine reading for the expected answer {value!r}"]


def _ask(function: Callable[[], Any]) -> Answer:
    """Return the answer of a function that returns a result with an estimate."""
    try:
        result = function()
    except StatisticsInputError as refusal:
        return Answer(None, str(refusal), refused=True)
    estimate: Estimate = result.estimate
    beside = "; ".join([getattr(result, "estimator", ""), *getattr(result, "notes", ())])
    return Answer(estimate.value, estimate.why_undefined or beside)


def _agreement(given: Input) -> Answers:
    ratings = given.get("ratings", given.get("ratings_items_x_raters"))
    scale = given.get("codebook_categories")
    missing = [each for each in given.get("missing_codes", ()) if each is not None]
    if missing:
        ratings = [[None if each in missing else each for each in row] for row in ratings]
    answers = {
        "main": _ask(lambda: krippendorff_alpha(ratings, "nominal", scale, replicates=0)),
        "fleiss": _ask(lambda: fleiss.fleiss_kappa(ratings, scale, replicates=0)),
    }
    if len(ratings[0]) == 2:
        first, second = zip(*ratings, strict=True)
        answers["cohen"] = _ask(lambda: cohen.cohen_kappa(first, second, scale, replicates=0))
    return answers


def _icc(given: Input) -> Answers:
    if "long_rows" in given:
        rows = [(i, j, x) for i, row in enumerate(_SHROUT_FLEISS) for j, x in enumerate(row)]
        items, raters, values = zip(*rows, (0, 0, 1), strict=True)
        return {"main": _ask(lambda: icc.icc(matrix_from_rows(items, raters, values)[0]))}
    ratings = given["ratings"]
    if isinstance(ratings, str):
        if ratings != "Shrout-Fleiss plus one row of four nulls":
            raise CannotRun(f"ratings: cannot read {ratings!r}")
        ratings = [*_SHROUT_FLEISS, [None] * 4]
    return {form: _ask_icc(ratings, form) for form in icc.ICC_FORMS}


def _ask_icc(ratings: Sequence[Sequence[Any]], form: icc.IccForm) -> Answer:
    return _ask(lambda: icc.icc(ratings, form, interval="f"))


def _correlation(given: Input) -> Answers:
    x, y = given["x"], given["y"]
    return {
        "main": _ask(lambda: correlation.correlation(x, y, "pearson")),
        "spearman": _ask(lambda: correlation.correlation(x, y, "spearman")),
        "kendall": _ask(lambda: correlation.correlation(x, y, "kendall")),
    }


def _holm(given: Input) -> Answers:
    try:
        return {"main": Answer(list(corrected_p(given["p"])), "corrected by Holm")}
    except StatisticsInputError as refusal:
        return {"main": Answer(None, str(refusal), refused=True)}


def _paired(given: Input) -> Answers:
    if "table" in given:
        test = comparisons.mcnemar_of_table(given["table"])
        return {"main": Answer(test.p, "; ".join(test.notes))}
    try:
        found = comparisons.paired_t(given["a"], given["b"])
    except StatisticsInputError as refusal:
        return {"main": Answer(None, str(refusal), refused=True)}
    return {"main": Answer(found.t, found.why_undefined or "")}


def _bootstrap(given: Input) -> Answers:
    values, notes = complete_values(given["data"])
    draws = resample.iid(len(values), replicates=2_000, seed=_SEED)
    (estimate,) = resample.bootstrap(resample.mean_of(values), draws)
    beside = [*notes, resample.caveat(estimate), estimate.why_no_interval]
    ends = None if estimate.low is None else [estimate.low, estimate.high]
    return {"main": Answer(ends, "; ".join(each for each in beside if each))}


_FAMILIES: dict[str, Callable[[Input], Answers]] = {
    "agreement": _agreement,
    "bootstrap": _bootstrap,
    "correlation": _correlation,
    "holm": _holm,
    "icc": _icc,
    "paired": _paired,
}


def _without_value(answers: Answers) -> list[str]:
    """Fault every answer that has a value, or none and no reason."""
    found = [
        f"{name}: {a.value} instead of none" for name, a in answers.items() if a.value is not None
    ]
    return found + [f"{name}: no reason given" for name, a in answers.items() if not a.says]


def _with_value(expected: float, answer: Answer) -> list[str]:
    got = answer.value
    if got is not None and _CLOSE.holds(expected, float(got)):
        return []
    return [f"expected {expected}, got {'undefined' if got is None else got}: {answer.says}"]


def _codebook(case: Case, answers: Answers) -> list[str]:
    """Kappa and alpha undefined; with the codebook's categories AC1 and free-marginal are 1."""
    ratings, scale = case["input"]["ratings"], case["input"]["codebook_categories"]
    others = {
        "AC1": _ask(lambda: gwet.gwet_ac(ratings, scale, replicates=0)),
        "free-marginal": _ask(lambda: gwet.free_marginal_kappa(ratings, scale, replicates=0)),
    }
    wrong = [f"{n}: {line}" for n, each in others.items() for line in _with_value(1.0, each)]
    return _without_value(answers) + wrong


def _variants(case: Case, answers: Answers) -> list[str]:
    """Refuse classic Fleiss; give each variant under its own name."""
    ratings = case["input"]["ratings"]
    variants: Sequence[fleiss.FleissVariant] = ("listwise", "gwet", "pooled")
    found = [fleiss.fleiss_kappa(ratings, variant=each, replicates=0) for each in variants]
    wrong = [] if answers["fleiss"].value is None else ["classic Fleiss has a value for unequal n"]
    if any(each.value is None for each in found):
        wrong.append("a named variant has no value")
    if len({each.estimator for each in found}) < len(found):
        wrong.append("two variants go by one name")
    if not found[0].n_items_dropped:
        wrong.append("dropped items are not counted")
    return wrong


def _cast(case: Case, answers: Answers) -> list[str]:
    """Refuse labels of mixed type; after a cast there is a value."""
    wrong = [] if answers["main"].refused else ["labels of mixed type were not refused"]
    texts = [[str(each) for each in row] for row in case["input"]["ratings"]]
    return wrong + _with_value(
        float(case["good_tool"]["value"]), _agreement({"ratings": texts})["main"]
    )


def _as_requested(case: Case, _: Answers) -> list[str]:
    """Give what was asked for, and name the level of measurement."""
    ratings, seen = case["input"]["ratings"], case["observed_run"]
    wrong = []
    for measurement, key in (
        ("interval", "krippendorff default"),
        ("nominal", "krippendorff nominal"),
    ):
        found = krippendorff_alpha(ratings, measurement, replicates=0)  # type: ignore[arg-type]
        wrong += _with_value(float(seen[key]), Answer(found.value, ""))
        if measurement not in found.estimator:
            wrong.append(f"{measurement} is not named in the output")
    return wrong


def _negative(_: Case, answers: Answers) -> list[str]:
    """Give negative values as they are, with a note."""
    single = [a for name, a in answers.items() if name.endswith("1)")]
    wrong = [] if all(a.value is not None and a.value < 0 for a in single) else ["not negative"]
    return wrong + [f"no note beside {a.value}" for a in single if "negative" not in a.says]


def _same_without_row(_: Case, answers: Answers) -> list[str]:
    """Give what the data without the empty row give, and say that it was ignored."""
    without = _icc({"ratings": _SHROUT_FLEISS})
    wrong = [line for n, a in answers.items() for line in _with_value(without[n].value, a)]
    return wrong + [f"{n}: silent" for n, a in answers.items() if "no ratings" not in a.says]


def _complete_pairs(_: Case, answers: Answers) -> list[str]:
    """Drop the incomplete pair and say so."""
    wrong = [f"{n}: no value" for n, a in answers.items() if a.value is None]
    return wrong + [f"{n}: silent" for n, a in answers.items() if "dropped" not in a.says]


def _dropped_with_note(_: Case, answers: Answers) -> list[str]:
    """Refuse, or drop with a note."""
    silent = not answers["main"].refused and "dropped" not in answers["main"].says
    return ["the missing value was dropped silently"] if silent else []


def _interval_with_warning(case: Case, answers: Answers) -> list[str]:
    """Give the stated interval with a warning, or none with the reason."""
    written = re.match(r"\[([^,\]]+),([^\]]+)\]", str(case["good_tool"]["value"]))
    ends = None if written is None else [float(written[1]), float(written[2])]
    answer = answers["main"]
    wrong = [] if answer.value in (None, ends) else [f"interval {answer.value}"]
    return wrong if answer.says else [*wrong, "no warning"]


READINGS: dict[str, Callable[[Case, Answers], list[str]]] = {
    "undefined for kappa/alpha; AC1 = BP = 1 with codebook": _codebook,
    "variant-labelled": _variants,
    "ok only after an explicit cast": _cast,
    "as requested": _as_requested,
    "negative value as computed": _negative,
    "same as without the row": _same_without_row,
    "pairwise-complete value with n reported": _complete_pairs,
    "error or drop with note": _dropped_with_note,
    "[5,5] with a warning, or no interval": _interval_with_warning,
    "[5,6]": _interval_with_warning,
}


def plain(answers: Answers) -> dict[str, Any]:
    """Return answers as plain values for a report.

    Examples
    --------
    >>> plain({"main": Answer(np.float64(0.5), "nominal")})
    {'main': {'value': 0.5, 'says': 'nominal'}}
    """
    return {
        name: {"value": _native(answer.value), "says": answer.says}
        for name, answer in answers.items()
    }


def _native(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
