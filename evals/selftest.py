"""Reference cases through the shipped functions, on the user's own machine.

Each case states its input and what must come out; nothing is skipped. A case whose statistic is
unknown, whose expected words cannot be read, or that cannot be run at all, has failed. The handed
cases ship with the package; a file of the same schema can be brought along.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from core.errors import InputError, NotFound
from evals.cases import degenerate, statistics, verifying
from evals.cases.answers import answers_of, plain
from evals.cases.compare import Tolerance, differences, known_wrong, outside_published
from evals.cases.fields import CannotRun, Fields

Case = Mapping[str, Any]

SHIPPED = ("statistics.json", "verifiers.jsonl")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One reference case and how it went.

    Attributes
    ----------
    id, statistic
        What the file calls the case, and what was computed.
    expected, got
        Plain values; undefined is ``None``.
    passed
        Whether every expected value came out, and no known wrong one.
    why
        What was not as expected; empty when it passed.
    """

    id: str
    statistic: str
    expected: Any
    got: Any
    passed: bool
    why: tuple[str, ...] = ()


def run_cases(path: Path | None = None) -> tuple[CaseResult, ...]:
    """Run all cases of a file, or the shipped ones.

    Parameters
    ----------
    path
        A ``.json`` file with ``cases`` and ``degenerate`` (or a list of cases), or a ``.jsonl``
        file with a case per line.

    Raises
    ------
    InputError
        The file cannot be read as cases.

    Examples
    --------
    >>> results = run_cases()
    >>> len(results), all(result.passed for result in results)
    (197, True)
    """
    if path is not None:
        return tuple(run_case(case) for case in read_cases(path))
    folder = files("evals").joinpath("cases")
    return tuple(run_case(case) for name in SHIPPED for case in read_cases(folder / name))


def read_cases(path: Path | Traversable) -> tuple[Case, ...]:
    """Read the cases of a file; refuse what is not JSON or holds no case."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as text: {error}") from None
    try:
        cases = tuple(_cases_of(text, lines=path.name.endswith(".jsonl")))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not valid JSON: {error}") from None
    if not cases:
        raise InputError(f"{path} holds no cases; they stand under 'cases' and 'degenerate'")
    for place, case in enumerate(cases, start=1):
        if not isinstance(case, Mapping) or "id" not in case:
            raise InputError(f"{path}: case {place} is no object with an 'id'")
    return cases


def run_case(case: Case) -> CaseResult:
    """Run one case, whatever its kind."""
    for key, runner in KINDS.items():
        if key in case:
            try:
                return runner(Fields.of(case, "case"))
            except CannotRun as error:
                return _broken(case, key, str(error))
            except InputError as error:
                return _broken(case, key, f"the input is refused: {error}")
            except Exception:  # noqa: BLE001  a case that breaks a function has failed
                return _broken(case, key, _misfit(case))
    names = ", ".join(KINDS)
    return _broken(case, "", f"unknown kind of case: it has none of {names}")


def _cases_of(text: str, *, lines: bool) -> Iterator[Any]:
    if lines:
        for line in text.split("\n"):  # not splitlines: U+2028 may stand inside a JSON string
            if line.strip():
                yield _strict(line)
        return
    content = _strict(text)
    if isinstance(content, list):
        yield from content
    elif isinstance(content, dict):
        yield from content.get("cases", ())
        yield from content.get("degenerate", ())


def _strict(text: str) -> Any:
    """Read JSON; NaN and Infinity are no JSON."""

    def refuse(token: str) -> Any:
        raise ValueError(f"{token} is not a JSON number; write null for undefined")

    def number(token: str) -> float:
        if math.isinf(value := float(token)):
            raise ValueError(f"{token} is too large a number")
        return value

    return json.loads(text, parse_constant=refuse, parse_float=number)


def _run_statistic(case: Fields) -> CaseResult:
    expected, tolerance = case.part("expected"), Tolerance.of(case.get("tolerance"))
    published = case.part("published") if "published" in case else {}
    given = case.part("input")
    got = statistics.run(case["statistic"], given, [*expected, *published])
    why = differences(expected, got, tolerance)
    why += known_wrong(expected, got, tolerance)
    why += outside_published(published, got)
    return CaseResult(case["id"], case["statistic"], dict(expected), got, not why, tuple(why))


def _run_degenerate(case: Fields) -> CaseResult:
    answers = answers_of(case)
    why = degenerate.faults(case, answers)
    name = f"{case['family']} (degenerate)"
    got = plain(answers)
    return CaseResult(case["id"], name, case["good_tool"], got, not why, tuple(why))


def _run_verifier(case: Fields) -> CaseResult:
    # Shares and scores are handed with four decimals; what is counted is compared as it is.
    got = verifying.run(case["verifier"], case.part("input"))
    why = differences(case["expected"], got, Tolerance(absolute=1e-4))
    return CaseResult(case["id"], case["verifier"], case["expected"], got, not why, tuple(why))


def _misfit(case: Case) -> str:
    """Say which fields a function could not use."""
    given = case.get("input")
    names = ", ".join(f"input.{key}" for key in given) if isinstance(given, Mapping) else "input"
    return f"{names}: not of the type and shape that the statistic takes"


def _broken(case: Case, kind: str, why: str) -> CaseResult:
    """Return the failed result of a case that could not be run."""
    name = str(case.get(kind, "")) if kind != "good_tool" else str(case.get("family", ""))
    expected = case.get("expected", case.get("good_tool"))
    return CaseResult(str(case.get("id", "")), name, expected, None, passed=False, why=(why,))


KINDS: dict[str, Callable[[Fields], CaseResult]] = {
    "statistic": _run_statistic,
    "good_tool": _run_degenerate,
    "verifier": _run_verifier,
}
"""Which runner takes a case, by the key that tells its kind."""
