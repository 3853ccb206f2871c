"""The stores keep their promises to the code: one fact, one transaction, nothing guessed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.clock import now
from core.errors import InputError, NotFound, Refused
from core.evidence import PairAudit, Rating
from core.items import Option
from core.runs import GenerationKey, Reply
from db.file import StudyFile, with_shown_order
from db.waves import FrozenDocument

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}


@pytest.fixture
def study(workshop: Any, study_path: Path) -> StudyFile:
    found: StudyFile = workshop.open(study_path)
    return found


def people(study: StudyFile) -> tuple[int, int, int]:
    """Return the first seat's assignment, who sits there, and who sits in the second seat."""
    first, second = study.rounds.seats(study.rounds.named("people").id, "rater")[:2]
    sitters = [study.people.occupant(seat.id) for seat in (first, second)]
    assert sitters[0]
    assert sitters[1]
    return study.rounds.assignments(first.id)[0].id, sitters[0].id, sitters[1].id


def test_nobody_changes_what_somebody_else_rated(study: StudyFile) -> None:
    """A rating is changed by its author alone, also through the store."""
    assignment, author, other = people(study)
    with pytest.raises(Refused, match="rated by somebody else"):
        study.ratings.save(Rating(assignment, GOOD), other)
    study.ratings.save(Rating(assignment, {**GOOD, "confidence": 5}), author)


def test_nobody_changes_what_somebody_else_audited(study: StudyFile) -> None:
    """A verdict is changed by its author alone, also through the store."""
    seat = study.rounds.seats(study.rounds.named("people").id, "auditor")[0]
    pair = study.rounds.pair_assignments(seat.id)[0].id
    _, rater, _ = people(study)
    with pytest.raises(Refused, match="audited by somebody else"):
        study.audits.save(PairAudit(pair, only_intended=False), rater)


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        ({"choice": "A"}, "confidence is not answered"),
        ({**GOOD, "choice": "C"}, "choice cannot be 'C'"),
        ({**GOOD, "choice": "Drive 6"}, "choice cannot be"),
        ({**GOOD, "confidence": True}, "confidence cannot be True"),
        ({**GOOD, "confidence": 4.0}, "confidence cannot be 4.0"),
        ({**GOOD, "confidence": float("nan")}, "confidence cannot be nan"),
        ({**GOOD, "gold": "heavy"}, "no question is called 'gold'"),
    ],
)
def test_only_answers_that_fit_the_form_are_stored(
    study: StudyFile, answers: dict[str, Any], fault: str
) -> None:
    """An answer that the form does not offer is refused by name, and nothing is written."""
    assignment, author, _ = people(study)
    seat = study.rounds.seats(study.rounds.named("people").id, "rater")[0]
    before = study.ratings.of_seat(seat.id)
    with pytest.raises(Refused, match=re.escape(fault)):
        study.ratings.save(Rating(assignment, answers), author)
    assert study.ratings.of_seat(seat.id) == before


def test_active_time_adds_up_over_changes(study: StudyFile) -> None:
    """The seconds of a changed rating are those of all visits, and its hash covers them."""
    assignment, author, _ = people(study)
    seat = study.rounds.seats(study.rounds.named("people").id, "rater")[0]
    before = study.ratings.of_seat(seat.id)[assignment].seconds
    study.ratings.save(Rating(assignment, {**GOOD, "confidence": 2}, "hm", 2.5), author)
    assert study.ratings.of_seat(seat.id)[assignment].seconds == before + 2.5
    assert study.ratings.faults(study.rounds.named("people").id) == ()


def test_that_differences_were_seen_is_not_forgotten(study: StudyFile) -> None:
    """Once an auditor has highlighted the differences, a later change does not unsay it."""
    seat = study.rounds.seats(study.rounds.named("people").id, "auditor")[0]
    pair = study.rounds.pair_assignments(seat.id)[0].id
    auditor = study.people.occupant(seat.id)
    assert auditor
    study.audits.save(PairAudit(pair, only_intended=True, differences=True), auditor.id)
    study.audits.save(PairAudit(pair, only_intended=False), auditor.id)
    assert study.audits.of_seat(seat.id)[pair] == PairAudit(
        pair, only_intended=False, differences=True
    )
    assert study.audits.faults(study.rounds.named("people").id) == ()


