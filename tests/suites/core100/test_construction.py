"""Every construction rule catches its breach, and a sound scenario passes them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from core.items import ItemText, Option, Scenario
from suites.core100.construction import (
    NEAR_DUPLICATE_AT,
    SIMILARITY_AT_LEAST,
    WORDS_AT_MOST,
    PairMeasures,
    faults,
    inserted,
    measure,
)

ACTIVE = "I want to hang a heavy mirror. The tape is at hand. Should I grab tape or buy hooks?"
REMOVED = "I want to hang a paper mirror. The tape is at hand. Should I grab tape or buy hooks?"
TEXTS = {
    "Active": ACTIVE,
    "Removed": REMOVED,
    "Explicit": ACTIVE.replace("mirror.", "mirror. Glass pulls down hard."),
    "SalienceControl": ACTIVE.replace("mirror.", "mirror. Glass cleans up well."),
}
OPTIONS = (Option("heavy", "Buy hooks"), Option("heuristic", "Grab tape"))

Change = Callable[[Scenario], Scenario]


def sound(name: str = "T1") -> Scenario:
    items = tuple(
        ItemText(condition, text, OPTIONS, "heuristic" if condition == "Removed" else "heavy")
        for condition, text in TEXTS.items()
    )
    return Scenario(name, {}, items)


def with_item(condition: str, **change: Any) -> Change:
    """Return a change of one item of a scenario."""

    def apply(scenario: Scenario) -> Scenario:
        items = tuple(
            replace(item, **change) if item.condition == condition else item
            for item in scenario.items
        )
        return replace(scenario, items=items)

    return apply


def with_options(*options: Option) -> Change:
    """Return a change of the options in all conditions."""

    def apply(scenario: Scenario) -> Scenario:
        return replace(scenario, items=tuple(replace(i, options=options) for i in scenario.items))

    return apply


def without(condition: str) -> Change:
    """Return a change that leaves one condition out."""

    def apply(scenario: Scenario) -> Scenario:
        kept = tuple(item for item in scenario.items if item.condition != condition)
        return replace(scenario, items=kept)

    return apply


def adding(clause: str, after: str = "mirror.") -> str:
    return ACTIVE.replace(after, f"{after} {clause}")


BREACHES = [
    pytest.param("missing condition", "Active", without("Active"), id="no-active"),
    pytest.param("missing condition", "Explicit", without("Explicit"), id="no-explicit"),
    pytest.param("empty text", "Removed", with_item("Removed", text=" \n"), id="blank"),
    pytest.param(
        "length difference",
        "Removed",
        with_item("Removed", text=REMOVED.replace("paper", "very thin paper wall")),
        id="three-words-longer",
    ),
    pytest.param(
        "similarity",
        "Removed",
        with_item("Removed", text=" ".join(REMOVED.split()[::-1])),
        id="words-in-another-order",
    ),
    pytest.param("identical pair", "Removed", with_item("Removed", text=ACTIVE), id="no-edit"),
    pytest.param(
        "not one insertion",
        "Explicit",
        with_item("Explicit", text=adding("Glass pulls down hard.").replace("at hand", "near me")),
        id="clause-and-an-edit",
    ),
    pytest.param(
        "not one insertion",
        "SalienceControl",
        with_item("SalienceControl", text=ACTIVE),
        id="nothing-added",
    ),
    pytest.param(
        "place of clauses",
        "SalienceControl",
        with_item("SalienceControl", text=adding("Glass cleans up well.", after="at hand.")),
        id="clause-elsewhere",
    ),
    pytest.param(
        "length of clauses",
        "SalienceControl",
        with_item("SalienceControl", text=adding("Glass cleans up very well indeed.")),
        id="clause-two-words-longer",
    ),
    pytest.param(
        "action word in clause",
        "Explicit",
        with_item("Explicit", text=adding("Glass needs sturdy hooks.")),
        id="action-word",
    ),
    pytest.param(
        "action word in clause",
        "SalienceControl",
        with_item("SalienceControl", text=adding("Glass gets taped often.")),
        id="inflected-action-word",
    ),
    pytest.param(
        "equal labels",
        "Active",
        with_options(Option("heavy", "Buy hooks"), Option("heuristic", "buy hooks ")),
        id="equal-labels",
    ),
    pytest.param(
        "labels differ",
        "Removed",
        with_item("Removed", options=(OPTIONS[0], Option("heuristic", "Grab glue"))),
        id="labels-differ",
    ),
]


def test_a_sound_scenario_has_no_fault() -> None:
    """The scenario that every breach starts from passes all rules."""
    assert faults([sound()]) == ()


@pytest.mark.parametrize(("rule", "condition", "change"), BREACHES)
def test_each_breach_is_named(rule: str, condition: str, change: Change) -> None:
    """One change to a sound scenario is found under its rule, at its condition."""
    found = {(fault.scenario, fault.rule, fault.condition) for fault in faults([change(sound())])}
    assert ("T1", rule, condition) in found


@pytest.mark.parametrize(("rule", "condition", "change"), BREACHES)
def test_a_breach_accuses_nothing_else(rule: str, condition: str, change: Change) -> None:
    """One change to a sound scenario breaks one rule and no other."""
    assert {fault.rule for fault in faults([change(sound())])} == {rule}


def test_two_scenarios_with_one_id_are_found() -> None:
    """An id names one scenario only."""
    other = with_item("Active", text="Quite another situation altogether?")(sound())
    assert "duplicate id" in {fault.rule for fault in faults([sound(), other])}


def test_near_duplicates_are_found_and_name_each_other() -> None:
    """A scenario that is another one with a word changed is not a new scenario."""
    twin = sound("T2")
    found = [fault for fault in faults([sound(), twin]) if fault.rule == "near-duplicate"]
    assert [(fault.scenario, fault.found) for fault in found] == [("T2", "1.0000 like T1")]


@pytest.mark.parametrize(("kept", "wanted"), [(9, 1), (8, 0)])
def test_the_limit_of_near_duplicates_is_inside(kept: int, wanted: int) -> None:
    """Of 10 characters in each text, 9 in common are .90 and too many; 8 are not."""
    pool = [replace_texts("a" * 10, "?"), replace_texts("a" * kept + "b" * (10 - kept), "?")]
    assert [fault.rule for fault in faults(pool)].count("near-duplicate") == wanted


def test_the_limits_are_those_of_the_paper() -> None:
    """Two words and .80 are section 5 of arXiv 2603.29025; .90 between scenarios is ours."""
    assert (WORDS_AT_MOST, SIMILARITY_AT_LEAST, NEAR_DUPLICATE_AT) == (2, 0.80, 0.90)


@pytest.mark.parametrize(
    ("extra", "wanted"), [("one two", set()), ("one two six", {"length difference"})]
)
def test_two_words_are_allowed_and_three_are_not(extra: str, wanted: set[str]) -> None:
    """The limit itself is inside."""
    longer = with_item("Removed", text=REMOVED.replace("paper", f"paper {extra}"))
    assert {fault.rule for fault in faults([longer(sound())])} == wanted


@pytest.mark.parametrize(("kept", "wanted"), [(40, set()), (39, {"similarity"})])
def test_the_similarity_limit_is_inside(kept: int, wanted: set[str]) -> None:
    """Of 50 characters in each text, 40 in common are .80 and enough; 39 are not."""
    changed = replace_texts("a" * 50, "a" * kept + "b" * (50 - kept))
    assert {f.rule for f in faults([changed]) if f.condition == "Removed"} == wanted


def replace_texts(active: str, removed: str) -> Scenario:
    return with_item("Active", text=active)(with_item("Removed", text=removed)(sound()))


def test_measures_of_a_pair_are_counted_by_hand() -> None:
    """One word is replaced: one token, and four letters out and four in.

    "heavy" and "paper" keep one letter in common order (e or a, not both), so 4 + 4 of the
    characters of both texts are edited.
    """
    found = measure(sound())
    assert found.similarity == pytest.approx(1 - (4 + 4) / (2 * len(ACTIVE)))
    assert found == PairMeasures(0, found.similarity, 1, 4, 4)


def test_what_is_no_insertion_has_no_length() -> None:
    """A clause that cannot be read off is not measured as zero words."""
    broken = with_item("Explicit", text="Something else?")(sound())
    assert measure(broken).added_words_explicit is None


def test_measuring_needs_all_conditions() -> None:
    """A missing condition is named, not guessed."""
    with pytest.raises(KeyError, match="Removed"):
        measure(without("Removed")(sound()))


@pytest.mark.parametrize(
    ("base", "longer", "run"),
    [
        ("It rains. Stay?", "It rains. The roof leaks. Stay?", "The roof leaks."),
        ("Stay?", "It rains. Stay?", "It rains."),
        ("It rains.", "It rains. A lot.", "A lot."),
        ("The cat sleeps.", "The cat, which is old, sleeps.", "which is old"),
        ("The cat sleeps.", "The old cat sleeps.", "old"),
        ("A. The cat sleeps.", "A. The sun shines. The cat sleeps.", "The sun shines."),
        ("A cat sleeps.", "A cat sleeps.", None),
        ("A cat sleeps.", "A cat sleeps!", None),
        ("A cat sleeps.", "A cat, sleeps.", None),
        ("A cat sleeps.", "A cat.", None),
        ("A cat sleeps.", "a cat sleeps now.", None),
        ("A cat sleeps.", "An old cat sleeps.", None),
        ("A cat sleeps.", "A fat cat sleeps well.", None),
    ],
)
def test_the_inserted_run_is_read_off_or_refused(base: str, longer: str, run: str | None) -> None:
    """Exactly one contiguous run of whole words counts as an insertion."""
    assert inserted(base, longer) == run


@pytest.mark.parametrize("word", ["drive", "drives", "driving", "Driver"])
def test_inflections_of_an_action_word_are_recognised(word: str) -> None:
    """A clause cannot smuggle the action in by inflecting it."""
    options = with_options(Option("heavy", "Drive home"), Option("heuristic", "Grab tape"))
    clause = with_item("Explicit", text=adding(f"Glass breaks {word} easily."))
    found = {fault.rule for fault in faults([clause(options(sound()))])}
    assert found == {"action word in clause"}


def test_function_words_and_short_words_are_no_action_words() -> None:
    """ "Buy them there" does not forbid "there" in a clause."""
    options = with_options(Option("heavy", "Buy them there"), Option("heuristic", "Grab tape"))
    clause = with_item("Explicit", text=adding("Buy nothing from there."))
    assert faults([clause(options(sound()))]) == ()
