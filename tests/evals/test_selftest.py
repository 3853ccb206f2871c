"""The self-test: every handed case passes, and no wrong one does."""

from __future__ import annotations

import copy
import json
from importlib.resources import files

import pytest

from core.errors import InputError, NotFound
from evals.selftest import SHIPPED, read_cases, run_case, run_cases

CASES = {
    case["id"] + ("" if "statistic" in case else " (degenerate)"): case
    for name in SHIPPED
    for case in read_cases(files("evals").joinpath("cases") / name)
}
STATISTIC = {
    "id": "mine",
    "statistic": "cohen_kappa",
    "input": {"table": [[20, 5], [10, 15]]},
    "expected": {"kappa": 0.4},
    "tolerance": {"abs": 1e-9},
}
UNDEFINED = {
    "id": "mine",
    "family": "agreement",
    "input": {"ratings": [[1, 1], [1, 1]]},
    "good_tool": {"value": None},
}


def numbers_in(value, path=()):
    """All places of numbers in an expected value, known wrong ones left out."""
    if isinstance(value, dict):
        for key, each in value.items():
            if not key.startswith("WRONG_"):
                yield from numbers_in(each, (*path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from numbers_in(each, (*path, place))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def changed(case, path, by):
    """The case with one expected number changed."""
    other = copy.deepcopy(case)
    place = other["expected"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] += by
    return other


def test_all_handed_cases_are_shipped():
    """Fifty-seven cases and twenty-nine degenerate ones come with the package."""
    assert len(CASES) == 86
    assert len(run_cases()) == 86


@pytest.mark.parametrize("name", CASES)
def test_every_shipped_case_passes(name):
    """Each handed case gives its expected values, its published ones, and no known wrong one."""
    result = run_case(CASES[name])
    assert result.passed, result.why
    assert result.why == ()


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "expected" in case])
def test_one_wrong_expected_value_fails_its_case(name):
    """Any single expected number, changed by a thousandth, fails its case and is named."""
    case = CASES[name]
    if "repeat_all_rows" in case["input"]:
        case = {**case, "input": {**case["input"], "repeat_all_rows": [1, 2]}}
    if case["statistic"] == "paired_bootstrap_of_mean_difference":
        case = changed(case, ("point",), 0.0)
    for path in list(numbers_in(case["expected"]))[:6]:
        result = run_case(changed(case, path, 0.001))
        assert not result.passed
        assert str(path[-1]) in result.why[0]


def test_undefined_and_a_number_are_never_the_same():
    """Expecting a number where there is none fails, and the other way round."""
    no_kappa = {**STATISTIC, "input": {"table": [[5, 0], [0, 0]]}}
    assert run_case(no_kappa).why == ("kappa: expected 0.4, got undefined",)
    assert run_case({**no_kappa, "expected": {"kappa": None}}).passed
    assert not run_case({**STATISTIC, "expected": {"kappa": None}}).passed
    assert not run_case({**no_kappa, "expected": {"kappa": 0.0}}).passed


def test_a_known_wrong_value_must_not_come_out():
    """A value listed as WRONG_ fails the case even where the expected one is right."""
    result = run_case({**STATISTIC, "expected": {"kappa": 0.4, "WRONG_other_method": 0.4}})
    assert result.why == ("WRONG_other_method: 0.4 must not be returned",)


def test_published_values_count_too():
    """A published value that does not come out within its own tolerance fails the case."""
    good = {**STATISTIC, "published": {"kappa": 0.4, "abs_tol": 0.0005}}
    assert run_case(good).passed
    bad = run_case({**STATISTIC, "published": {"kappa": 0.41, "abs_tol": 0.0005}})
    assert bad.why == ("published kappa: expected 0.41, got " + str(bad.got["kappa"]),)
    ranged = run_case({**STATISTIC, "published": {"kappa_range": [0.5, 0.6]}})
    assert "published kappa: between 0.5 and 0.6" in ranged.why[0]


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ({**STATISTIC, "statistic": "lambda"}, "unknown statistic 'lambda'"),
        ({**STATISTIC, "expected": {"omega": 1}}, "omega: not computed"),
        ({**STATISTIC, "input": {}}, "KeyError"),
        ({**STATISTIC, "input": {"table": [[1, -1], [1, 1]]}}, "StatisticsInputError"),
        ({"id": "x", "verifiers": 1}, "unknown kind of case"),
        ({**UNDEFINED, "family": "regression"}, "unknown family 'regression'"),
        ({**UNDEFINED, "good_tool": {"value": "something sensible"}}, "no machine reading"),
        ({**UNDEFINED, "good_tool": {"value": 1.0}}, "expected 1.0, got undefined"),
        ({**UNDEFINED, "input": {"ratings": [[1, 1], [2, 2]]}}, "instead of none"),
    ],
)
def test_what_cannot_be_run_or_read_has_failed(case, why):
    """Nothing is skipped: an unknown statistic, kind, family or word is a failed case."""
    result = run_case(case)
    assert not result.passed
    assert why in " ".join(result.why)


def test_an_undefined_answer_needs_its_reason():
    """A degenerate case passes on undefined with a reason, in every function of its family."""
    result = run_case(UNDEFINED)
    assert result.passed
    assert set(result.got) == {"main", "fleiss", "cohen"}
    assert all(answer["says"] for answer in result.got.values())


def test_results_are_plain_json():
    """What comes out can be printed as strict JSON: no NaN, no numpy number."""
    results = run_cases()
    text = json.dumps(
        [[r.id, r.statistic, r.expected, r.got, r.why] for r in results], allow_nan=False
    )
    assert json.loads(text)[0][0] == results[0].id


@pytest.mark.parametrize("name", ["cases.json", "list.json", "cases.jsonl"])
def test_a_sceptics_own_file_of_any_shape_is_run(tmp_path, name):
    """An object with cases, a list, and a line per case are all read."""
    path = tmp_path / name
    content = {
        "cases.json": json.dumps({"cases": [STATISTIC], "degenerate": [UNDEFINED]}),
        "list.json": json.dumps([STATISTIC, UNDEFINED]),
        "cases.jsonl": json.dumps(STATISTIC) + "\n\n" + json.dumps(UNDEFINED) + "\n",
    }
    path.write_text(content[name])
    assert [result.passed for result in run_cases(path)] == [True, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not valid JSON"),
        ('{"cases": [{"id": "x", "expected": {"kappa": NaN}}]}', "NaN is not a JSON number"),
        ("{}", "holds no cases"),
        ('[{"statistic": "x"}]', "case 1 is no object with an 'id'"),
        ("[3]", "case 1 is no object"),
        ("7", "holds no cases"),
    ],
)
def test_a_file_that_holds_no_cases_is_bad_input(tmp_path, text, message):
    """What cannot be read as cases is refused in one sentence, exit code 2."""
    path = tmp_path / "cases.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as refusal:
        run_cases(path)
    assert refusal.value.exit_code == 2


def test_a_missing_or_binary_file_is_bad_input(tmp_path):
    """No file, and a file that is no text, each have their sentence."""
    with pytest.raises(NotFound, match="there is no file"):
        run_cases(tmp_path / "none.json")
    path = tmp_path / "cases.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read as text"):
        run_cases(path)