def test_an_answered_generation_stands(study: StudyFile) -> None:
    """The second answer to a key is refused; an error under a key is replaced by its answer."""
    item = study.waves.items()[0]
    key = GenerationKey(2, item.id, item.document["prompt_hash"], 1)
    assert key not in study.runs.answered(2)
    study.runs.store(key, Reply("ok", visible_text="Answer: A"))
    with pytest.raises(Refused):
        study.runs.store(key, Reply("ok", visible_text="Answer: B"))
    with pytest.raises(Refused):
        study.runs.store(key, Reply("error", error="late"))
    assert [g.visible_text for g in study.runs.generations(2)] == ["Answer: A"]


def test_the_same_configuration_is_the_same_run(study: StudyFile) -> None:
    """A run is found again by its configuration, whatever the order of its fields."""
    first = study.runs.start("m", "chat", {"a": 1, "b": 2})
    assert study.runs.start("m", "chat", {"b": 2, "a": 1}).id == first.id
    assert study.runs.start("m", "chat", {"a": 1, "b": 3}).id != first.id


def test_an_item_is_frozen_once(study: StudyFile) -> None:
    """A frozen item enters no second wave, and a refused wave leaves nothing behind."""
    item, head = study.waves.items()[0], study.ledger.head()
    document = FrozenDocument(item.item, item.revision, item.document)
    with pytest.raises(Refused, match="exists already"):
        study.waves.freeze("declared", {}, [document])
    with pytest.raises(Refused, match="nothing to freeze"):
        study.waves.freeze("declared", {}, [])
    assert len(study.waves.all()) == 1
    assert study.ledger.head() == head


def test_a_round_opens_and_closes_once(study: StudyFile) -> None:
    """Opening an open round and closing one that is not open are refused in words."""
    opened, planned = study.rounds.named("people"), study.rounds.named("next")
    with pytest.raises(Refused, match="people is open already"):
        study.rounds.open(opened.id)
    with pytest.raises(Refused, match="next is planned, not open"):
        study.rounds.close(planned.id)


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "\x1b[31mred"])
def test_a_round_has_a_name_that_can_be_typed(study: StudyFile, workshop: Any, name: str) -> None:
    """A name that is blank or not printable is refused."""
    with pytest.raises(InputError, match="is no name for a round"):
        workshop.plan(study, name, scenarios=("S06",))


def test_a_round_has_a_name_that_fits(study: StudyFile, workshop: Any) -> None:
    """A name of a hundred characters is taken, and a longer one refused without repeating it."""
    with pytest.raises(InputError, match=r"at most 100 characters$"):
        workshop.plan(study, "n" * 101, scenarios=("S06",))
    assert workshop.plan(study, "n" * 100, scenarios=("S06",)).name == "n" * 100


def test_names_that_are_not_there_name_those_that_are(study: StudyFile) -> None:
    """An unknown round, run, wave, seat or revision is said to be unknown."""
    with pytest.raises(NotFound, match="rounds are: rehearsal, tried, people, next"):
        study.rounds.named("nosuch")
    for lookup in (study.rounds.round, study.rounds.seat, study.runs.run, study.items.revision):
        with pytest.raises(NotFound, match="there is no"):
            lookup(99999)
    with pytest.raises(NotFound, match="there is no wave 7"):
        study.waves.items([7])


def test_the_option_order_is_a_fact_of_the_scenario(workshop: Any) -> None:
    """Options stand in one order in all conditions, whatever order they were drafted in."""
    orders = set()
    for scenario in workshop.scenarios(20):
        shown = with_shown_order(scenario, "salt")
        first, *others = (item.options for item in shown.items)
        assert all(options == first for options in others)
        assert set(first) == set(scenario.items[0].options)
        orders.add(tuple(option.action for option in first))
        turned = with_shown_order(_turned(scenario), "salt")
        assert turned.items[0].options == first
    assert orders == {("heavy", "heuristic"), ("heuristic", "heavy")}
    assert [with_shown_order(s, "other salt") for s in workshop.scenarios(20)] != [
        with_shown_order(s, "salt") for s in workshop.scenarios(20)
    ]


def _turned(scenario: Any) -> Any:
    items = tuple(replace(item, options=item.options[::-1]) for item in scenario.items)
    return replace(scenario, items=items)


def test_options_survive_storing_in_their_order(study: StudyFile) -> None:
    """What the file gives back is what was drafted: texts, labels, actions and order."""
    for revision in study.items.latest():
        assert {option.action for option in revision.options} == {"heavy", "heuristic"}
        assert all(isinstance(option, Option) for option in revision.options)
        assert revision.labels == tuple(option.label for option in revision.options)


def test_times_are_utc_with_milliseconds() -> None:
    """Every time in the file reads the same everywhere."""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", now())
