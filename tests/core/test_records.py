"""Rules, estimates, errors and blind views: small records with promises of their own."""

from __future__ import annotations

import re
from dataclasses import asdict, fields, replace
from typing import Any

import pytest

from core import errors
from core.errors import InputError, WavelockError
from core.estimate import Estimate, undefined
from core.items import BlindItem, BlindPair, BlindResponse, ItemText, Scenario
from core.rules import Decision, Finding, InclusionRule, rule_from_json, rule_to_json
from core.study import Round
from suites.core100.suite import SUITE

RULE = SUITE.rule


def test_a_rule_survives_json() -> None:
    """A rule rebuilt from its JSON is the same rule."""
    assert rule_from_json(rule_to_json(RULE)) == RULE


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"ratings": None}, "r.toml: ratings cannot be None"),
        ({"ratings": "5"}, "r.toml: ratings cannot be '5'"),
        ({"ratings": True}, "r.toml: ratings cannot be True"),
        ({"ratings": 4.0}, "r.toml: ratings cannot be 4.0"),
        ({"auditors": -1}, "r.toml: auditors cannot be -1"),
        ({"confidence_at_least": float("nan")}, "r.toml: confidence_at_least cannot be nan"),
        ({"confidence_at_least": True}, "r.toml: confidence_at_least cannot be True"),
        ({"decisive": "Active"}, "r.toml: decisive cannot be 'Active'"),
        ({"decisive": [1]}, "r.toml: decisive cannot be [1]"),
        ({"name": 3}, "r.toml: name cannot be 3"),
        ({"colour": 1}, "r.toml: unknown field 'colour'"),
    ],
)
def test_a_rule_that_is_none_is_named(change: dict[str, Any], fault: str) -> None:
    """A field of the wrong type, or one that no rule has, is named with its source."""
    with pytest.raises(InputError, match=f"^{re.escape(fault)}$"):
        rule_from_json({**rule_to_json(RULE), **change}, "r.toml")


@pytest.mark.parametrize("name", [field.name for field in fields(InclusionRule)])
def test_a_rule_has_no_hidden_default(name: str) -> None:
    """Every threshold must be said; a missing one is named."""
    value = {key: v for key, v in rule_to_json(RULE).items() if key != name}
    with pytest.raises(InputError, match=f"r.toml: {name} is missing"):
        rule_from_json(value, "r.toml")


def test_reasons_are_the_missed_thresholds() -> None:
    """A decision gives a sentence for each threshold that was missed, and none for the others."""
    met = Finding("Active", "mean confidence", ">= 3.5", "4.00", met=True)
    missed = Finding(None, "audits", "2", "1", met=False)
    decision = Decision("S01", "undecided", cue_eligible=False, findings=(met, missed))
    assert decision.reasons == ("pair: audits 1, needed 2",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"value": None},
        {"value": 1.0, "why_undefined": "because"},
        {"value": 1.0, "low": 0.0},
        {"value": 1.0, "high": 2.0},
        {"value": float("nan")},
        {"value": float("inf")},
        {"value": 1.0, "low": float("nan"), "high": 2.0},
        {"value": 1.0, "low": 0.0, "high": float("inf")},
        {"value": 1.0, "p": float("nan")},
        {"value": 1.0, "low": 2.0, "high": 1.5},
        {"value": None, "why_undefined": "because", "low": 0.0, "high": 1.0},
    ],
)
def test_an_estimate_is_a_number_or_a_reason(wrong: dict[str, Any]) -> None:
    """NaN never passes for a number, nor half an interval for an interval."""
    with pytest.raises(ValueError, match=r"estimate|interval|number"):
        Estimate(n=3, **wrong)


def test_an_undefined_estimate_says_why() -> None:
    """What has no value has a reason and still an n."""
    assert asdict(undefined("nobody answered", 4)) == {
        **asdict(Estimate(1.0, 4)),
        "value": None,
        "why_undefined": "nobody answered",
    }


def test_exit_codes_follow_the_family() -> None:
    """Bad input is 2, a failed check is 1, and nothing else is raised on purpose."""
    family = [e for e in vars(errors).values() if isinstance(e, type) and e is not WavelockError]
    family = [e for e in family if issubclass(e, WavelockError)]
    assert {e.__name__: e.exit_code for e in family} == {
        "InputError": 2, "NotAStudy": 2, "NotFound": 2, "Refused": 2, "Unavailable": 2, "Busy": 2,
        "SeatInUse": 2, "SeatLost": 2, "RunDropped": 2, "TooManyCodes": 2, "CheckFailed": 1,
    }  # fmt: skip


def test_blind_views_have_no_room_for_a_leak() -> None:
    """A rating or audit screen is given these fields and no others."""
    assert [field.name for field in fields(BlindItem)] == ["number", "text", "options", "response"]
    assert [field.name for field in fields(BlindResponse)] == ["text", "reference", "criterion"]
    assert [field.name for field in fields(BlindPair)] == ["number", "left", "right"]
    for view in (BlindItem(1, "t", ()), BlindPair(1, "l", "r"), BlindResponse("r")):
        with pytest.raises((AttributeError, TypeError)):
            view.gold = "heavy"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("opened", "closed", "state"),
    [(None, None, "planned"), ("t", None, "open"), ("t", "t", "closed")],
)
def test_a_round_is_planned_open_or_closed(
    opened: str | None, closed: str | None, state: str
) -> None:
    """The state of a round follows from its times."""
    campaign = Round(
        1, "r", "main", "latin-square", 5, 1, SUITE.form, RULE, ("A", "B"), "t", None, None
    )
    assert replace(campaign, opened_at=opened, closed_at=closed).state == state


def test_an_undrafted_condition_is_an_error() -> None:
    """A scenario does not make up an item that nobody drafted."""
    scenario = Scenario("S", {}, (ItemText("Active", "t"),))
    assert scenario.item("Active").text == "t"
    with pytest.raises(KeyError):
        scenario.item("Removed")
