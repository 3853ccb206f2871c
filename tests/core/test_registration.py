"""The plan as data: how two versions differ, and as a file, what is wrong with it and where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.hashing import canonical
from core.registration import (
    Change,
    Known,
    Registration,
    changes,
    differences,
    judge_differences,
    late_by,
    run_differences,
    told,
)
from core.registration_file import parse_draft, written
from core.rules import rule_to_json
from suites.core100.suite import SUITE

METRICS = ("paired.selectivity", "paired.gap")
DRAFT: dict[str, Any] = {
    "title": "A study",
    "hypotheses": ["S is above 0"],
    "analysis": {"seed": 1, "replicates": 10_000, "metrics": ["paired.selectivity"]},
    "family": [{"name": "F1", "tests": ["paired.selectivity"]}],
    "runs": {"conditions": ["Active", "Removed"], "samples": 7, "dropping": "never"},
    "model": [{"name": "m", "temperature": 0.7}],
    "round": [
        {"name": "r1", "design": "latin-square", "seats": 20, "ratings": 5, "auditors": 2,
         "seed": 1, "form": "core100"},
    ],
    "rule": rule_to_json(SUITE.rule),
}  # fmt: skip
NOTHING = Known(0, 0, 0, 0)


def parsed(text: str) -> dict[str, Any]:
    return parse_draft(text, "p.toml", metrics=METRICS, conditions=SUITE.conditions)


def test_a_draft_survives_its_file() -> None:
    """What is written is read again, with the defaults of what was left out."""
    found = parsed(written(DRAFT, {"": "two\nlines", "rule": "the rule"}))
    assert {key: found[key] for key in ("title", "analysis", "runs", "rule")} == {
        key: DRAFT[key] for key in ("title", "analysis", "runs", "rule")
    }
    assert found["family"][0]["correction"] == "holm"
    assert (found["round"][0]["kind"], found["round"][0]["plan"]) == ("main", None)
    assert found["model"] == [
        {"kind": None, "temperature": 0.7, "top_p": None, "max_tokens": None, "seed": None,
         "prefill": None, "name": "m"}
    ]  # fmt: skip


@given(st.text(min_size=1).filter(lambda text: text.strip() and "FILL IN" not in text))
def test_any_text_survives_its_file(text: str) -> None:
    """Quotes, control characters and every script come back as they were."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert parsed(written({**DRAFT, "title": text}, {}))["title"] == text


FAULTS: list[tuple[str, str, int, str]] = [
    ('title = "A study"', "", 1, "title is missing"),
    ('title = "A study"', 'title = "A study"\ncolour = 1', 2, "unknown field 'colour'"),
    ('"S is above 0"', '"FILL IN"', 2, "hypotheses still says FILL IN"),
    ('"S is above 0"', "7", 2, "hypotheses must hold texts"),
    ("seed = 1", "seed = 1\nseed = 2", 6, "not TOML: a key is given twice"),
    ("seed = 1", "seed = -1", 5, "analysis: seed is -1; it must be 0 or more"),
    ("replicates = 10000", "replicates = 1", 6, "analysis: replicates is 1; it must be 2 or more"),
    ('metrics = ["paired.selectivity"]', 'metrics = ["paired.s"]', 7,
     "there is no metric 'paired.s'; known: paired.selectivity, paired.gap"),
    ('metrics = ["paired.selectivity"]', "metrics = []", 7, "metrics names no metric"),
    ('tests = ["paired.selectivity"]', 'tests = ["paired.gap"]', 11, "no registered metric"),
    ('name = "F1"', 'name = "F1"\nalpha = 1.0', 11, "alpha is 1.0; it lies between 0 and 1"),
    ('name = "F1"', 'name = "F1"\ncorrection = "none"', 11, "family: correction must be one of"),
    ('"Removed"]\nsamples', '"Gone"]\nsamples', 14, "there is no condition 'Gone'"),
    ("samples = 7", "samples = 0", 15, "runs: samples is 0; it must be 1 or more"),
    ('dropping = "never"', 'dropping = ""', 16, "runs: dropping cannot be ''"),
    ("temperature = 0.7", 'temperature = "hot"', 20, "model: temperature cannot be 'hot'"),
    ("temperature = 0.7", "tempreature = 0.7", 20, "model: unknown field 'tempreature'"),
    ('design = "latin-square"', 'design = "latin"', 24, "round: design must be one of"),
    ("seats = 20", "", 22, "round: seats is missing"),
    ("agree_at_least = 4", "agree_at_least = 9", 34, "rule: agree_at_least is 9; it must be"),
    ('decisive = ["Active", "Removed"]', 'decisive = ["Gone"]', 39, "no condition 'Gone'"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "line", "fault"), FAULTS, ids=lambda v: str(v)[:30])
