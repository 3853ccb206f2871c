"""A rule as a file that people write: what is wrong is said with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError, NotFound
from core.rules import MEANINGS, InclusionRule, parse_rule, rule_to_json
from suites.core100.suite import SUITE
from suites.rules import load, require_fit

TEXT = """\
# ours
name = "ours"
ratings = 5
agree_at_least = 4
abstain_at_most = 1
confidence_at_least = 3.5
naturalness_at_least = 3
auditors = 2
decisive = ["Active", "Removed"]
eligibility = [
    "Explicit",
    "SalienceControl",
]
rewrites = 1
"""


def test_a_rule_file_is_a_rule() -> None:
    """The file gives every field of the rule."""
    rule = parse_rule(TEXT, "r.toml")
    assert rule_to_json(rule) == {**rule_to_json(SUITE.rule), "name": "ours"}


FAULTS = [
    ("ratings = 5", "ratings = 5\nratings = 6", 4, "not TOML: a key is given twice"),
    ("rewrites = 1", "rewrites = 1\nrewrite = 1", 15, "unknown field 'rewrite'"),
    ("auditors = 2\n", "", 1, "auditors is missing"),
    ("ratings = 5", "ratings = 0", 3, "ratings is 0; it must be 1 or more"),
    ("ratings = 5", "ratings = -5", 3, "ratings cannot be -5"),
    ("ratings = 5", "ratings = 5.0", 3, "ratings cannot be 5.0"),
    ("ratings = 5", "ratings = true", 3, "ratings cannot be True"),
    ("ratings = 5", "ratings =", 3, "not TOML"),
    ("agree_at_least = 4", "agree_at_least = 6", 4, "agree_at_least is 6; it must be 1 to 5"),
    ("agree_at_least = 4", "agree_at_least = 0", 4, "agree_at_least is 0; it must be 1 to 5"),
    ("abstain_at_most = 1", "abstain_at_most = 6", 5, "abstain_at_most is 6; it must be 0 to 5"),
    ("= 3.5", "= nan", 6, "confidence_at_least cannot be nan"),
    ("= 3.5", "= 0.5", 6, "confidence_at_least is 0.5; it must be 1 to 9"),
    ("= 3.5", "= 35", 6, "confidence_at_least is 35; it must be 1 to 9"),
    ("naturalness_at_least = 3", 'naturalness_at_least = "3"', 7, "naturalness_at_least cannot"),
    ('["Active", "Removed"]', "[]", 9, "decisive names no condition"),
    ('["Active", "Removed"]', '["Active", "Active"]', 9, "'Active' stands in the rule twice"),
    ('    "Explicit",', '    "Active",', 10, "'Active' stands in the rule twice"),
    ('name = "ours"', 'name = " "', 2, "name is empty"),
]


@pytest.mark.parametrize(("before", "after", "line", "fault"), FAULTS, ids=lambda v: str(v)[:30])
def test_a_fault_is_told_with_its_line(before: str, after: str, line: int, fault: str) -> None:
    """Duplicate keys, unknown keys, wrong kinds and thresholds out of range, each where it is."""
    assert before in TEXT
    with pytest.raises(InputError) as told:
        parse_rule(TEXT.replace(before, after, 1), "r.toml")
    assert str(told.value).startswith(f"r.toml, line {line}: {fault}")


def test_every_field_says_what_it_means() -> None:
    """What is shown of a rule explains all of its fields."""
    assert list(MEANINGS) == list(InclusionRule.__slots__)


def test_a_rule_must_fit_suite_and_form(tmp_path: Path) -> None:
    """A condition that nobody has, and a floor above the scale, are refused before planning."""
    path = tmp_path / "r.toml"
    path.write_text("\ufeff" + TEXT.replace('"Removed"]', '"Gone"]'), "utf-8")
    with pytest.raises(InputError, match="names a condition 'Gone'; there are: Active, Removed"):
        require_fit(load(path), SUITE.conditions, SUITE.form)
    path.write_text(TEXT.replace("= 3.5", "= 5.5"), "utf-8")
    with pytest.raises(InputError, match=r"wants a mean confidence of 5\.5; .* goes to 5"):
        require_fit(load(path), SUITE.conditions, SUITE.form)
    path.write_text(TEXT, "utf-8")
    require_fit(load(path), SUITE.conditions, SUITE.form)


def test_a_rule_file_that_is_none(tmp_path: Path) -> None:
    """A missing file and one that is no text are named."""
    with pytest.raises(NotFound, match="there is no rule file"):
        load(tmp_path / "none.toml")
    (tmp_path / "r.toml").write_bytes(b"name = \xff")
    with pytest.raises(InputError, match="not UTF-8 at byte 7"):
        load(tmp_path / "r.toml")
