"""docs/statistics.md says what the code does: every name, test, case and reason in it exists."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import pkgutil
import re
from functools import cache
from pathlib import Path

import pytest

import stats

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
PUBLISHED = re.compile(r"published\s`([^`]+)`")
MODULES = sorted(found.name for found in pkgutil.iter_modules(stats.__path__))

# Public functions that compute no statistic, and why.
HELPERS = {
    "agreement.describe": "fills in a result's counts and notes",
    "agreement.one_category": "a reason in words",
    "agreement.unrated_note": "a note in words",
    "draws.is_whole": "asks whether an argument is a whole number",
    "questions.all_of_categories": "applies kappa, alpha and AC1 to one question of a form",
    "questions.all_of_scale": "applies ICC and alpha to one question of a form",
    "questions.answer_matrix": "arranges the answers to one question",
    "questions.kappa": "applies the Fleiss variant that fits to one question of a form",
    "questions.pooled_icc": "applies icc_in_lists to one question of a form",
    "questions.whole_scale": "lists the answers that a question offers",
    "checks.finite": "checks an argument",
    "checks.flags": "checks an argument",
    "checks.float_of": "checks an argument",
    "checks.number": "checks an argument",
    "checks.numbers": "checks an argument",
    "checks.same_shape": "checks arguments",
    "checks.shares": "checks an argument",
    "checks.size": "checks an argument",
    "checks.whole": "checks an argument",
    "intervals.check_level": "checks an argument",
    "intervals.constant": "tells values that are equal but for rounding",
    "means.nan_mean": "a mean that leaves out what is missing",
    "pairs.complete_pairs": "drops incomplete pairs and counts them",
    "pairs.is_constant": "tells values that are equal but for rounding",
    "ratings.code_ratings": "reads labels",
    "ratings.column_of": "checks an argument",
    "item_sums.checked_clusters": "checks an argument",
    "item_sums.chosen": "picks the clusters of the items that are kept",
    "item_sums.sums_of": "sums what items contribute over clusters",
    "ratings.column_order": "an order for reproducible sums",
    "ratings.count_table": "checks a table of counts",
    "ratings.counted": "a number with its noun",
    "ratings.in_own_order": "an order for reproducible sums",
    "ratings.is_missing": "tells a missing value",
    "ratings.matrix_from_rows": "joins long rows into a matrix",
    "ratings.numeric_ratings": "reads numbers",
}


def public_functions():
    """Every public function of the package that has a docstring, as module.name."""
    for name in MODULES:
        module = importlib.import_module(f"stats.{name}")
        for key, found in vars(module).items():
            own = inspect.isfunction(found) and found.__module__ == module.__name__
            if own and not key.startswith("_") and found.__doc__:
                yield f"{name}.{key}"


@cache
def names_by_file():
    """The names of all test functions, by the stem of their file."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        names = {node.name for node in ast.walk(tree) if isinstance(node, functions)}
        found.setdefault(path.stem, set()).update(names)
    return found


