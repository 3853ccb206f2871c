"""Runs on the plan, and runs that are openly exploratory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.freezing import freeze as freeze_wave
from audit.inclusion import commit
from audit.registration import amend, freeze
from audit.standing import open_round
from audit.verify import study_faults
from core.errors import Refused
from core.rules import rule_to_json
from db.file import StudyFile
from suites.core100.suite import SUITE

BOTH = ("Active", "Removed")


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    """Two scenarios, preregistered, rated, decided and frozen."""
    found: StudyFile = workshop.create(tmp_path / "study.db", 2)
    campaign = workshop.plan(found)
    freeze(found, workshop.document(found, [campaign], rule=rule_to_json(campaign.rule)))
    open_round(found, campaign)
    commit(found, workshop.rate(found, campaign))
    freeze_wave(found, SUITE)
    return found


def test_a_registered_run_stands_on_the_plan(study: StudyFile, workshop: Any) -> None:
    """The run that the plan describes is preregistered, in the file and in the ledger."""
    run = workshop.run(study, exploratory=False)
    assert study.registrations.of_run(run) == study.registrations.versions()[0].hash
    started = next(e for e in study.ledger.entries() if e.event == "run started")
    assert (started.payload["exploratory"], started.payload["preregistration"]) == (
        False,
        study.registrations.of_run(run),
    )
    assert study_faults(study) == ()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": "another"}, "model is another, registered scripted"),
        ({"samples": 3}, "samples is 3, registered 2"),
    ],
)
def test_another_run_is_refused_and_asks_nothing(
    study: StudyFile, workshop: Any, change: dict[str, Any], sentence: str
) -> None:
    """What differs is named; with --exploratory the same run is made and marked."""
    with pytest.raises(Refused, match=sentence):
        workshop.run(study, exploratory=False, **change)
    assert study.runs.all() == ()
    run = workshop.run(study, exploratory=True, **change)
    assert study.registrations.of_run(run) is None


def test_without_a_plan_no_model_is_even_loaded(
    workshop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal comes before the model is opened, and names both ways out."""
    study = workshop.create(tmp_path / "s.db", 2)
    workshop.decided(study)
    freeze_wave(study, SUITE)
    monkeypatch.setattr("evals.runner.opened", None)
    with pytest.raises(Refused, match=r"prereg freeze FILE, or run with --exploratory"):
        workshop.run(study, exploratory=False)


def test_a_run_on_exploratory_items_is_exploratory(workshop: Any, tmp_path: Path) -> None:
    """A plan that comes after the items were chosen without one does not cover them."""
    study = workshop.create(tmp_path / "s.db", 2)
    workshop.decided(study)
    freeze_wave(study, SUITE)
    freeze(study, workshop.document(study))
    with pytest.raises(Refused, match="round main of wave 1 is exploratory, registered preregist"):
        workshop.run(study, exploratory=False)


def test_a_run_goes_on_as_what_it_was_begun(study: StudyFile, workshop: Any) -> None:
    """The same call continues a run after an amendment that it would not conform to."""
    run = workshop.run(study, exploratory=False)
    document = {**study.registrations.versions()[0].document}
    document["runs"] = {**document["runs"], "samples": 9}
    amend(study, document, reason="more", seen_ratings=True, seen_outputs=True)
    assert workshop.run(study, exploratory=False) == run
    other = workshop.run(study, "other")
    assert workshop.run(study, "other", exploratory=False) == other
    assert study.registrations.of_run(other) is None


def test_every_condition_counts(study: StudyFile, workshop: Any) -> None:
    """The order of the conditions is no difference; one that is missing is."""
    document = {**study.registrations.versions()[0].document}
    document["runs"] = {**document["runs"], "conditions": ["Removed", "Active"]}
    amend(study, document, reason="order", seen_ratings=True, seen_outputs=False)
    assert workshop.run(study, exploratory=False)
    document["runs"] = {**document["runs"], "conditions": [*BOTH, "Explicit"], "samples": 3}
    amend(study, document, reason="more", seen_ratings=True, seen_outputs=True)
    with pytest.raises(Refused, match="conditions is"):
        workshop.run(study, samples=3, exploratory=False)
