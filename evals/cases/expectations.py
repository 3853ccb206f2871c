"""Expectations that no single word or number says: each reads the answers in a way of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evals.cases.answers import (
    SHROUT_FLEISS,
    Answer,
    Answers,
    ask,
    of_agreement,
    of_correlation,
    of_icc,
)
from evals.cases.compare import Tolerance
from evals.cases.fields import CannotRun, Fields, is_number
from evals.cases.statuses import of_status
from stats import fleiss, gwet
from stats.krippendorff_alpha import krippendorff_alpha

_CLOSE = Tolerance(1e-9, 1e-9)


def with_value(expected: float, answer: Answer) -> list[str]:
    """Fault an answer whose value is not the number."""
    got = answer.value
    if is_number(got) and _CLOSE.holds(expected, float(got)):
        return []
    return [f"expected {expected}, got {'undefined' if got is None else got}: {answer.says}"]


def with_values(expected: Sequence[float], answer: Answer) -> list[str]:
    """Fault an answer whose value is not the list of numbers."""
    got = answer.value
    alike = isinstance(got, list) and len(got) == len(expected)
    if alike and all(_CLOSE.holds(*each) for each in zip(expected, got, strict=True)):
        return []
    return [f"expected {expected}, got {'undefined' if got is None else got}: {answer.says}"]


def _codebook(case: Fields, answers: Answers) -> tuple[list[str], Answers]:
    """Kappa and alpha undefined; with the codebook's categories AC1 and free-marginal are 1."""
    given = case.part("input")
    ratings, scale = given.rows("ratings"), given.rows("codebook_categories")
    others = {
        "AC1": ask(lambda: gwet.gwet_ac(ratings, scale, replicates=0)),
        "free-marginal": ask(lambda: gwet.free_marginal_kappa(ratings, scale, replicates=0)),
    }
    wrong = [f"{n}: {line}" for n, each in others.items() for line in with_value(1.0, each)]
    return of_status("undefined", answers) + wrong, answers


def _variant_or_none(_: Fields, answers: Answers) -> tuple[list[str], Answers]:
    """Refuse classic Fleiss; the variants are the value's to compare."""
    return of_status("undefined", {"fleiss": answers["fleiss"]}), answers


def _cast(case: Fields, answers: Answers) -> tuple[list[str], Answers]:
    """Refuse labels of mixed type; after a cast to texts there is a value."""
    wrong = of_status("error", answers)
    texts = [[str(each) for each in row] for row in case.part("input").rows("ratings")]
    after = of_agreement(Fields.of({"ratings": texts}, "input"))
    return wrong + of_status("ok", after), after


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
        wrong += with_value(_spelled(seen, key), Answer.of(found.value, found.estimator))
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
    wrong = [] if all(a.has_value and a.value < 0 for a in single) else ["not negative"]
    return wrong + [f"no note beside {a.value}" for a in single if "negative" not in a.says]


def _same_without_row(_: Fields, answers: Answers) -> list[str]:
    """Give what the data without the empty row give, and say that it was ignored."""
    without = of_icc(Fields.of({"ratings": SHROUT_FLEISS}, "input"))
    wrong = [line for n, a in answers.items() for line in with_value(without[n].value, a)]
    return wrong + [f"{n}: silent" for n, a in answers.items() if "no ratings" not in a.says]


def _complete_pairs(case: Fields, answers: Answers) -> list[str]:
    """Give what the complete pairs give, and count the others."""
    given = case.part("input")
    rows = zip(given.rows("x"), given.rows("y"), strict=True)
    x, y = zip(*(row for row in rows if None not in row), strict=True)
    complete = of_correlation(Fields.of({"x": list(x), "y": list(y)}, "input"))
    wrong = [line for n, a in answers.items() for line in with_value(complete[n].value, a)]
    return wrong + [f"{n}: silent" for n, a in answers.items() if "dropped" not in a.says]


VALUES: dict[str, Callable[[Fields, Answers], list[str]]] = {
    "variant-labelled": _variants,
    "as requested": _as_requested,
    "negative value as computed": _negative,
    "same as without the row": _same_without_row,
    "pairwise-complete value with n reported": _complete_pairs,
}
"""Expected values in words, each with what it demands."""