def test_a_fault_is_told_with_its_line(before: str, after: str, line: int, fault: str) -> None:
    """Whatever is wrong is found when the file is read, where it stands."""
    text = written(DRAFT, {})
    assert before in text
    with pytest.raises(InputError) as found:
        parsed(text.replace(before, after, 1))
    assert str(found.value).startswith(f"p.toml, line {line}: ")
    assert fault in str(found.value)


def test_two_entries_of_one_name_are_one_too_many() -> None:
    """Rounds, models and families are called by their names."""
    with pytest.raises(InputError, match="line 26: two models are called 'm'"):
        parsed(written({**DRAFT, "model": [*DRAFT["model"], {"name": "m"}]}, {}).replace(
            "[[model]]\nname = \"m\"\n\n", "\n\n\n[[model]]\nname = \"m\"\n"))  # fmt: skip


@pytest.mark.parametrize("wrong", ["model = 3", "round = [1]", "family = true", "rule = 1"])
def test_tables_are_tables(wrong: str) -> None:
    """A value where a table belongs is a fault, not a crash."""
    name = wrong.split(maxsplit=1)[0]
    draft = {key: value for key, value in DRAFT.items() if key != name}
    with pytest.raises(InputError, match=f"p.toml, line [0-9]+: .*{name}"):
        parsed(f"{wrong}\n{written(draft, {})}".replace(f"[{name}]\n", ""))


def test_versions_differ_field_by_field() -> None:
    """Changes name the path and both values; what came or went has an empty side."""
    before = {"rule": {"ratings": 5}, "rounds": [{"name": "r1", "seed": 1}], "amends": None}
    after = {"rule": {"ratings": 4}, "rounds": [{"name": "r2", "seed": 1}], "amends": "x"}
    assert changes(before, before) == ()
    assert changes(before, after) == (
        Change("rule.ratings", "5", "4"),
        Change("rounds.r1.name", '"r1"', ""),
        Change("rounds.r1.seed", "1", ""),
        Change("rounds.r2.name", "", '"r2"'),
        Change("rounds.r2.seed", "", "1"),
    )


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text("cd", min_size=1, max_size=2), plain))
def test_a_document_never_differs_from_itself(document: dict[str, Any]) -> None:
    """Equal documents have no changes, whatever they hold."""
    assert changes(document, document) == ()


documents = st.dictionaries(st.text("cd", min_size=1, max_size=2), plain)


