from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verifiers import FAIL, PASS, UNDETERMINED
from evals.verifiers.structures import (
    begins_with,
    contains,
    dash_list,
    ends_with,
    exact_output,
    graded_json,
    strict_json,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(), JSON, max_size=4), st.booleans())
def test_what_json_writes_passes(value: dict[str, object], indent: bool) -> None:
    """Any object in any layout passes with its own keys, and fails with one more."""
    text = json.dumps(value, indent=2 if indent else None, ensure_ascii=indent)
    assert strict_json(text, list(value)).verdict == PASS
    assert strict_json(text, [*value, "no such key"]).verdict == FAIL
    assert graded_json(text, list(value)).score == 1.0
    assert strict_json(f"Here: {text}", list(value)).verdict == FAIL


@given(st.text())
def test_any_text_has_a_verdict(text: str) -> None:
    """No text breaks a reader."""
    assert strict_json(text, ["a"]).verdict in {PASS, FAIL, UNDETERMINED}
    assert 0.0 <= (graded_json(text, ["a"]).score or 0.0) <= 1.0


@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_nesting_is_no_crash(depth: int) -> None:
    """What a reader cannot follow is undetermined, never wrong."""
    text = '{"a": ' + "[" * depth + "]" * depth + "}"
    assert strict_json(text, ["a"]).verdict == (PASS if depth == 100 else UNDETERMINED)
    assert graded_json(text, ["a"]).verdict == (PASS if depth == 100 else UNDETERMINED)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"a": 1}', 1.0), ('```json\n{"a": 1}\n```', 0.75), ('{"a": 1,}', 0.5),
        ('Here you are: {"a": 1}', 0.25), ('{"b": 1}', 0.25), ('{"a": 1', 0.0), ("", 0.0),
        ('{"a": NaN}', 0.0), ('[{"a": 1}]', 0.25), ("{'a': 1}", 0.0),
    ],
)  # fmt: skip
def test_json_is_graded(text: str, score: float) -> None:
    """The scale of the docstring, step by step."""
    assert graded_json(text, ["a"]).score == score


@pytest.mark.parametrize(
    ("text", "target", "passes"),
    [
        ("READY", "READY", True), ("**READY**\n", "READY", True), ("READY!!", "READY", True),
        ("100", "100%", False), ("100%.", "100%", True), ("C", "C#", False), ("# C#", "C#", True),
        ("C", "C++", False), ("`C++`", "C++", True), ("ready", "READY", False),
        ("READY READY", "READY", False), ("U.S", "U.S.", True), ("", "READY", False),
        ("¿READY?", "READY", True), ("", ".", True),
    ],
)  # fmt: skip
def test_exact_output(text: str, target: str, passes: bool) -> None:
    """Ends are stripped of what decorates, not of what means something."""
    assert (exact_output(text, target).verdict == PASS) is passes


@given(st.text(), st.text(" \n.*!“”", max_size=4))
def test_decoration_changes_nothing(target: str, around: str) -> None:
    """A target in quotes, bold or with a full stop is the target."""
    assert exact_output(around + target + around, target).verdict == PASS


def test_marks_at_the_ends() -> None:
    """White space outside does not matter, anything else does."""
    assert begins_with(" \n<BOC> text", "<BOC>").verdict == PASS
    assert begins_with("text <BOC>", "<BOC>").verdict == FAIL
    assert ends_with("text <EOC>\n", "<EOC>").verdict == PASS
    assert ends_with("text <EOC>.", "<EOC>").verdict == FAIL
    assert ends_with("", "<EOC>").verdict == FAIL


def test_placeholders_stand_character_by_character() -> None:
    """A variable with one brace is another thing."""
    assert contains("Hi {{FirstName}}", "{{FirstName}}").evidence == "1 x {{FirstName}}"
    assert contains("Hi {FirstName}", "{{FirstName}}").verdict == FAIL


def test_lists_of_dashes() -> None:
    """The share of lines; other bullets are none."""
    reading = dash_list("- a\n\n• b\n  - c\ntext")
    assert (reading.verdict, reading.score, reading.evidence) == (FAIL, 0.5, "2 of 4 lines")
    assert dash_list("\n").score == 0.0
