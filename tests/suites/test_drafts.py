"""Rows become scenarios as the suite declares them, whatever the way of writing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rows import read
from suites.base import DraftForm
from suites.core100.suite import SUITE
from suites.drafts import Drafts, read_drafts

Rows = list[dict[str, Any]]
FACTS = {
    "fact_heuristic": "cost", "fact_constraint": "scope", "fact_domain": "home",
    "fact_prerequisite": "The shop must sell it.",
}  # fmt: skip
OPTIONS = {
    "option_a": "Go there", "option_a_action": "heavy",
    "option_b": "Stay", "option_b_action": "heuristic",
}  # fmt: skip
FREE = replace(
    SUITE, conditions=("exact/POS", "range/AVOID"), draft=DraftForm(facts={"topic": ()})
)  # a suite without options, gold or allowed values


def rows(*names: str) -> Rows:
    return [
        {
            "scenario": name,
            "condition": condition,
            "text": f"{name} {condition}",
            **OPTIONS,
            **FACTS,
        }
        for name in names
        for condition in SUITE.conditions
    ]


def drafts(found: Rows, suite: Any = SUITE) -> Drafts:
    lines = "\n".join(json.dumps(row) for row in found)
    return read_drafts(read(lines.encode(), "jsonl"), suite, typed=True)


def test_a_sound_file_has_no_fault() -> None:
    """Every scenario is whole, in its order, with the gold that the design fixes."""
    found = drafts(rows("S1", "S2"))
    assert (found.faults, found.spoiled, found.whole) == ((), (), True)
    first, second = (draft.scenario for draft in found.drafts)
    assert [item.condition for item in first.items] == list(SUITE.conditions)
    assert [item.gold for item in first.items] == ["heavy", "heuristic", "heavy", "heavy"]
    assert first.facts["domain"] == "home"
    assert second.item("Explicit").options[0].label == "Go there"


def at(number: int, **change: Any) -> Callable[[Rows], Any]:
    return lambda found: found[number].update(change)


FAULTS: dict[str, tuple[Callable[[Rows], Any], str]] = {
    "no text": (at(1, text=" "), "line 2, column text: nothing stands there"),
    "null": (at(1, text=None), "line 2, column text: nothing stands there"),
    "condition": (at(0, condition="Actve"), "line 1, column condition: there is no condition 'Act"),
    "id": (at(0, scenario="a/b"), "line 1, column scenario: 'a/b' is no id"),
    "blanks": (at(0, scenario=" S1"), "column scenario: ' S1' is no id"),
    "long id": (at(0, scenario="S" * 65), "65 characters, at most 64 are taken"),
    "gold": (at(1, gold="heavy"), "line 2, column gold: 'heavy' cannot be meant in Removed"),
    "fact": (at(2, fact_domain="space"), "line 3, column fact_domain: 'space' is not known"),
    "facts apart": (at(2, fact_domain="work"), "'work' is not the 'home' of line 1"),
    "no fact": (at(3, fact_constraint=None), "line 4, column fact_constraint: nothing stands"),
    "no label": (at(0, option_b=""), "line 1, column option_b: nothing stands there"),
    "no action": (at(0, option_b_action=""), "column option_b_action: nothing stands there"),
    "action": (at(0, option_b_action="lazy"), "there is no action 'lazy'; there is heavy, heur"),
    "lacking action": (at(0, option_b=None, option_b_action=None), "no option means heuristic"),
    "same action": (at(0, option_b_action="heavy"), "two options mean 'heavy'"),
    "gap": (
        at(0, option_b=None, option_b_action=None, option_c="Stay", option_c_action="heuristic"),
        "column option_c: an option before this one is empty",
    ),
    "tenth option": (at(0, option_j="x"), "column option_j: options are called option_a"),
    "control": (at(0, text="a\x1b[31m"), "line 1, column text: a control character, U+001B"),
    "huge": (at(0, text="x" * 20_001), "column text: 20,001 characters, at most 20,000"),
    "unknown column": (at(0, tekst="x"), "line 1, column tekst: there is no such column"),
    "twice": (lambda found: found.append(found[0]), "line 5, column scenario: S1/Active stands on"),
    "missing": (lambda found: found.pop(), "line 1, column condition: S1 has no SalienceControl"),
    "revision": (at(0, revision="two"), "column revision: 'two' is no number of a revision"),
    "revision 0": (at(0, revision=0), "column revision: '0' is no number of a revision"),
    "revisions": (at(0, revision=3), "S1/Active has a revision 3 without revision 1"),
    "parameter": (
        at(0, parameters={"a": 1}, **{"parameter_a.b": 2}),
        "parameter_a.b: it stands inside a parameter that another column gives",
    ),
    "parameter twice": (
        at(0, **{"parameter_a.b": 2, "parameter_a": '{"b":1}'}),
        "parameter_a: it stands inside a parameter that another column gives",
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_each_fault_is_named(kind: str) -> None:
    """With line and column; the scenario that it is of is spoiled, another one is not."""
    change, told = FAULTS[kind]
    broken = rows("S1")
    change(broken)
    found = drafts([*broken, *rows("S2")])
    assert any(told in str(fault) for fault in found.faults), [str(f) for f in found.faults]
    assert [draft.id for draft in found.drafts] == ["S2"] or not found.whole
    assert "S2" not in found.spoiled


def test_all_faults_are_named_at_once() -> None:
    """Several faults in one row, and faults in several rows, by line."""
    broken = rows("S1", "S2")
    for number, change in ((6, {"text": ""}), (1, {"text": "", "gold": "x", "option_a": ""})):
        broken[number].update(change)
    lines = [(fault.line, fault.column) for fault in drafts(broken).faults]
    assert lines == [(2, "option_a"), (2, "gold"), (2, "text"), (7, "text")] or lines == sorted(
        lines, key=lambda entry: entry[0]
    )
    assert {(2, "option_a"), (2, "gold"), (2, "text"), (7, "text")} <= set(lines)


def nested(name: str) -> dict[str, Any]:
    return {
        "scenario": name,
        "facts": {key.removeprefix("fact_"): value for key, value in FACTS.items()},
        "options": {"heavy": "Go there", "heuristic": "Stay"},
        "texts": {condition: f"{name} {condition}" for condition in SUITE.conditions},
    }


def test_one_row_per_scenario_says_the_same() -> None:
    """Both ways of writing are one scenario."""
    (flat,), (short,) = (drafts(found).drafts for found in (rows("S1"), [nested("S1")]))
    assert flat.scenario == short.scenario


def test_a_fault_of_a_scenario_row_has_its_column() -> None:
    """The dotted name is that of the file; a shared column is wrong once."""
    broken = nested("S1")
    broken["texts"]["Removed"] = ""
    broken["facts"]["domain"] = "space"
    broken["gold"] = {"Active": "heuristic"}
    columns = [fault.column for fault in drafts([broken]).faults]
    assert sorted(map(str, columns)) == ["facts.domain", "gold.Active", "texts.Removed"]


SLIPS: dict[str, tuple[dict[str, Any], str]] = {
    "gold of nothing": ({"gold": {"Actve": "heavy"}}, "texts.Actve: nothing stands there"),
    "both ways": ({"text": "x", "condition": "Active"}, "text: a row has this or texts, not both"),
    "one gold for all": ({"gold": "heavy"}, "gold: 'heavy' cannot be meant in Removed"),
}


@pytest.mark.parametrize("kind", SLIPS)
def test_nothing_that_a_scenario_row_says_is_dropped(kind: str) -> None:
    """What cannot be taken is named."""
    change, told = SLIPS[kind]
    faults = [str(fault) for fault in drafts([nested("S1") | change]).faults]
    assert any(told in fault for fault in faults), faults


def test_parameters_are_those_of_a_condition_or_of_all() -> None:
    """A parameter without a condition is one of every item."""
    entry = nested("S1") | {"parameters": {"length": 5, "Removed": {"word": "x"}}}
    (draft,) = drafts([entry]).drafts
    assert draft.scenario.item("Active").parameters == {"length": 5}
    assert draft.scenario.item("Removed").parameters == {"length": 5, "word": "x"}


def test_what_a_verifier_needs_is_nested_under_its_name() -> None:
    """Objects stay objects, also empty ones, for all conditions or one."""
    wanted = {"word-range": {"between": [8, 12]}, "dash-list": {}}
    entry = nested("S1") | {
        "parameters": {**wanted, "Removed": {"word-count": {"exactly": 5}}, "Active": {}}
    }
    (draft,) = drafts([entry]).drafts
    assert draft.scenario.item("Active").parameters == wanted
    assert draft.scenario.item("Removed").parameters == {**wanted, "word-count": {"exactly": 5}}


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("parameter_word-range.between", '"[8, 12]"'),
        ("parameters.word-range.between", '"[8,12]"'),
        ("parameter_word-range", '"{""between"": [8, 12]}"'),
    ],
)
def test_csv_says_what_a_verifier_needs_in_a_column_or_as_json(column: str, cell: str) -> None:
    """Whoever writes a table by hand need not know how an export spaces JSON."""
    text = f"scenario,condition,text,fact_topic,{column}\n"
    text += "".join(f"W1,{c},t,x,{cell}\n" for c in FREE.conditions)
    found = read_drafts(read(text.encode(), "csv"), FREE)
    assert found.faults == ()
    (draft,) = found.drafts
    assert draft.scenario.items[0].parameters == {"word-range": {"between": [8, 12]}}


def test_a_scenario_has_the_matched_sets_that_it_begins() -> None:
    """A suite of several panels has scenarios of some of them; a panel is never half there."""
    one, other = ("exact/POS", "exact/NEG"), ("json/POS", "json/NEG")
    suite = replace(FREE, conditions=(*one, *other), draft=DraftForm(matched=(one, other)))

    def told(*conditions: str) -> list[str]:
        found = [{"scenario": "W1", "condition": c, "text": "t"} for c in conditions]
        return [fault.what for fault in drafts(found, suite).faults]

    assert told(*one) == told(*other) == told(*one, *other) == []
    assert told(one[0]) == [f"W1 has no {one[1]}"]
    assert told(*other, one[1]) == [f"W1 has no {one[0]}"]


def test_a_suite_that_declares_little_takes_what_it_declares() -> None:
    """Without actions, items need no options and no gold; parameters keep their kinds."""
    values = {"target": 5, "ratio": 0.5, "exact": True, "word": "5", "list": [1, 2]}
    found = drafts(
        [
            {
                "scenario": "W1", "condition": condition, "text": "t", "facts": {"topic": "x"},
                "parameters": values,
            }
            for condition in FREE.conditions
        ],
        FREE,
    )  # fmt: skip
    assert found.faults == ()
    item = found.drafts[0].scenario.item("exact/POS")
    assert (item.options, item.gold) == ((), None)
    assert item.parameters == values
    assert type(item.parameters["word"]) is str
    assert type(item.parameters["exact"]) is bool


def test_csv_takes_what_looks_like_a_number_or_a_list_for_one() -> None:
    """CSV knows no kinds, so parameters are read by their looks, and texts never are."""
    text = "scenario,condition,text,fact_topic,parameter_a,parameter_b,parameter_c\n"
    text += "".join(f'W1,{c},12,007,"[1, 2]",5,true\n' for c in FREE.conditions)
    found = read_drafts(read(text.encode(), "csv"), FREE)
    assert found.faults == ()
    draft = found.drafts[0].scenario
    item = draft.items[0]
    assert (item.text, draft.facts["topic"]) == ("12", "007")
    assert item.parameters == {"a": [1, 2], "b": 5, "c": True}


def test_revisions_stand_in_their_order() -> None:
    """A file may hold several texts of an item, in any order of its rows."""
    found = rows("S1")
    found.insert(0, {**found[0], "text": "newer", "revision": 2})
    (draft,) = drafts(found).drafts
    assert [text.text for text in draft.texts("Active")] == ["S1 Active", "newer"]
    assert draft.scenario.item("Active").text == "newer"


@given(st.data())
def test_whatever_is_written_is_read_or_named(data: st.DataObject) -> None:
    """No cell of a sound file can be replaced by anything that is neither taken nor a fault."""
    found = rows("S1")
    row = data.draw(st.sampled_from(found))
    column = data.draw(st.sampled_from([*row, "gold", "revision", "parameter_x"]))
    values = st.one_of(st.none(), st.text(max_size=9), st.integers(), st.floats(allow_nan=False))
    row[column] = data.draw(values)
    read_ = drafts(found)
    assert bool(read_.drafts) != bool(read_.faults)
