"""The shipped pool is complete, sound, and refuses a malformed line by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import InputError
from suites.core100.construction import CONDITIONS, faults, measure
from suites.core100.pool import CONSTRAINTS, DOMAINS, HEURISTICS, read, scenarios

POOL = scenarios()

# Cost with presence, and semantic match with all but scope, give no natural everyday scenario.
EMPTY_CELLS = {("cost", "presence")} | {
    ("semantic match", constraint) for constraint in CONSTRAINTS if constraint != "scope"
}
POPULATED = {(h, c) for h in HEURISTICS for c in CONSTRAINTS} - EMPTY_CELLS

LINE: dict[str, Any] = {
    "id": "S01",
    "heuristic": "cost",
    "constraint": "scope",
    "domain": "home",
    "prerequisite": "It must fit.",
    "actions": {"heavy": "Buy hooks", "heuristic": "Grab tape"},
    "texts": {name: f"A text for {name}?" for name in CONDITIONS},
}


def test_there_are_sixteen_scenarios_with_ids_in_order() -> None:
    """S01 to S16, each once."""
    assert [scenario.id for scenario in POOL] == [f"S{n:02d}" for n in range(1, 17)]


def test_exactly_the_fifteen_populated_cells_are_covered() -> None:
    """Every heuristic x constraint cell of the paper has a scenario, and no other cell has one."""
    assert len(POPULATED) == 15
    assert {(s.facts["heuristic"], s.facts["constraint"]) for s in POOL} == POPULATED


def test_all_seven_domains_are_covered() -> None:
    """No domain of the paper is left out."""
    assert {scenario.facts["domain"] for scenario in POOL} == set(DOMAINS)


def test_the_pool_has_no_faults() -> None:
    """What we ship keeps the rules that we ask of others."""
    assert faults(POOL) == ()


def test_every_edit_is_small() -> None:
    """Three tokens at most change between Active and Removed."""
    assert max(measure(scenario).token_edit_distance for scenario in POOL) <= 3


@pytest.mark.parametrize("scenario", POOL, ids=lambda scenario: scenario.id)
def test_labels_differ_and_gold_is_heavy_but_in_removed(scenario: Any) -> None:
    """The two actions read differently, and only Removed favours the heuristic one."""
    for item in scenario.items:
        labels = {option.action: option.label for option in item.options}
        assert labels["heavy"] != labels["heuristic"]
        assert item.gold == ("heuristic" if item.condition == "Removed" else "heavy")


@pytest.mark.parametrize("scenario", POOL, ids=lambda scenario: scenario.id)
def test_texts_are_two_to_four_sentences_ending_in_a_question(scenario: Any) -> None:
    """Each text is short, and its last sentence asks which action to take."""
    for item in scenario.items:
        assert 2 <= sum(item.text.count(mark) for mark in (". ", "? ")) + 1 <= 4
        assert item.text.rpartition(". ")[2].startswith("Should I ")
        assert item.text.endswith("?")


def test_the_question_names_the_heavy_action_first_half_of_the_time() -> None:
    """The order of the two actions in the wording is no cue to the answer."""
    assert sum(_names_heavy_first(scenario) for scenario in POOL) == len(POOL) // 2


def _names_heavy_first(scenario: Any) -> bool:
    question = scenario.item("Active").text.rpartition(". ")[2].lower().rstrip("?").split()
    words = {o.action: o.label.lower().split() for o in scenario.item("Active").options}
    return _place(question, words["heavy"], words["heuristic"]) < _place(
        question, words["heuristic"], words["heavy"]
    )


def _place(question: list[str], label: list[str], other: list[str]) -> int:
    """Return where the question first says a word of one label that the other lacks."""
    return min(question.index(word) for word in label if word not in other and word in question)


def test_facts_are_what_tables_split_by() -> None:
    """Families, domain and the constraint in words reach the record."""
    assert set(POOL[0].facts) == {"heuristic", "constraint", "domain", "prerequisite"}


def test_a_sound_line_is_read() -> None:
    """The line that every malformed one starts from is accepted, and empty lines are skipped."""
    (scenario,) = read("\n" + json.dumps(LINE) + "\n\n", "drafts.jsonl")
    assert (scenario.id, scenario.item("Removed").text) == ("S01", "A text for Removed?")


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: line.pop("domain"), "has no field “domain”"),
        (lambda line: line.update(note="x"), "has a field “note”"),
        (lambda line: line.update(id=7), "id is not a text"),
        (lambda line: line.update(prerequisite=" "), "prerequisite is not a text"),
        (lambda line: line.update(heuristic="near"), "heuristic is “near”"),
        (lambda line: line.update(constraint="time"), "constraint is “time”"),
        (lambda line: line.update(domain="sea"), "domain is “sea”"),
        (lambda line: line.update(actions=[]), "actions is not an object"),
        (lambda line: line["actions"].pop("heavy"), "actions has no field “heavy”"),
        (lambda line: line["texts"].pop("Explicit"), "texts has no field “Explicit”"),
        (lambda line: line["texts"].update(Removed=""), "texts: Removed is not a text"),
        (lambda line: line["texts"].update(Extra="x"), "texts has a field “Extra”"),
    ],
)
def test_a_malformed_line_is_named_with_file_line_and_field(change: Change, message: str) -> None:
    """Whoever wrote the line finds the field without searching."""
    bad = json.loads(json.dumps(LINE))
    change(bad)
    with pytest.raises(InputError, match=f"^drafts.jsonl, line 2: .*{message}"):
        read(f"{json.dumps(LINE)}\n{json.dumps(bad)}\n", "drafts.jsonl")


@pytest.mark.parametrize(
    ("line", "message"), [("{", "not JSON at column 2"), ("[]", "not an object")]
)
def test_what_is_no_json_object_is_refused(line: str, message: str) -> None:
    """A line that is not one JSON object is an error of its own."""
    with pytest.raises(InputError, match=f"^drafts.jsonl, line 1: .*{message}"):
        read(line, "drafts.jsonl")
