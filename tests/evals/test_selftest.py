"""The self-test: every handed case passes, and no wrong one does."""

from __future__ import annotations

import copy
import json
import re
from importlib.resources import files

import pytest

from core.errors import InputError, NotFound
from evals.selftest import SHIPPED, read_cases, run_case, run_cases

CASES = {
    case["id"] + (" (degenerate)" if "good_tool" in case else ""): case
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
    "good_tool": {"value": None, "status": "undefined"},
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
    """Cases of statistics (57 and 29 degenerate ones) and of verifiers (111) come with us."""
    assert len(CASES) == 197
    assert len(run_cases()) == 197


@pytest.mark.parametrize("name", CASES)
def test_every_shipped_case_passes(name):
    """Each handed case gives its expected values, its published ones, and no known wrong one."""
    result = run_case(CASES[name])
    assert result.passed, result.why
    assert result.why == ()


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "statistic" in case])
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


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "verifier" in case])
def test_the_opposite_verdict_fails_its_case(name):
    """A verifier case cannot pass whatever is expected of it."""
    case = CASES[name]
    opposite: dict[type, object] = {bool: not case["expected"], str: "C", type(None): 0.0}
    other = opposite.get(type(case["expected"]), {"words": -1})
    other = case["expected"] + 0.01 if isinstance(case["expected"], float) else other
    other = case["expected"] + 1 if type(case["expected"]) is int else other
    assert not run_case({**case, "expected": other}).passed


def test_line_separators_inside_a_case_do_not_break_its_line(tmp_path):
    """Only a line feed ends a line of JSON lines; texts hold whatever models write."""
    case = {
        "id": "mine",
        "verifier": "word_count",
        "input": {"text": "a\u2028b\x85c\x1cd"},
        "expected": 4,
    }
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case, ensure_ascii=False) + "\n", "utf-8")
    assert [result.passed for result in run_cases(path)] == [True]


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
        ({**STATISTIC, "input": {}}, "input.y1 is missing"),
        ({**STATISTIC, "input": 3}, "case.input must be an object, is 3"),
        ({**STATISTIC, "expected": {}}, "expected is empty"),
        ({**STATISTIC, "expected": {"WRONG_way": 0.1}}, "expected is empty"),
        ({**STATISTIC, "expected": None}, "case.expected must be an object, is null"),
        ({**STATISTIC, "expected": {"WRONG_way": "x", "kappa": 0.4}}, "expected.WRONG_way must be"),
        ({**STATISTIC, "tolerance": {"abs": "x"}}, "tolerance.abs must be a number"),
        ({**STATISTIC, "tolerance": {"abs": -1}}, "tolerance.abs must be a number"),
        (
            {**STATISTIC, "published": {"kappa_range": 3}},
            "kappa_range must be two numbers",
        ),
        ({**STATISTIC, "statistic": ["x"]}, "unknown statistic ['x']"),
        ({**STATISTIC, "input": {"table": [[1, -1], [1, 1]]}}, "the input is refused: counts:"),
        ({"id": "x", "verifiers": 1}, "unknown kind of case"),
        ({**UNDEFINED, "family": "regression"}, "unknown family 'regression'"),
        ({**UNDEFINED, "good_tool": {"value": None}}, "good_tool.status is missing"),
        ({**UNDEFINED, "good_tool": {"status": "undefined"}}, "good_tool.value is missing"),
        ({**UNDEFINED, "good_tool": "undefined"}, "case.good_tool must be an object"),
        ({**UNDEFINED, "good_tool": {"value": "sensible", "status": "ok"}}, "no machine reading"),
        ({**UNDEFINED, "good_tool": {"value": 1.0, "status": "ok"}}, "expected 1.0, got undefined"),
        ({**UNDEFINED, "input": {"ratings": [[1, 1], [2, 2]]}}, "expected no value, got 1.0"),
    ],
)
def test_what_cannot_be_run_or_read_has_failed(case, why):
    """Nothing is skipped: an unknown statistic, kind, family or word is a failed case."""
    result = run_case(case)
    assert not result.passed
    assert why in " ".join(result.why)


def pieces(name):
    """The case in which each field of the input is missing, or of another kind, by turns."""
    case = CASES[name]
    for key in case["input"]:
        without = {k: v for k, v in case["input"].items() if k != key}
        yield key, {**case, "input": without}
        for other in (None, "x", 3, [], {}, [[]], [None], [["x", None]], [[1, 2, 3], [1]], [{}]):
            yield key, {**case, "input": {**case["input"], key: other}}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_of_a_case_is_one_sentence(name):
    """A field that is missing or of another kind is named, or refused in words; never Python's."""
    for key, case in pieces(name):
        result = run_case(case)
        text = " ".join(result.why)
        python = r"Error|NoneType|has no len|unpack|unhashable|not subscriptable|argument must be"
        assert re.search(python, text) is None, text
        if result.got is None:
            assert not result.passed
            assert len(result.why) == 1
            assert "input" in text or "unknown" in text, (key, text)