@cache
def sentences():
    """Every text constant in the sources of the statistics."""
    trees = (ast.parse(path.read_text("utf-8")) for path in (ROOT / "stats").glob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def section(title):
    """The text under a heading of the second level."""
    return TEXT.partition(f"\n## {title}")[2].partition("\n## ")[0]


@pytest.mark.parametrize("function", sorted(public_functions()))
def test_every_statistic_is_named(function):
    """Each public function is in a table of the document, or is an input helper with a reason."""
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    named = any(f"`{function.partition('.')[2]}`" in row.split(" | ")[0] for row in rows)
    assert named != (function in HELPERS)


def test_helpers_exist():
    """No helper is excused that is not there any more."""
    assert set(HELPERS) <= set(public_functions())


@pytest.mark.parametrize("cited", sorted(set(re.findall(r"`(test_\w+::\w+)`", TEXT))))
def test_every_cited_test_exists(cited):
    """A test that the document names is a function in a file of that name."""
    file, _, function = cited.partition("::")
    assert function in names_by_file().get(file, ())


@pytest.mark.parametrize("cited", sorted(set(re.findall(r"case `([^`]+)`", TEXT))))
def test_every_cited_case_ships(cited):
    """A reference case that the document names is in the shipped file."""
    cases = json.loads((ROOT / "evals" / "cases" / "statistics.json").read_text(encoding="utf-8"))
    assert cited in {case["id"] for case in (*cases["cases"], *cases["degenerate"])}


def test_every_cited_published_number_went_through_the_function_of_its_row():
    """A published number in a row is recomputed, through a function that the row names."""
    from tests.papers.checks import all_checks  # noqa: PLC0415  dear, and needed here only

    lines = [(f"{check.paper} {check.number}", check.through) for check in all_checks()]
    rows = [line.split(" | ") for line in TEXT.splitlines() if line.startswith("| `")]
    cited = [(row[0], each) for row in rows for each in PUBLISHED.findall(row[-1])]
    assert len(cited) > 25
    for names, each in cited:
        through = {f"`{f.__name__}`" for line, f in lines if line.startswith(each) and f}
        assert any(function in names for function in through), each
    for each in PUBLISHED.findall(TEXT):
        assert any(line.startswith(each) for line, _ in lines), each


def test_every_row_has_a_check():
    """No statistic stands in a table without something that confirms it."""
    rows = [line.strip("| ").split(" | ") for line in TEXT.splitlines() if line.startswith("| `")]
    assert len(rows) > 50
    assert all(len(row) == 5 for row in rows)
    assert all(re.search(r"::|case `|published `", row[4]) for row in rows)


def test_every_row_says_where_its_functions_are():
    """The module in a row, one for all or one each, defines the functions that the row names."""
    rows = [line.strip("| ").split(" | ") for line in TEXT.splitlines() if line.startswith("| `")]
    for row in rows:
        names, modules = (re.findall(r"`([\w.]+)`", cell) for cell in row[:2])
        modules = modules * len(names) if len(modules) == 1 else modules
        for name, module in zip(names, modules, strict=True):
            found = getattr(importlib.import_module(module), name)
            assert found.__module__ == module, f"{name} is in {found.__module__}"
            assert f"{module.removeprefix('stats.')}.{name}" in set(public_functions())


def test_every_status_of_a_degenerate_case_is_explained():
    """The words that a case's status is read by stand in the document, and nothing else does."""
    from evals.cases.statuses import demand_of as read  # noqa: PLC0415  needed here only

    lines = section("Undefined").partition("`wavelock selftest` compares")[2].splitlines()
    words = [
        each.replace("...", "pairs")
        for line in lines
        if line.startswith("- ")
        for each in re.findall(r"`([^`]+)`", line.partition(":")[0])
    ]
    assert len(words) > 8
    assert all(read(each) for each in words)


def test_known_exceptions_are_printed_one_by_one_with_both_numbers_and_the_reason():
    """The closing list of published numbers: paper, number, printed, ours, reason on one line."""
    from tests.papers.checks import all_checks  # noqa: PLC0415  dear, and needed here only
    from tests.papers.table import report  # noqa: PLC0415

    checks = all_checks()
    known = [check for check in checks if check.known]
    lines = report(checks).splitlines()
    at = lines.index("Known exceptions:")
    listed = lines[at + 1 : at + 1 + len(known)]
    assert lines[at + 1 + len(known)] == ""
    for check, line in zip(known, listed, strict=True):
        printed = rf"printed {re.escape(f'{check.published:g}')}, ours \S+: "
        start = re.escape(f"{check.paper}, {check.number}: ")
        assert re.fullmatch(start + printed + re.escape(check.known), line), line


def test_every_quoted_reason_is_one_that_readers_see():
    """What the document puts in quotation marks under "Undefined" stands in the sources."""
    quoted = re.findall(r'"([^"]+)"', section("Undefined"))
    assert len(quoted) > 40
    for reason in quoted:
        words = " ".join(reason.split())
        assert any(words in sentence for sentence in sentences()), words


@pytest.mark.parametrize("module", MODULES)
def test_every_docstring_example_comes_out(module):
    """The worked examples in the docstrings are what the functions return."""
    found = doctest.testmod(importlib.import_module(f"stats.{module}"))
    assert found.failed == 0


def test_the_floors_of_p_are_computed_ones():
    """The table of least p is 2 / (B + 1), times the number of tests under Holm."""
    rows = re.findall(r"^\| ([\d,]+) \| (\.\d+) \| (\.\d+) \| (\.\d+) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 2
    for replicates, *printed in rows:
        least = 2 / (int(replicates.replace(",", "")) + 1)
        for text, tests in zip(printed, (1, 5, 12), strict=True):
            assert float(text) == pytest.approx(least * tests, abs=0.6 * 10.0 ** (1 - len(text)))