@given(documents, documents)
def test_changes_are_the_same_once_documents_were_stored(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    """A stored document has its keys in another order; what changed is the same set."""
    stored = [json.loads(canonical(document)) for document in (before, after)]
    assert set(changes(before, after)) == set(changes(*stored))


def test_what_is_not_registered_is_free() -> None:
    """A field without a value, or one that the present does not have, binds nobody."""
    registered = {"seats": 20, "plan": None, "temperature": 0, "note": "x"}
    assert differences(registered, {"seats": 20, "plan": "p", "temperature": 0.0}) == ()
    found = differences(registered, {"seats": 8})
    assert told(found) == "seats is 8, registered 20"
    many = tuple(Change(f"f{n}", "1", "2") for n in range(5))
    assert told(many).endswith("f2 is 2, registered 1; and 2 more")


RUN = {"temperature": 0.7, "conditions": ["Active", "Removed"], "samples": 7}


@pytest.mark.parametrize(
    ("model", "change", "sentence"),
    [
        ("m", {}, ""),
        ("other", {}, "model is other, registered m"),
        ("m", {"temperature": 0.0}, "temperature is 0.0, registered 0.7"),
        ("m", {"samples": 3}, "samples is 3, registered 7"),
        ("m", {"conditions": ["Active"]}, "conditions is"),
    ],
)
def test_a_run_is_held_against_the_plan(model: str, change: dict[str, Any], sentence: str) -> None:
    """Model, settings, samples and conditions, the last in any order."""
    document = {"models": DRAFT["model"], "runs": DRAFT["runs"]}
    document["runs"] = {**document["runs"], "conditions": ["Removed", "Active"]}
    assert told(run_differences(document, model, {**RUN, **change})).startswith(sentence)
    assert bool(run_differences(document, model, {**RUN, **change})) == bool(sentence)


@pytest.mark.parametrize(
    ("known", "seen", "late", "count"),
    [
        (NOTHING, (False, False), False, 0),
        (NOTHING, (True, False), True, 0),
        (Known(5, 0, 0, 0), (True, False), True, 0),
        (Known(5, 0, 0, 0), (False, False), True, 1),
        (Known(5, 0, 0, 9), (False, False), True, 2),
        (Known(0, 2, 0, 0), (False, False), True, 0),
    ],
)
def test_what_was_known_is_held_against_what_is_said(
    known: Known, seen: tuple[bool, bool], late: bool, count: int
) -> None:
    """Facts count whatever is said; a saying that the facts gainsay is a contradiction."""
    version = Registration(1, {}, "h", known, "t", "why", (), *seen)
    assert version.late == late
    assert len(version.contradictions) == count
    assert canonical({"told": str(known)})


PLAN: dict[str, Any] = {
    "judges": [
        {"name": "J1", "model": "m", "rubric": "grade", "version": "1", "hash": "h1", "seed": 1},
        {"name": "J2", "model": "m", "rubric": "grade", "version": "1", "hash": "h1", "seed": 2},
    ]
}


@pytest.mark.parametrize(
    ("judge", "found"),
    [
        (("m", "grade 1", "h1", {"seed": 2, "top_p": 1.0}), ()),
        (("m", "grade 1", "h1", {"seed": 3}), (Change("seed", "1", "3"),)),
        (("m", "scale 1", "h9", {}), (Change("rubric", "grade 1", "scale 1"),)),
        (("m", "grade 1", "h9", {}),
         (Change("rubric", "grade 1", "another text of it"),)),
        (("n", "grade 1", "h1", {}), (Change("model", "m", "n"),)),
    ],
)  # fmt: skip
def test_a_judge_is_held_against_the_entry_nearest_to_it(judge: Any, found: Any) -> None:
    """Two registered configurations of one model are two judges; what is not registered is free."""
    assert judge_differences(PLAN, *judge) == found


def test_a_plan_without_judges_registers_none() -> None:
    """Plans of before there were any say nothing of judges."""
    assert judge_differences({}, "m", "grade 1", "h1", {}) == (Change("model", "none", "m"),)


def test_what_comes_with_an_amendment_is_late_where_there_was_something_to_see() -> None:
    """Only the last unbroken stretch of versions counts; nothing known, nothing late."""

    def version(number: int, outputs: int, *judges: str) -> Registration:
        document = {"judges": list(judges)}
        return Registration(number, document, f"h{number}", Known(0, 0, 0, outputs), "")

    first, blind, late = version(0, 0), version(1, 0, "a"), version(2, 9, "a", "b")
    for name, words in (
        ("a", ""),
        ("b", "named only by amendment 2, after 0 ratings and 9 outputs"),
    ):
        assert late_by((first, blind, late), lambda d, name=name: name in d["judges"]) == words