READ_AS = {
    "undefined": {"undefined", "not estimable", "not informative (always so)"},
    "error": {"error", "refuse", "error or drop with note"},
    "ok": {"ok"},
    "noted": {"ok with note", "warning", "ok after removing some"},
    "dropped": {"ok with note", "warning", "ok after removing some", "drop pair with note"}
    | {"error or drop with note"},
    "flat": {"ok with note", "warning", "ok after removing some", "degenerate"},
    "cast": set(),
}
STATUSES = set().union(*READ_AS.values())
UNREADABLE = [
    "ok value 3",
    "",
    "fine",
    "undefined-ish",
    "ok or",
    "or",
    "(ok)",
    "ok: the moon",
    None,
]
ANSWERS = {
    "all-raters-identical-single-category": "undefined",
    "single-category-but-perfect-except-codebook": "undefined",
    "one-item-only": "undefined",
    "one-item-all-agree": "undefined",
    "missing-ratings-unequal-n": "noted",
    "missing-code-as-category": "noted",
    "icc-all-constant": "undefined",
    "icc-rater-offset-only": "undefined",
    "icc-negative": "noted",
    "duplicate-item-rater-rows": "error",
    "item-with-no-ratings": "noted",
    "transposed-matrix": "ok",
    "default-metric-is-interval": "ok",
    "corr-constant-x": "undefined",
    "corr-two-points": "undefined",
    "corr-one-point": "error",
    "corr-nan-inside": "dropped",
    "holm-empty": "ok",
    "holm-out-of-range": "error",
    "mcnemar-no-discordant-pairs": "noted",
    "paired-t-identical": "undefined",
    "paired-t-constant-difference-float": "undefined",
    "paired-t-n1": "error",
    "no-item-with-two-ratings": "error",
    "mixed-label-types": "cast",
    "bootstrap-constant-data": "flat",
    "bootstrap-one-observation-or-cluster": "error",
    "bootstrap-two-observations": "noted",
    "bootstrap-nan": "error",
}
DEGENERATE = {case["id"]: case for case in CASES.values() if "good_tool" in case}


def with_good(case, **good):
    """The case with another expected value or status."""
    return {**case, "good_tool": {**case["good_tool"], **good}}


def test_every_degenerate_case_has_its_one_status():
    """The list above knows all degenerate cases."""
    assert set(ANSWERS) == set(DEGENERATE)


@pytest.mark.parametrize("name", DEGENERATE)
def test_another_status_fails_its_degenerate_case(name):
    """A case passes with the words for what its functions answer, and with no others."""
    for status in STATUSES:
        result = run_case(with_good(DEGENERATE[name], status=status))
        assert result.passed == (status in READ_AS[ANSWERS[name]]), (status, result.why)
    for status in UNREADABLE:
        result = run_case(with_good(DEGENERATE[name], status=status))
        assert not result.passed
        assert "status" in result.why[0]


@pytest.mark.parametrize("name", DEGENERATE)
def test_another_value_fails_its_degenerate_case(name):
    """A case fails when it claims a value that its functions do not give, or none where they do."""
    case = DEGENERATE[name]
    others = [None, 3, -0.25, 0, [], [0.5], [1.0, 3.0], "[7,8]", "any", True, {}, [None], "3"]
    for value in others:
        if value != case["good_tool"]["value"] or isinstance(value, bool):
            assert not run_case(with_good(case, value=value)).passed, value


def test_a_status_names_its_reason():
    """What a status gives as the reason must be what the function says."""
    case = DEGENERATE["paired-t-identical"]
    assert run_case(with_good(case, status="undefined: difference is 0")).passed
    assert not run_case(with_good(case, status="undefined: difference is 1 everywhere")).passed
    assert not run_case(with_good(case, status="undefined: one pair")).passed


def test_a_number_for_an_icc_names_its_form():
    """Six forms have six values: a case that expects a number says which."""
    ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    good = {"value": 0.6200505475989893, "status": "ok"}
    case = {"id": "mine", "family": "icc", "input": {"ratings": ratings}, "good_tool": good}
    assert "input.form is missing" in run_case(case).why[0]
    assert run_case({**case, "input": {"ratings": ratings, "form": "ICC(2,k)"}}).passed
    assert not run_case({**case, "input": {"ratings": ratings, "form": "ICC(3,k)"}}).passed
    other = run_case({**case, "input": {"ratings": ratings, "form": "ICC(4,k)"}})
    assert "input.form must be one of" in other.why[0]


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
        ('[{"id": "x", "expected": {"kappa": 1e999}}]', "1e999 is too large a number"),
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
