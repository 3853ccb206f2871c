"""What the functions of a family answer to the input of a degenerate case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.estimate import Estimate
from evals.cases.fields import CannotRun, Fields
from stats import checks, cohen, comparisons, correlation, fleiss, icc, resample
from stats.agreement import NO_PAIR, Agreement
from stats.errors import StatisticsInputError
from stats.krippendorff_alpha import krippendorff_alpha
from stats.multiplicity import corrected_p
from stats.ratings import matrix_from_rows

Case = Mapping[str, Any]

_SEED = 20_260_710
_NOTHING_TO_COMPUTE = (NO_PAIR, cohen.NO_SHARED_ITEM)
SHROUT_FLEISS = [
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

    @property
    def has_value(self) -> bool:
        """Whether it is a value, and not why there is none."""
        return self.value is not None

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


def ask(function: Callable[[], Any]) -> Answer:
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


def of_agreement(given: Fields) -> Answers:
    """Ask for alpha and Fleiss' kappa, and for Cohen's where there are two raters."""
    key = "ratings_items_x_raters" if "ratings_items_x_raters" in given else "ratings"
    ratings, scale = given.rows(key), given.get("codebook_categories")
    if not ratings or not all(isinstance(row, list) and row for row in ratings):
        raise CannotRun(f"input.{key} must hold one list of ratings per item")
    codes = given.rows("missing_codes") if "missing_codes" in given else []
    missing = [each for each in codes if each is not None]
    if missing:
        ratings = [[None if each in missing else each for each in row] for row in ratings]
    answers = {
        "main": ask(lambda: krippendorff_alpha(ratings, "nominal", scale, replicates=0)),
        "fleiss": ask(lambda: fleiss.fleiss_kappa(ratings, scale, replicates=0)),
    }
    if all(len(row) == 2 for row in ratings):
        first, second = zip(*ratings, strict=True)
        answers["cohen"] = ask(lambda: cohen.cohen_kappa(first, second, scale, replicates=0))
    return answers


def of_icc(given: Fields) -> Answers:
    """Ask for every form of the ICC, or for the one that the case names."""
    if "long_rows" in given:
        rows = [(i, j, x) for i, row in enumerate(SHROUT_FLEISS) for j, x in enumerate(row)]
        items, raters, values = zip(*rows, (0, 0, 1), strict=True)
        return {"main": ask(lambda: icc.icc(matrix_from_rows(items, raters, values)[0]))}
    ratings = given["ratings"]
    if isinstance(ratings, str):
        if ratings != "Shrout-Fleiss plus one row of four nulls":
            raise CannotRun(f"input.ratings cannot be read: {ratings!r}")
        ratings = [*SHROUT_FLEISS, [None] * 4]
    answers: Answers = {form: _ask_icc(ratings, form) for form in icc.ICC_FORMS}
    if "form" not in given:
        return answers
    if given["form"] not in answers:
        raise CannotRun(f"input.form must be one of {', '.join(answers)}")
    return {"main": answers[given["form"]]}


def _ask_icc(ratings: Sequence[Sequence[Any]], form: icc.IccForm) -> Answer:
    return ask(lambda: icc.icc(ratings, form, interval="f"))


def of_correlation(given: Fields) -> Answers:
    """Ask for Pearson's, Spearman's and Kendall's."""
    x, y = given.rows("x"), given.rows("y")
    return {
        "main": ask(lambda: correlation.correlation(x, y, "pearson")),
        "spearman": ask(lambda: correlation.correlation(x, y, "spearman")),
        "kendall": ask(lambda: correlation.correlation(x, y, "kendall")),
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
    "agreement": of_agreement,
    "bootstrap": _bootstrap,
    "correlation": of_correlation,
    "holm": _holm,
    "icc": of_icc,
    "paired": _paired,
}
