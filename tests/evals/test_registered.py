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
from core.judging import Scope
from core.rules import rule_to_json
from db.file import StudyFile
from db.judges import BEGUN
from db.panels import panels
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.runner import judge
from evals.judges.status import status_tables
from evals.registered import judged_on
from suites.core100.suite import SUITE

BOTH = ("Active", "Removed")
FAKE = {"name": "J1", "model": "scripted-judge", "rubric": "grade", "kind": "scripted"}
LENIENT = {"name": "J2", "model": "scripted-judge-lenient", "rubric": "grade"}


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


@pytest.fixture
def judged(workshop: Any, tmp_path: Path) -> Any:
    """Return studies with one registered run, judged by some fakes under a plan with judges."""

    def make(
        *registered: dict[str, Any], asked: Any = (("scripted-judge", "grade"),), run: bool = False
    ) -> StudyFile:
        study: StudyFile = workshop.create(tmp_path / "judged.db", 2)
        campaign = workshop.plan(study)
        rule = rule_to_json(campaign.rule)
        freeze(study, workshop.document(study, [campaign], rule=rule, judge=list(registered)))
        open_round(study, campaign)
        commit(study, workshop.rate(study, campaign))
        freeze_wave(study, SUITE)
        workshop.run(study, exploratory=run)
        for name, rubric in asked:
            ask(study, name, rubric)
        return study

    return make


def ask(study: StudyFile, name: str, rubric: str = "grade") -> None:
    judge(study, chosen_judge(name, Path()), load_rubric(rubric), docket(study, [1]))


def standing(study: StudyFile) -> str:
    return judged_on(study, study.judges.all())


def test_a_registered_judge_stands_on_the_plan(judged: Any) -> None:
    """The call says so in the ledger, the title says so, and the study still verifies."""
    study = judged(FAKE)
    assert standing(study) == "preregistered"
    begun = next(e for e in study.ledger.entries() if e.event == BEGUN)
    current = study.registrations.current()
    assert (begun.payload["exploratory"], begun.payload["preregistration"]) == (False, current.hash)
    for table in status_tables(study, panels(study.judges)):
        assert table.title.endswith("; preregistered)")
    assert study_faults(study) == ()


TWO = (("scripted-judge", "grade"), ("scripted-judge-lenient", "grade"))


@pytest.mark.parametrize(
    ("registered", "asked", "why"),
    [
        ([], TWO, ["no judge is registered"]),
        ([FAKE, LENIENT], TWO, []),
        ([FAKE], TWO, ["judge 2: model is scripted-judge-lenient, registered scripted-judge"]),
        ([FAKE, LENIENT], TWO[:1], ["registered judge J2 (scripted-judge-lenient) is missing"]),
        ([FAKE], (("scripted-judge", "grade-neutral"),),
         ["judge 1: rubric is grade-neutral 1, registered grade 1"]),
        ([{**FAKE, "temperature": 0.3}], TWO[:1],
         ["judge 1: temperature is null, registered 0.3",
          "registered judge J1 (scripted-judge) is missing"]),
    ],
)  # fmt: skip
def test_what_differs_is_named(judged: Any, registered: Any, asked: Any, why: list[str]) -> None:
    """Judge, rubric, settings and panel: each deviation in a title, and no judge is refused."""
    study = judged(*registered, asked=asked)
    assert standing(study) == (f"exploratory: {', '.join(why)}" if why else "preregistered")
    assert study_faults(study) == ()


def test_an_exploratory_run_makes_its_verdicts_exploratory(judged: Any) -> None:
    """Whatever rests on it is exploratory too."""
    assert standing(judged(FAKE, run=True)) == "exploratory: run 1 is exploratory"


def test_a_judge_that_was_asked_first_stays_exploratory(judged: Any, workshop: Any) -> None:
    """An amendment that names it later makes nothing of what it said before."""
    study = judged(LENIENT)
    campaign = study.rounds.named("main")
    plan = workshop.document(study, [campaign], rule=rule_to_json(campaign.rule), judge=[FAKE])
    amend(study, plan, reason="another judge", seen_ratings=False, seen_outputs=False)
    assert standing(study) == "exploratory: judge 1 was asked without the plan"


def test_a_judge_that_an_amendment_named_late_is_exploratory(judged: Any, workshop: Any) -> None:
    """It conforms, but somebody could have seen outputs before it was chosen."""
    study = judged(LENIENT, asked=())
    campaign = study.rounds.named("main")
    plan = workshop.document(study, [campaign], rule=rule_to_json(campaign.rule), judge=[FAKE])
    amend(study, plan, reason="another judge", seen_ratings=False, seen_outputs=False)
    ask(study, "scripted-judge")
    why = standing(study)
    assert why.startswith("exploratory: judge 1 named only by amendment 1, after ")
    assert "8 outputs" in why


def test_where_nothing_is_preregistered_titles_say_nothing_of_it(
    workshop: Any, tmp_path: Path
) -> None:
    """Such a study has no plan to hold a judge against."""
    assert judged_on(workshop.create(tmp_path / "bare.db"), ()) == ""


def test_a_call_that_claims_another_plan_is_found(judged: Any) -> None:
    """The ledger's own word is held against the plans that stood before it."""
    study = judged(FAKE)
    (entry,) = study.judges.all()
    study.judges.end(study.judges.begin(entry, Scope((1,)), "sha256:00"), "finished")
    assert any("stands on no plan" in fault for fault in study_faults(study))
